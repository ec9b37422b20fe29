import ApprovalWire
import Audit
package import AuthorizationCore
import JOSE
import Primitives

/// Issues receipts of decisions: to the client that asked, to the holder of a token of the approval, to the person's
/// devices, and to the operator.
package struct IssueReceipt: Sendable {
    /// Party that asks for a receipt.
    package enum Reader: Sendable {
        case client(ClientID)
        /// Authorization of an access token.
        case authorization(AuthorizationID)
        case user(UserID)
        case `operator`
    }

    package enum Failure: Error, Sendable, Equatable {
        /// No decision of that id is kept, or it is not the reader's.
        case notFound
        /// The stored evidence was changed, which is then in the audit log.
        case changed
    }

    let store: any ApprovalStore
    let vault: RequestVault

    /// The compact JWS, signed by the tenant's current key. Throws `Failure`.
    package func issue(_ consent: ConsentID, to reader: Reader, _ context: RequestContext) async throws -> String {
        try await issued(consent, to: reader, context).token
    }

    /// The same with the evidence that the receipt has.
    func issued(
        _ consent: ConsentID, to reader: Reader, _ context: RequestContext
    ) async throws -> (token: String, evidence: ApprovalEvidence) {
        guard let (stored, head) = try await store.approval(consent, tenant: context.tenant.id),
            allows(reader, stored)
        else { throw Failure.notFound }
        guard let evidence = try await vault.open(stored, context: context) else { throw Failure.changed }
        let claims = ReceiptClaims(
            // Rounded up, because `iat` has whole seconds: no receipt is dated before its decision.
            issuedAt: max(context.now, evidence.decidedAt).roundedUpToSeconds, evidence: evidence,
            digest: evidence.record.digest(vault.hashing),
            audit: ReceiptClaims.AuditPlace(entry: stored.entry.description, head: head.description))
        let keys = context.configuration.keys
        // A short signature that every library verifies. A tenant without such a key has one for RS256.
        guard let signer = keys.signer(for: .es256) ?? keys.signer(for: .rs256) else {
            throw TokenIssuer.Failure.noKey(.es256)
        }
        return (try JWS.sign(claims.payload, type: ReceiptClaims.type, with: signer), evidence)
    }

    private func allows(_ reader: Reader, _ stored: StoredApproval) -> Bool {
        switch reader {
        case .client(let client): client == stored.client
        case .authorization(let id): id == AuthorizationID(of: stored.consent, vault.hashing)
        case .user(let user): user == stored.user
        case .operator: true
        }
    }
}
