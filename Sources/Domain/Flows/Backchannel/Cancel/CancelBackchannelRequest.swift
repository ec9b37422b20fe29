package import Audit
package import AuthorizationCore
package import OAuthWire
package import Primitives

/// Withdraws a request that its client no longer waits for, so that no user answers it in vain. The client withdraws it
/// at the revocation endpoint (RFC 7009).
package struct CancelBackchannelRequest: Sendable {
    let store: any BackchannelCancelStore & BackchannelRedeemStore
    let vault: RequestVault
    let hub: DecisionHub

    /// Returns true if the token was a pending request of the client, which is then denied. The hint does not matter: a
    /// search that it misleads goes on over the other kinds (RFC 7009 clause 2.1).
    package func cancel(_ request: Authenticated<Parameters>) async throws -> Bool {
        let authReqID = try request.message.required("token")
        guard !request.client.isPublic, Identifiers.isAuthReqID(authReqID) else { return false }
        let hash = AuthReqIDHash(of: authReqID, vault.hashing)
        // The statement decides. This read spares other tokens the wait for the writer.
        let polled = try await store.poll(hash, client: request.client.id, login: nil, tenant: request.tenant.id)
        guard polled?.state == .pending else { return false }
        let (tenant, now) = (request.tenant.id, request.context.now)
        let outcome = BackchannelRequest.Outcome(.reject(reason: nil), at: now, by: nil)
        let cancelled = try await store.cancel(
            BackchannelCancellation(
                hash: hash, client: request.client.id, tenant: tenant, now: now,
                outcome: try vault.seal(outcome, of: hash, tenant: tenant),
                keptUntil: UnansweredRequest.keptUntil(
                    now, approvalRetention: request.tenant.settings.approvalRetention),
                event: request.context.event(
                    .cancelled, charge: .once(.request), client: request.client.id, consent: hash.consentID)))
        guard cancelled else { return false }
        hub.decided(hash)
        return true
    }
}

/// Store port for withdrawing a request.
package protocol BackchannelCancelStore: Sendable {
    /// Denies a pending, unexpired request of that client, with the audit event and the withdrawal of all devices'
    /// prompts in the delivery queue, in one transaction. Keeps the request for its person's history. False for any other request: then nothing was changed.
    func cancel(_ cancellation: BackchannelCancellation) async throws -> Bool
}

package struct BackchannelCancellation: Sendable {
    package let hash: AuthReqIDHash
    package let client: ClientID
    package let tenant: TenantID
    package let now: Timestamp
    /// A sealed `BackchannelRequest.Outcome` without a device.
    package let outcome: [UInt8]
    /// End of the time in which the person's history has the request.
    package let keptUntil: Timestamp
    /// The store adds the user, whom only the stored request names.
    package let event: AuditEvent
}
