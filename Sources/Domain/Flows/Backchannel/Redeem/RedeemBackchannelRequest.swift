import ApprovalWire
import Audit
import AuthorizationCore
package import HTTPModel
package import OAuthWire
import Primitives

/// The CIBA grant at the token endpoint (CIBA Core 10.1 and 11): answers a poll, or holds it until the decision.
package struct RedeemBackchannelRequest: Sendable {
    let store: any BackchannelRedeemStore
    let issuer: TokenIssuer
    let receipts: IssueReceipt
    let vault: RequestVault
    let clock: any WallClock
    let timer: any Timer
    let cache: PendingRequestCache
    let hub: DecisionHub
    let refusals: RefusalLog

    /// Answer to a poll whose request this node knows to be pending.
    package enum SynchronousAnswer: Sendable {
        /// `RedeemBackchannelRequest.pending`.
        case pending
        case tooEarly(OAuthError)
    }

    /// Answers a poll that is not to be held. Nil means that the store has to be asked; then the poll was not recorded.
    package func answerSynchronously(_ authReqID: String, by poll: Authenticated<Parameters>) -> SynchronousAnswer? {
        let hash = AuthReqIDHash(of: authReqID, vault.hashing)
        switch cache.polled(hash, by: poll.registered.identity, now: clock.now) {
        case .askStore: return nil
        case .answer(.inTime, _): return .pending
        case .answer(.slowDown(let interval), _): return .tooEarly(Self.slowDown(interval))
        }
    }

    /// `hold` is the longest wait, already limited by the tenant. Nil answers at once. Throws `OAuthError` for every
    /// answer but tokens, and records a refusal in the audit log. Throws `CancellationError` if `peer` left before the
    /// commit: the request stays approved, and the next poll gets the tokens.
    package func redeem(
        _ poll: Authenticated<String>, hold: Duration?, for peer: (any ClientPresence)? = nil
    ) async throws -> TokenResponse {
        try poll.requireConfidential(for: .ciba)
        _ = try poll.senderConstraint()
        let hash = AuthReqIDHash(of: poll.message, vault.hashing)
        do {
            return try await redeem(hash, poll, hold: hold, peer)
        } catch let error as OAuthError where error.code == .invalidGrant {
            // A rejection and an expiry have entries of their own, and their answers need not wait for the disk.
            try await refusals.exchange(poll.at(clock.now), consent: hash.consentID, error)
            throw error
        }
    }

    private func redeem(
        _ hash: AuthReqIDHash, _ poll: Authenticated<String>, hold: Duration?, _ peer: (any ClientPresence)?
    ) async throws -> TokenResponse {
        let owner = poll.registered.identity
        let arrived = clock.now
        let verdict: PollRate.Verdict
        let expiresAt: Timestamp
        switch cache.polled(hash, by: owner, now: arrived) {
        case .answer(let known, let expiry): (verdict, expiresAt) = (known, expiry)
        case .askStore(let generation):
            guard case .pending(let polled) = try await status(hash, poll) else {
                return try await exchange(hash, poll, peer)
            }
            verdict = cache.found(hash, of: owner, polled, readAt: generation, now: arrived)
            expiresAt = polled.expiresAt
        }
        if case .slowDown(let interval) = verdict { throw Self.slowDown(interval) }
        guard let hold else { throw Self.pending }
        return try await held(hash, poll, for: min(hold, expiresAt - arrived), peer)
    }

    private enum Status {
        case pending(PolledRequest)
        case approved
    }

    /// Throws if the request has ended.
    private func status(_ hash: AuthReqIDHash, _ poll: Authenticated<String>) async throws -> Status {
        guard
            let polled = try await store.poll(hash, client: poll.client.id, login: nil, tenant: poll.tenant.id),
            polled.state != .redeemed
        else { throw Self.unknown }
        if polled.state == .denied {
            guard let (request, _) = try await opened(hash, poll) else { throw Self.unknown }
            var denied = Self.denied
            // An agent that a model drives would read what the person could not see.
            denied.reason = request.outcome?.decision.reason?.showingUnseen
            throw denied
        }
        guard polled.state != .undelivered else {
            cache.ended(hash)
            throw Self.undelivered
        }
        guard clock.now < polled.expiresAt, polled.state != .expired else {
            cache.ended(hash)
            throw Self.expired(poll.tenant)
        }
        return polled.state == .approved ? .approved : .pending(polled)
    }

    private func held(
        _ hash: AuthReqIDHash, _ poll: Authenticated<String>, for duration: Duration, _ peer: (any ClientPresence)?
    ) async throws -> TokenResponse {
        let subscription = hub.subscribe(hash)
        defer { hub.unsubscribe(subscription, from: hash) }
        if case .approved = try await status(hash, poll) { return try await exchange(hash, poll, peer) }
        await subscription.wait(duration, timer: timer)
        try Task.checkCancellation()
        switch try await status(hash, poll) {
        case .approved: return try await exchange(hash, poll, peer)
        case .pending: throw Self.pending
        }
    }

    /// Signs before the commit, so that a failed signature uses up nothing. Of two calls at once, one commits.
    private func exchange(
        _ hash: AuthReqIDHash, _ poll: Authenticated<String>, _ peer: (any ClientPresence)?
    ) async throws -> TokenResponse {
        guard let (request, owner) = try await opened(hash, poll) else { throw Self.unknown }
        guard let user = owner, !user.blocked else {
            throw OAuthError(.invalidGrant, "The user of this request no longer exists or is blocked")
        }
        // Redeemed or deleted since the poll's first read.
        guard request.state == .approved, let outcome = request.outcome else { throw Self.unknown }
        let poll = poll.at(clock.now)
        let now = poll.context.now
        let access = try issuer.access(of: request, outcome)
            .permitted(to: poll.client, for: user, in: poll.configuration)
        var tokens = try issuer.issue(TokenIssuer.Authorization(for: poll, user: user, access: access))
        if request.wantsReceipt {
            tokens.response.approvalReceipt = try await receipt(of: request, poll)
        }
        let redeemed = try await store.redeem(
            Redemption(
                hash: hash, client: poll.client.id, user: user.id, tenant: poll.tenant.id, now: now,
                refreshToken: tokens.refreshToken,
                event: poll.context.event(
                    .exchanged, charge: .once(.request), user: user.id, client: poll.client.id,
                    consent: request.consentID,
                    details: [
                        "audience": .string(request.audience),
                        "notification_channel": .string(request.channel.rawValue),
                        "request_digest": .string(request.digest.description),
                    ]),
                clientHasLeft: { peer?.hasLeft ?? false }))
        guard redeemed else {
            if let peer, peer.hasLeft { throw CancellationError() }
            throw request.isExpired(at: now) ? Self.expired(poll.tenant) : Self.unknown
        }
        cache.ended(hash)
        return tokens.response
    }

    /// The evidence is kept at least as long as the request, so its absence is a change, too.
    private func receipt(of request: BackchannelRequest, _ poll: Authenticated<String>) async throws -> String {
        do {
            return try await receipts.issue(request.consentID, to: .client(poll.client.id), poll.context)
        } catch IssueReceipt.Failure.notFound {
            try await vault.reportLostEvidence(of: request, poll.context)
            throw Self.changed
        } catch IssueReceipt.Failure.changed {
            throw Self.changed
        }
    }

    /// Throws for a request whose row was changed.
    private func opened(
        _ hash: AuthReqIDHash, _ poll: Authenticated<String>
    ) async throws -> (request: BackchannelRequest, user: User?)? {
        guard let (sealed, user) = try await store.request(hash, tenant: poll.tenant.id) else { return nil }
        guard let request = try await vault.open(sealed, for: .redemption, context: poll.at(clock.now).context) else {
            throw Self.changed
        }
        return (request, user)
    }

    /// Answer to a poll until the user has decided (CIBA Core 11).
    package static let pending = OAuthError(.authorizationPending, "The end-user authorization is pending")

    private static let denied = OAuthError(
        .accessDenied, "The end-user denied the authorization request or it has been expired")

    /// CIBA Core 12, because no code of clause 11 fits: nobody was asked, so nobody denied, and waiting is useless.
    private static let undelivered = OAuthError(
        .transactionFailed, "No device and no mailbox of the user could be notified; start a new request later")

    private static func expired(_ tenant: Tenant) -> OAuthError {
        tenant.settings.expiredAsDenied
            ? denied
            : OAuthError(.expiredToken, "The auth_req_id has expired; start a new request")
    }

    private static let changed = OAuthError(
        .invalidGrant, "The request was changed after it was made, and is refused; start a new one",
        detail: "the request's row or its evidence does not match its seal, or is gone")

    private static let unknown = OAuthError(.invalidGrant, "Invalid or expired auth_req_id")

    private static func slowDown(_ interval: Int) -> OAuthError {
        var error = OAuthError(.slowDown, "You are polling faster than allowed. Try again in \(interval) seconds.")
        error.retryAfter = interval
        error.interval = interval
        return error
    }
}

extension TokenIssuer {
    /// Methods of authentication (RFC 8176): a key of the device, over a channel other than the client's.
    private static let methods = ["pop", "mca"]

    /// Access that a user allowed on a device or in a session, whose methods of authentication the tokens then have. The
    /// access ends with no browser session.
    func access(of request: BackchannelRequest, _ outcome: BackchannelRequest.Outcome) -> GrantedAccess {
        let session = outcome.session
        return GrantedAccess(
            id: AuthorizationID(of: request.consentID, hashing), tenant: request.tenant, client: request.client,
            user: request.user,
            scope: request.scope, audience: request.audience, authorizationDetails: request.authorizationDetails,
            authTime: session?.authenticatedAt ?? outcome.decidedAt, methods: session?.methods ?? Self.methods,
            contextClass: session.map(\.contextClass) ?? AuthenticationContextClass.deviceKey.rawValue,
            session: nil, approval: ApprovedRequest(id: request.consentID, digest: request.digest))
    }
}
