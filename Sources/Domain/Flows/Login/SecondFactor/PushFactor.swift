import Audit
import ApprovalWire
import AuthorizationCore
import GuardianWire
package import HTTPModel
package import Localization
import OAuthWire
import Primitives

/// Store port for requests of logins to the user's phone.
package typealias PushFactorStore = LoginStore & BackchannelStartStore & SupersessionStore & BackchannelRedeemStore
    & AttemptStore

/// Takes a decision on the user's phone as second factor.
package struct PushFactor: Sendable {
    /// Seconds that a request waits on the phone.
    package static let lifetime = 120
    /// Longest time that a browser waits for one answer. Proxies that give up after a minute allow it.
    package static let longestHold = Duration.seconds(50)

    /// Status of a request on the phone.
    package enum Status: Sendable {
        case waiting
        /// A newer login in this browser took its place. Another may be sent.
        case superseded
        /// Another may be sent.
        case expired
        /// The login goes on, or ended because the person rejected it.
        case decided(AuthorizationAnswer)
    }

    let store: any PushFactorStore
    let transactions: LoginTransactions
    let vault: RequestVault
    let secrets: GuardianTransactionTokens
    let random: any RandomSource
    /// Places of addresses. Nil means that none is known.
    let places: (any PlaceFinder)?
    let decisions: DecisionHub
    let timer: any Timer
    /// Longest time that a browser waits for one answer.
    let hold: Duration

    /// Sends a request to the user's phone: a backchannel request like those of CIBA, which only the transaction can
    /// redeem. Its `auth_req_id` stays secret, too. If a request waits already, no other is sent. Returns the transaction
    /// with `pushNumber`, which the page shows. The phone shows the same number, or has the person give it. `browser` is
    /// what the browser says of itself.
    package func send(
        _ transaction: LoginTransaction, language: Language, browser: BrowserSoftware = .unknown
    ) async throws -> LoginTransaction {
        let (tenant, now) = (transaction.tenant, transaction.context.now)
        guard case .multiFactor(let factors) = transaction.step, factors.push, let user = transaction.user,
            let owner = transaction.owner,
            let approver = try await store.approver(.id(user.id), at: tenant, meeting: tenant.settings.evidence)
        else { throw InteractionFailure.otherStep }
        let question = Question(transaction)
        let digest = question.digest(vault.hashing)
        if let push = transaction.progress.belongings?.push, now < push.expiresAt, push.digest == digest {
            return transaction
        }
        try await AttemptCounter(store: store, hashing: vault.hashing, context: transaction.context)
            .check(.loginNumber, .reportedLogin, account: user.id.rawValue)
        try Self.check(
            try await isFlooded(user.id, transaction.context) ? .rateLimited(oldest: now) : .started, tenant.settings,
            now: now)
        let matching = question.matching(of: approver, transaction)
        let shown = matching != nil ? nil : MatchingNumber(10 + Int(random.bytes(1)[0]) % 90)
        let authReqIDHash = AuthReqIDHash(of: Identifiers.authReqID(random, at: now), vault.hashing)
        let expiresAt = now + .seconds(Self.lifetime)
        // For phones that do not know `login`, which others show in their own words.
        let texts = (user.language ?? language).texts.secondFactor
        let record = try RequestRecord(
            authReqIDHash.consentID, of: question.client, to: approver.user, for: question.audience,
            scope: question.scope,
            message: shown.map { texts.message($0.value) } ?? texts.messageToMatch, details: question.details,
            matching: matching, login: login(transaction, browser), configuration: transaction.configuration,
            createdAt: now, expiresAt: expiresAt, random: random)
        var request = vault.request(record, channel: .guardianPush, interval: tenant.settings.pollInterval)
        request.login = transaction.stored.hash
        request.browser = transaction.stored.browserHash
        guard let number = shown ?? secrets.matchingCode(of: request) else { throw InteractionFailure.otherStep }
        var transaction = transaction
        transaction.progress.change(of: owner) {
            $0.push = AuthorizationProgress.Push(
                hash: authReqIDHash.bytes, number: number, matching: matching, expiresAt: expiresAt, digest: digest)
        }
        try await store.keep(&transaction)
        var new = NewBackchannelRequest(
            request: try vault.seal(request, authReqIDHash), devices: approver.devices(for: tenant.settings.evidence),
            event: transaction.event(
                .multiFactorStarted, charge: .limited(by: .requestsOfUser),
                details: question.auditDetails(of: request)))
        new.supersession = transaction.event(.superseded, charge: .once(.request))
        let outcome = try await store.start(new, limits: .ofLogin(tenant.settings, now: now))
        do {
            try Self.check(outcome, tenant.settings, now: now)
        } catch {
            transaction.progress.belongings?.push = nil
            try await store.keep(&transaction)
            throw error
        }
        if case .superseding(let older) = outcome { older.forEach(decisions.decided) }
        return transaction
    }

    /// Ends the request that waits on the phone, once its person gave another factor: nobody should answer it in vain.
    func end(_ transaction: LoginTransaction) async throws {
        let (context, now) = (transaction.context, transaction.context.now)
        guard let user = transaction.user, let push = transaction.progress.belongings?.push, now < push.expiresAt
        else { return }
        let hash = AuthReqIDHash(stored: push.hash)
        let isEnded = try await store.supersede(
            hash, of: user.id, tenant: context.tenant.id, now: now,
            event: transaction.event(.superseded, charge: .once(.request)))
        guard isEnded else { return }
        decisions.decided(hash)
    }

    private func login(_ transaction: LoginTransaction, _ browser: BrowserSoftware) -> RequestRecord.Login {
        let context = transaction.context
        return RequestRecord.Login(
            application: transaction.goalName, browser: browser.browser,
            system: browser.system, address: context.remoteAddress,
            place: context.remoteAddress.flatMap { places?.place(of: $0) },
            at: Timestamp(milliseconds: context.now.seconds * 1000))
    }

    /// Counts one more request of a login, apart from those of clients. Requests of clients must not keep the user from
    /// logging in, and a stranger with only the password must not flood the phone. Requests from one address count
    /// before those from everywhere, so that the stranger does not keep the user from logging in elsewhere.
    private func isFlooded(_ user: UserID, _ context: RequestContext) async throws -> Bool {
        let limit = context.tenant.settings.requestsPerMinutePerUser
        let here = AttemptKey(
            .push, account: user.rawValue, from: context.remoteAddress ?? "", hashing: vault.hashing)
        let limits = [
            AttemptLimit(here, limit),
            AttemptLimit(AttemptKey(.push, account: user.rawValue, hashing: vault.hashing), 2 * limit),
        ]
        let counts = try await store.countFailure(
            limits, tenant: context.tenant.id, now: context.now, windowStart: context.now - .seconds(60), event: nil)
        return zip(counts, limits).contains { $0 > $1.limit }
    }

    private static func check(
        _ outcome: StartOutcome, _ settings: TenantSettings, now: Timestamp
    ) throws(InteractionFailure) {
        guard outcome != .approverChanged else { throw .otherStep }
        do {
            try outcome.check(settings, now: now)
        } catch {
            throw InteractionFailure(
                .tooManyRequests,
                [localized.failure.tooManyRequests], retryAfter: error.retryAfter)
        }
    }

    /// Returns when the page has something new to show, or after `hold`. True means that the browser goes on waiting. It
    /// decides nothing, so a browser that left meanwhile has lost nothing.
    package func awaitDecision(_ transaction: LoginTransaction, atOnce: Bool = false) async throws -> Bool {
        let now = transaction.context.now
        let hold = atOnce ? .zero : hold
        guard let push = transaction.progress.belongings?.push, now < push.expiresAt else { return false }
        let hash = AuthReqIDHash(stored: push.hash)
        let subscription = decisions.subscribe(hash)
        defer { decisions.unsubscribe(subscription, from: hash) }
        guard try await isPending(hash, transaction) else { return false }
        if !atOnce { await subscription.wait(min(hold, push.expiresAt - now), timer: timer) }
        // A server that stops holds nothing.
        guard now + hold < push.expiresAt, !decisions.isReleased else { return false }
        return try await isPending(hash, transaction)
    }

    private func isPending(_ hash: AuthReqIDHash, _ transaction: LoginTransaction) async throws -> Bool {
        try await polled(hash, transaction)?.state == .pending
    }

    private func polled(_ hash: AuthReqIDHash, _ transaction: LoginTransaction) async throws -> PolledRequest? {
        try await store.poll(
            hash, client: transaction.goal.asker, login: transaction.stored.hash, tenant: transaction.tenant.id)
    }

    /// Reads whether the phone has answered. An answer counts for the user whose phone was asked, and for the question
    /// that it was asked. After a change of either, the request counts as expired.
    package func check(_ transaction: LoginTransaction) async throws -> Status {
        guard case .multiFactor = transaction.step, let owner = transaction.owner else {
            throw InteractionFailure.otherStep
        }
        guard let push = transaction.progress.belongings?.push,
            constantTimeEquals(push.digest, Question(transaction).digest(vault.hashing))
        else { return .expired }
        let now = transaction.context.now
        let hash = AuthReqIDHash(stored: push.hash)
        let polled = try await polled(hash, transaction)
        if [.denied, .approved].contains(polled?.state) {
            // A decision counts only with its seal.
            guard let (sealed, _) = try await store.request(hash, tenant: transaction.tenant.id),
                try await vault.open(sealed, for: .redemption, context: transaction.context)?.state == polled?.state
            else { return .expired }
        }
        switch polled?.state {
        case .denied:
            let error = OAuthError(.accessDenied, "The user rejected the login on their device")
            let response = try await transactions.abandon(
                transaction, error,
                event: transaction.event(
                    .multiFactorFailed, charge: .once(.login), details: ["reason": "rejected on the device"]))
            let text = push.matching != nil ? localized.secondFactor.notMatched : localized.secondFactor.rejected
            return .decided(AuthorizationAnswer(next: .ended(text, response)))
        case .approved:
            var transaction = transaction
            try transactions.charge(owner.user, &transaction)
            let redeemed = try await store.redeem(
                Redemption(
                    hash: hash, client: transaction.goal.asker, user: owner.user, login: transaction.stored.hash,
                    tenant: transaction.tenant.id, now: now, refreshToken: nil,
                    event: transaction.event(
                        .multiFactorSucceeded, charge: .once(.request), details: ["factor": "push"])))
            return redeemed
                ? .decided(try await transactions.pass(transaction, by: Authentication.deviceKey)) : .expired
        case .pending: return now < push.expiresAt ? .waiting : .expired
        case .superseded: return .superseded
        case .redeemed, .expired, .undelivered, nil: return .expired
        }
    }

    /// Ends a login whose user has no factor that confirms it.
    package func giveUp(_ transaction: LoginTransaction) async throws -> AuthorizationAnswer {
        guard case .multiFactor(let factors) = transaction.step, !factors.canBeGiven else {
            throw InteractionFailure.otherStep
        }
        let error = OAuthError(.accessDenied, "The user has no device that can confirm this request")
        return AuthorizationAnswer(
            next: .respond(
                try await transactions.abandon(
                    transaction, error,
                    event: transaction.event(
                        .multiFactorFailed, charge: .once(.login),
                        details: ["reason": "no device can confirm it"]))))
    }
}
