package import Audit
package import AuthorizationCore
package import OAuthWire
package import Primitives

/// Sets a new password by a link that goes to the user's e-mail address.
package struct RecoverPassword: Sendable {
    /// Seconds that the link works.
    package static let ticketLifetime = 3600
    /// Links an account gets within the window because of one address, and in all. Whoever uses up the first leaves the
    /// owner theirs from elsewhere; whoever uses up the second, from many addresses, leaves the last link in the owner's
    /// mailbox, which works for longer than the window.
    static let ticketLimit = 5
    static let ticketLimitInAll = 20

    private let store: any AccountStore
    private let passwords: any PasswordHasher
    private let hashing: any Hashing
    private let random: any RandomSource
    private let mail: MailComposer
    private let refusals: RefusalLog

    package init(
        store: any AccountStore, passwords: any PasswordHasher, hashing: any Hashing, random: any RandomSource,
        mail: MailComposer, refusals: RefusalLog
    ) {
        self.store = store
        self.passwords = passwords
        self.hashing = hashing
        self.random = random
        self.mail = mail
        self.refusals = refusals
    }

    /// "I forgot my password". Says nothing of whether there is such an account: the answer is always that a mail was
    /// sent if there is, and the work is the same, so that its time tells nothing either. Throws `InteractionFailure`
    /// for what is no e-mail address, and for an address that asked too often, whomever it asked for. `client` is the one
    /// whose login the person comes from, and goes on to afterwards; nil if there is none.
    package func request(
        email typed: String, language: Language, client: ClientID? = nil, tenant: Tenant, remoteAddress: String,
        now: Timestamp
    ) async throws {
        guard let email = EmailAddress(parsing: typed) else { throw InteractionFailure.email }
        let settings = tenant.settings.bruteForceProtection
        let window = min(settings.window, Self.ticketLifetime)
        let windowStart = now - .seconds(window)
        let ofAddress = AttemptLimit(
            AttemptKey(.passwordReset, from: remoteAddress, hashing: hashing), settings.attemptsPerAddressInAll)
        // Whoever is over it writes nothing any more.
        let before = try await store.failures([ofAddress.key], tenant: tenant.id, windowStart: windowStart)
        if let attempts = before.first, attempts.count >= ofAddress.limit {
            throw InteractionFailure.tooManyFromAddress(wait: attempts.wait(window: window, now: now))
        }
        let account = try await store.account(email: email.description, tenant: tenant.id)
        let user = account?.user
        // Written and sealed for everybody; thrown away where it is for nobody.
        let ticket = Identifiers.ticket(random)
        let letter = try mail.sealed(
            mail.passwordReset(to: email, ticket: ticket, language: user?.language ?? language, tenant: tenant),
            tenant: tenant, now: now)
        let kept = user.flatMap { user in
            user.blocked
                ? nil
                : PasswordTicket(
                    hash: hashing.sha256(Array(ticket.utf8)), tenant: tenant.id, user: user.id, email: user.email,
                    createdAt: now, expiresAt: now + .seconds(Self.ticketLifetime), client: client)
        }
        // Whoever asks need not be anybody, so that entries are few whether or not there is such an account.
        let admission = refusals.admitAnonymous(to: tenant.id, now: now)
        try await store.createPasswordTicket(
            kept, mail: letter,
            counting: [
                ofAddress,
                AttemptLimit(
                    AttemptKey(.passwordReset, account: email.description, from: remoteAddress, hashing: hashing),
                    Self.ticketLimit),
                AttemptLimit(
                    AttemptKey(.passwordReset, account: email.description, hashing: hashing), Self.ticketLimitInAll),
            ], tenant: tenant.id, now: now, windowStart: windowStart
        ) { isKept in
            var event = AuditEvent(
                isKept ? .passwordChangeRequested : .passwordChangeRefused, tenant: tenant.id, at: now, user: user?.id,
                remoteAddress: remoteAddress, details: ["email": .string(email.description)])
            if !isKept {
                let reason =
                    kept == nil ? (user == nil ? "no such user" : "user is blocked") : "too many requests"
                event.details["reason"] = .string(reason)
            }
            return admission?.entry(event)
        }
    }

    /// The user whose password the link sets, and the browser's way on: to `resultURL`, or else to `client`. Throws
    /// `AuthorizationPageFailure` where it does not work any more.
    package func user(
        ticket: String, tenant: Tenant, now: Timestamp
    ) async throws -> (user: User, resultURL: String?, client: ClientID?) {
        guard
            let kept = try await store.passwordTicket(hashing.sha256(Array(ticket.utf8)), tenant: tenant.id, now: now),
            let account = try await store.account(kept.user, tenant: tenant.id), !account.user.blocked
        else { throw AuthorizationPageFailure.unknownTicket }
        return (account.user, kept.resultURL, kept.client)
    }

    /// Uses the link up; ends the user's refresh tokens and sessions, whose clients are told. Throws `InteractionFailure` for a password that cannot be used (the link still
    /// works then), `AuthorizationPageFailure` for a link that does not work.
    package func reset(
        ticket: String, password: String, tenant: Tenant, remoteAddress: String, now: Timestamp
    ) async throws {
        let user = try await user(ticket: ticket, tenant: tenant, now: now).user
        let objections = PasswordPolicy(minimumLength: tenant.settings.passwordMinimumLength)
            .objections(to: password, email: user.email.flatMap(EmailAddress.init))
        guard objections.isEmpty else { throw InteractionFailure(.password, objections) }
        let hash = try await passwords.hash(SecretBytes(utf8: password))
        let event = AuditEvent(
            .passwordChanged, tenant: tenant.id, at: now, user: user.id, remoteAddress: remoteAddress)
        // From every address: whoever reads the account's mail has just proved to own it, and may log in elsewhere.
        let attempts = user.email.map { AttemptKey(.password, account: $0, hashing: hashing) }
        let isSet = try await store.setPassword(
            hash, ticket: hashing.sha256(Array(ticket.utf8)), forgiving: attempts, tenant: tenant.id, now: now,
            event: event
        ) { [mail] removed in
            guard let email = user.email.flatMap(EmailAddress.init) else { return nil }
            return try mail.sealed(
                mail.accessRemoved(removed, from: user, to: email, tenant: tenant), tenant: tenant, now: now)
        }
        guard isSet else { throw AuthorizationPageFailure.unknownTicket }
    }
}
