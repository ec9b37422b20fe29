package import AuthorizationCore
package import GuardianWire
package import OAuthWire
package import Primitives

/// Asks for the second factor of a login: a decision on the user's phone, or a one-time password.
package struct SecondFactor: Sendable {
    /// Seconds that a request waits on the phone.
    package static let pushLifetime = 120
    /// How long a browser waits for one answer at most, which proxies that give up after a minute allow.
    package static let longestHold = Duration.seconds(50)
    /// Seconds of one time step, and how many steps a phone's clock may be off (RFC 6238 clause 5.2).
    static let period = 30
    static let window = 1

    /// Where a request on the phone stands.
    package enum PushStatus: Sendable {
        case waiting
        /// Another may be sent.
        case expired
        /// Decided: goes on, or ended because the person said no.
        case decided(AuthorizationAnswer)
    }

    private let transactions: LoginTransactions
    private let sealer: any Sealer
    private let mail: MailComposer
    private let enroll: EnrollDevice
    private let outbox: any OutboxSignal
    private let decisions: DecisionHub
    private let timer: any Timer
    private let hold: Duration

    /// `hold` is how long a browser waits for one answer.
    package init(
        transactions: LoginTransactions, sealer: any Sealer, enroll: EnrollDevice, outbox: any OutboxSignal,
        decisions: DecisionHub, timer: any Timer, hold: Duration = longestHold
    ) {
        self.transactions = transactions
        self.sealer = sealer
        mail = MailComposer(sealer: sealer)
        self.enroll = enroll
        self.outbox = outbox
        self.decisions = decisions
        self.timer = timer
        self.hold = hold
    }

    // MARK: push

    /// Sends a request to the user's phone: a backchannel request like those of CIBA, which the transaction alone can
    /// redeem. Nobody is told its `auth_req_id` either. If one waits already, that one stays. Returns the transaction
    /// with `pushNumber`, which the page shows and the phone too.
    package func sendPush(
        _ transaction: LoginTransaction, language: Language, now: Timestamp
    ) async throws -> LoginTransaction {
        guard case .multiFactor(let factors) = transaction.step, factors.push, let user = transaction.user,
            let owner = transaction.owner,
            let approver = try await transactions.store.approver(.id(user.id), tenant: transaction.tenant.id)
        else { throw InteractionFailure.otherStep }
        let asked = Asked(transaction)
        let digest = asked.digest(transactions.hashing)
        if let push = transaction.progress.belongings?.push, now < push.expiresAt, push.digest == digest {
            return transaction
        }
        let settings = transaction.tenant.settings
        try Self.check(
            try await isFlooded(user.id, transaction.tenant, now: now) ? .rateLimited(oldest: now) : .started, settings,
            now: now)
        let number = 10 + Int(transactions.random.bytes(1)[0]) % 90
        let authReqIDHash = AuthReqIDHash(
            of: Identifiers.authReqID(transactions.random, at: now), transactions.hashing)
        let expiresAt = now + .seconds(Self.pushLifetime)
        let message = LocalizedText(en: "Log in: \(number)", fr: "Connexion: \(number)")[user.language ?? language]
        var request = BackchannelRequest(
            consentID: authReqIDHash.consentID, tenant: transaction.tenant.id, client: asked.client,
            user: user.id, scope: asked.scope, audience: asked.audience, bindingMessage: message,
            authorizationDetails: asked.details, channel: .guardianPush, createdAt: now, expiresAt: expiresAt,
            interval: transaction.tenant.settings.pollInterval)
        request.logIn = transaction.stored.hash
        var transaction = transaction
        transaction.progress.change(of: owner) {
            $0.push = AuthorizationProgress.Push(
                hash: authReqIDHash.bytes, number: number, expiresAt: expiresAt, digest: digest)
        }
        try await transactions.keep(&transaction)
        let outcome = try await transactions.store.start(
            NewBackchannelRequest(
                hash: authReqIDHash, request: request, devices: approver.devices,
                event: transactions.event(.multiFactorStarted, transaction, now: now, details: asked.auditDetails)),
            limits: .ofLogin(settings, now: now))
        do {
            try Self.check(outcome, settings, now: now)
        } catch {
            transaction.progress.belongings?.push = nil
            try await transactions.keep(&transaction)
            throw error
        }
        outbox.entriesAdded()
        return transaction
    }

    /// Counts one more request of a login, apart from those of clients: these must not keep the user from logging in,
    /// and who has nothing but the password must not flood the phone.
    private func isFlooded(_ user: UserID, _ tenant: Tenant, now: Timestamp) async throws -> Bool {
        let key = AttemptKey(.push, account: user.rawValue, hashing: transactions.hashing)
        let limit = AttemptLimit(key, tenant.settings.requestsPerMinutePerUser)
        let counts = try await transactions.store.countFailure(
            [limit], tenant: tenant.id, now: now, windowStart: now - .seconds(60), event: nil)
        return counts.contains { $0 > limit.limit }
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
                [
                    LocalizedText(
                        en: "Too many requests are waiting for an answer. Try again in a moment.",
                        fr: "Trop de demandes attendent une réponse. Réessayez dans un instant.")
                ], retryAfter: error.retryAfter)
        }
    }

    /// Returns once there is something else to show than that the phone is waited for, or after `hold`: whether
    /// to go on waiting. It decides nothing, so that whoever left meanwhile has lost nothing.
    package func awaitDecision(_ transaction: LoginTransaction, now: Timestamp) async throws -> Bool {
        guard let push = transaction.progress.belongings?.push, now < push.expiresAt else { return false }
        let hash = AuthReqIDHash(stored: push.hash)
        let subscription = decisions.subscribe(hash)
        defer { decisions.unsubscribe(subscription, from: hash) }
        guard try await isPending(hash, transaction) else { return false }
        await subscription.wait(min(hold, push.expiresAt - now), timer: timer)
        // A server that stops holds nothing.
        guard now + hold < push.expiresAt, !decisions.isReleased else { return false }
        return try await isPending(hash, transaction)
    }

    private func isPending(_ hash: AuthReqIDHash, _ transaction: LoginTransaction) async throws -> Bool {
        try await polled(hash, transaction)?.state == .pending
    }

    private func polled(_ hash: AuthReqIDHash, _ transaction: LoginTransaction) async throws -> PolledRequest? {
        try await transactions.store.poll(
            hash, client: transaction.client.id, logIn: transaction.stored.hash, tenant: transaction.tenant.id)
    }

    /// Looks whether the phone has answered. An answer counts for the user whose phone was asked, and for what it was
    /// asked: after a change of either, the request counts as expired.
    package func checkPush(_ transaction: LoginTransaction, now: Timestamp) async throws -> PushStatus {
        guard case .multiFactor = transaction.step, let owner = transaction.owner else {
            throw InteractionFailure.otherStep
        }
        guard let push = transaction.progress.belongings?.push,
            constantTimeEquals(push.digest, Asked(transaction).digest(transactions.hashing))
        else { return .expired }
        let hash = AuthReqIDHash(stored: push.hash)
        switch try await polled(hash, transaction)?.state {
        case .denied:
            let error = OAuthError(.accessDenied, "The user rejected the login on their device")
            let response = try await transactions.abandon(
                transaction, error,
                event: transactions.event(
                    .multiFactorFailed, transaction, now: now, details: ["reason": "rejected on the device"]))
            return .decided(
                AuthorizationAnswer(
                    .ended(
                        LocalizedText(
                            en: "You rejected this login on your phone.",
                            fr: "Vous avez refusé cette connexion sur votre téléphone."), response)))
        case .approved:
            let redeemed = try await transactions.store.redeem(
                Redemption(
                    hash: hash, client: transaction.client.id, user: owner.user, logIn: transaction.stored.hash,
                    tenant: transaction.tenant.id, now: now, refreshToken: nil,
                    event: transactions.event(
                        .multiFactorSucceeded, transaction, now: now, details: ["factor": "push"])))
            return redeemed
                ? .decided(try await pass(transaction, by: Authentication.deviceKey, now: now)) : .expired
        case .pending: return now < push.expiresAt ? .waiting : .expired
        case .redeemed, .expired, nil: return .expired
        }
    }

    /// Ends a login whose user has nothing that confirms it.
    package func giveUp(_ transaction: LoginTransaction, now: Timestamp) async throws -> AuthorizationAnswer {
        guard case .multiFactor(let factors) = transaction.step, !factors.canBeGiven else {
            throw InteractionFailure.otherStep
        }
        let error = OAuthError(
            .accessDenied, "The user has no device that can confirm this request")
        return AuthorizationAnswer(
            .respond(
                try await transactions.abandon(
                    transaction, error,
                    event: transactions.event(
                        .multiFactorFailed, transaction, now: now, details: ["reason": "no device can confirm it"]))))
    }

    // MARK: one-time password

    /// Checks a code of an authenticator (RFC 6238). Throws `InteractionFailure` for a wrong one; each is taken once.
    package func logIn(
        _ transaction: LoginTransaction, code typed: String, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        guard case .multiFactor(let factors) = transaction.step, factors.oneTimePassword, let user = transaction.user
        else { throw InteractionFailure.otherStep }
        let tenant = transaction.tenant
        let address = transaction.browser.remoteAddress
        let counter = AttemptCounter(
            store: transactions.store, hashing: transactions.hashing, tenant: tenant, now: now)
        try await counter.check(.oneTimePassword, account: user.id.rawValue, address: address)
        let code = typed.filter { $0 != " " }
        for kept in try await transactions.store.oneTimePasswords(of: user.id, tenant: tenant.id) {
            guard let step = try step(of: code, kept, tenant: tenant, now: now) else { continue }
            // Again, so that many guesses at once are no better than one after the other.
            try await counter.check(.oneTimePassword, account: user.id.rawValue, address: address)
            guard try await transactions.store.useOneTimePassword(kept.device, step: step, tenant: tenant.id) else {
                continue
            }
            try await counter.forgive(.oneTimePassword, account: user.id.rawValue, address: address)
            var event = transactions.event(
                .multiFactorSucceeded, transaction, now: now, details: ["factor": "otp"])
            event.device = kept.device
            try await transactions.store.record(event)
            return try await pass(transaction, by: Authentication.oneTimePassword, now: now)
        }
        let block = try await counter.count(
            .oneTimePassword, account: user.id.rawValue, address: address,
            event: transactions.event(.multiFactorFailed, transaction, now: now, details: ["factor": "otp"]))
        if let block {
            try await transactions.store.record(
                transactions.event(
                    block.event, transaction, now: now,
                    details: ["limit": .string(block.rawValue), "factor": "otp"]))
            if block != .addressInAll, let email = user.email.flatMap(EmailAddress.init) {
                let letter = mail.secondFactorBlocked(
                    to: email, user, address: address, forAll: block == .account, tenant: tenant)
                try await transactions.store.enqueue(try mail.sealed(letter, tenant: tenant, now: now))
            }
        }
        throw InteractionFailure(
            .wrongCode, en: "This code is wrong or was used before. Enter the one that is shown now.",
            fr: "Ce code est incorrect ou a déjà servi. Saisissez celui qui est affiché maintenant.")
    }

    /// The time step whose code it is; nil where it is none near now.
    private func step(
        of code: String, _ kept: DeviceOneTimePassword, tenant: Tenant, now: Timestamp
    ) throws -> Int64? {
        let secret = try sealer.open(
            kept.sealedSecret, context: DeviceOneTimePassword.sealingContext(tenant: tenant.id, device: kept.device))
        guard let password = OneTimePassword(secret: secret) else { return nil }
        let current = Int64(OneTimePassword.counter(at: now, period: Self.period))
        var found: Int64?
        for step in current - Int64(Self.window)...current + Int64(Self.window) where step >= 0 {
            let expected = password.code(counter: UInt64(step), hashing: transactions.hashing)
            if constantTimeEquals(Array(expected.utf8), Array(code.utf8)) { found = step }
        }
        return found
    }

    // MARK: a first device

    /// The URI whose QR code sets up a phone: the same one each time the page is shown. The login goes on as soon as
    /// the user has a device: `LoginTransactions.open` then finds another step.
    package func enrollment(
        _ transaction: LoginTransaction, now: Timestamp
    ) async throws -> (uri: EnrollmentURI, transaction: LoginTransaction) {
        guard transaction.step == .enrollDevice, let user = transaction.user, let owner = transaction.owner,
            let proven = transaction.progress.authentication(
                transaction.request, choices: transaction.choices, session: transaction.session, now: now)
        else { throw InteractionFailure.otherStep }
        let context =
            "login enrolment/\(transaction.tenant.id)/\(Hex.encode(transaction.stored.hash))/\(owner.user)"
        if let sealed = transaction.progress.belongings?.sealedEnrollment,
            let text = String(validating: try sealer.open(sealed, context: context).bytes, as: UTF8.self),
            let uri = try? EnrollmentURI(parsing: text)
        {
            return (uri, transaction)
        }
        let lifetime = (transaction.stored.expiresAt - now).milliseconds / 1000
        guard
            let uri = try await enroll.makeTicket(
                for: user.id, account: user.email ?? user.name, tenant: transaction.tenant, lifetime: Int(lifetime),
                loggingIn: proven, now: now)
        else { throw AuthorizationPageFailure.noTransaction }
        var transaction = transaction
        let sealed = try sealer.seal(Array(uri.text.utf8), context: context)
        transaction.progress.change(of: owner) { $0.sealedEnrollment = sealed }
        try await transactions.keep(&transaction)
        return (uri, transaction)
    }

    // MARK: both

    private func pass(
        _ transaction: LoginTransaction, by method: String, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        var transaction = transaction
        guard
            var authentication = transaction.progress.authentication(
                transaction.request, choices: transaction.choices, session: transaction.session, now: now)
        else { throw AuthorizationPageFailure.noTransaction }
        authentication.add(method)
        transaction.prove(authentication)
        var theirs = AuthorizationProgress.Belongings(
            of: transaction.progress.owner(authentication, session: transaction.session))
        theirs.gaveSecondFactor = true
        theirs.consented = transaction.progress.belongings?.consented
        transaction.progress.belongings = theirs
        return try await transactions.proceed(transaction, now: now)
    }
}
