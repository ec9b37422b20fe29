package import Audit
package import AuthorizationCore
package import Localization
package import Primitives

/// Store port for setting a new password.
package protocol RecoverPasswordStore: AccountReader, AttemptStore {
    /// Counts as `countFailure` does. If no count is above its limit then, keeps the ticket to set a password, in place
    /// of the user's earlier ones, and the mail that brings it. `event` gets whether it was kept. All is one change: a
    /// request for nobody leaves nothing but the counts. A ticket of somebody who is not here yet needs `moved`, who is
    /// kept with it, without a password. The ticket is not kept if the address or the id of that person is taken. `joined`, who is here without a
    /// password, gets the authenticator apps with the ticket, unless there is a phone or an app by an administrator.
    func createPasswordTicket(
        _ ticket: PasswordTicket?, of moved: MovedUser?, joining joined: MovedUser?, mail: SealedMail,
        counting limits: [AttemptLimit],
        tenant: TenantID, now: Timestamp, windowStart: Timestamp,
        event: @escaping @Sendable (_ isKept: Bool) -> AuditEvent?
    ) async throws

    /// An unused ticket. Nil if there is none, it expired, or the user has another address by now.
    func passwordTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> PasswordTicket?

    /// Uses the ticket up, sets the password, and ends the user's access: sessions, refresh tokens and codes, with the
    /// access tokens of the same authorizations, logins that are under way, and enrolment tickets. Keeps notices for the
    /// sessions' clients. A ticket that proves the e-mail address marks it as verified. If it was not verified before,
    /// somebody else may have signed up with it: then linked identities, passkeys of the account page, authenticator apps that no administrator gave and devices that
    /// were enrolled in a login go as well, and the mail that `notice` makes of them is kept, if any went. Failed attempts at `key` are forgotten, as by
    /// `clearFailures`. False if `passwordTicket` would have found none.
    func setPassword(
        _ hash: String, ticket: [UInt8], forgiving key: AttemptKey?, tenant: TenantID, now: Timestamp,
        event: AuditEvent, notice: @escaping @Sendable (RemovedAccess) throws -> SealedMail?
    ) async throws -> Bool
}

/// Devices, passkeys, authenticator apps and identities that a new password removes from an account whose address was not proven before.
package struct RemovedAccess: Sendable, Equatable {
    package struct Device: Sendable, Equatable {
        package let id: DeviceID
        package let name: String

        package init(id: DeviceID, name: String) {
            self.id = id
            self.name = name
        }
    }

    package let devices: [Device]
    /// Their names.
    package let passkeys: [String]
    /// Their names. Nil for one without.
    package let authenticators: [String?]
    package let identities: [UpstreamIdentity]

    package init(
        devices: [Device], passkeys: [String] = [], authenticators: [String?] = [], identities: [UpstreamIdentity]
    ) {
        self.devices = devices
        self.passkeys = passkeys
        self.authenticators = authenticators
        self.identities = identities
    }

    package var isEmpty: Bool { devices.isEmpty && passkeys.isEmpty && authenticators.isEmpty && identities.isEmpty }
}

/// Lets its holder set a user's password.
package struct PasswordTicket: Sendable, Equatable {
    /// SHA-256 of the ticket.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let user: UserID
    /// The user's address when the ticket was made. With another address the ticket is worth nothing.
    package let email: EmailAddress?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// True if the ticket went to the user's e-mail address and to nobody else.
    package let provesEmail: Bool
    /// Address that the browser goes to afterwards.
    package let resultURL: String?
    /// The client that the user was logging in to. Nil if it is not known.
    package let client: ClientID?

    package init(
        hash: [UInt8], tenant: TenantID, user: UserID, email: EmailAddress?, createdAt: Timestamp, expiresAt: Timestamp,
        provesEmail: Bool = true, resultURL: String? = nil, client: ClientID? = nil
    ) {
        self.hash = hash
        self.tenant = tenant
        self.user = user
        self.email = email
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.provesEmail = provesEmail
        self.resultURL = resultURL
        self.client = client
    }
}

/// Sets a new password by a link that goes to the user's e-mail address.
package struct RecoverPassword: Sendable {
    /// Seconds that the link works.
    package static let ticketLifetime = 3600
    /// Links for an account within the window because of one address, and in all. A stranger who uses up the first leaves
    /// the owner theirs from elsewhere. One who uses up the second, from many addresses, leaves the last link in the
    /// owner's mailbox, which works for longer than the window.
    static let ticketLimit = 5
    static let ticketLimitInAll = 20

    let store: any RecoverPasswordStore
    let passwords: any PasswordHasher
    let hashing: any Hashing
    let random: any RandomSource
    let moving: MovePeople
    let mail: MailComposer
    let refusals: RefusalLog

    /// Sends a link to an account's address. The answer and the work are the same without such an account, so that
    /// neither the page nor its time tells whether one exists. Throws `InteractionFailure` for a text that is no e-mail
    /// address, and for a network address that asked too often, for any account. `client` is the client of the
    /// login to which the person returns afterwards. Nil means that there is none.
    ///
    /// If the tenant moves people from an old server, that is called for every address, so that neither page nor time
    /// tells who is here already.
    package func request(
        email typed: String, language: Language, client: ClientID? = nil, context: RequestContext
    ) async throws {
        guard let email = EmailAddress(parsing: typed) else { throw InteractionFailure.email }
        let (tenant, now, address) = (context.tenant, context.now, context.remoteAddress ?? "")
        let settings = tenant.settings.bruteForceProtection
        let window = min(settings.window, Self.ticketLifetime)
        let windowStart = now - .seconds(window)
        let ofAddress = AttemptLimit(
            AttemptKey(.passwordReset, from: address, hashing: hashing), settings.attemptsPerAddressInAll)
        // An address over its limit writes nothing any more.
        let before = try await store.failures([ofAddress.key], tenant: tenant.id, windowStart: windowStart)
        if let attempts = before.first, attempts.count >= ofAddress.limit {
            throw InteractionFailure.tooManyFromAddress(wait: attempts.wait(window: window, now: now))
        }
        let limits = [
            ofAddress,
            AttemptLimit(
                AttemptKey(.passwordReset, account: email.description, from: address, hashing: hashing),
                Self.ticketLimit),
            AttemptLimit(
                AttemptKey(.passwordReset, account: email.description, hashing: hashing), Self.ticketLimitInAll),
        ]
        let account = try await store.account(email: email, tenant: tenant.id)
        let known = account?.user
        let old = try await oldUser(email, limits, client, context, windowStart: windowStart)
        // A first password would end the old server's word, and with it a second factor that it may know.
        let waits = old.failure != nil && account?.passwordHash == nil && moving.mayMove(known, context)
        let user = known ?? old.moved?.user
        // Written and sealed for everybody; thrown away if there is no account.
        let ticket = Identifiers.ticket(random)
        let sealed = try mail.sealed(
            mail.passwordReset(
                to: email, isVerified: user?.emailVerified == true, ticket: ticket,
                language: user?.language ?? language, client: client, tenant: tenant),
            tenant: tenant, now: now)
        let kept = user.flatMap { user in
            user.blocked || old.isTooMuch || waits
                ? nil
                : PasswordTicket(
                    hash: hashing.digest(ticket), tenant: tenant.id, user: user.id, email: user.email,
                    createdAt: now, expiresAt: now + .seconds(Self.ticketLifetime), client: client)
        }
        // Requests are anonymous: they share one log budget whether or not the account exists.
        let admission = refusals.admitAnonymous(to: tenant.id, now: now)
        try await store.createPasswordTicket(
            kept, of: known == nil ? old.moved : nil,
            joining: moving.joined(old.moved, known, context), mail: sealed,
            counting: old.isCounted ? [] : limits,
            tenant: tenant.id, now: now, windowStart: windowStart
        ) { isKept in
            var refusal = context.refusal(
                isKept ? .passwordChangeRequested : .passwordChangeRefused, user: isKept ? user?.id : known?.id,
                details: ["email": .string(email.description)])
            if !isKept {
                refusal.details["reason"] = .string(Self.reason(known, old))
            }
            return admission?.entry(refusal)
        }
        if let failure = old.failure { throw failure }
    }

    /// Reason that no ticket was kept.
    private static func reason(_ known: User?, _ old: OldWord) -> String {
        if let known {
            return known.blocked
                ? "user is blocked" : old.failure == nil ? "too many requests" : "the old server does not answer"
        }
        if old.isTooMuch { return "too many requests" }
        return old.moved == nil ? "no such user" : "the id of the old server is taken"
    }

    /// The old server's word on an address.
    private struct OldWord {
        var moved: MovedUser?
        /// The old server cannot say now. Reported to everybody, after the mail to those who are here.
        var failure: InteractionFailure?
        var isCounted = false
        var isTooMuch = false
    }

    /// Counts the request before the call. One beyond a limit makes none.
    private func oldUser(
        _ email: EmailAddress, _ limits: [AttemptLimit], _ client: ClientID?, _ context: RequestContext,
        windowStart: Timestamp
    ) async throws -> OldWord {
        guard let connection = context.configuration.connections.first(where: \.isDatabase),
            let server = connection.oldServer
        else { return OldWord() }
        let counts = try await store.countFailure(
            limits, tenant: context.tenant.id, now: context.now, windowStart: windowStart, event: nil)
        var word = OldWord(isCounted: true)
        guard zip(counts, limits).allSatisfy({ $0 <= $1.limit }) else {
            word.isTooMuch = true
            return word
        }
        do {
            word.moved = try await moving.person(
                email, from: server, of: connection, client: client, context: context
            ).map { try moving.moved($0, connection: connection, client: client, context: context) }
        } catch let failure as InteractionFailure {
            word.failure = failure
        }
        return word
    }

    /// The user whose password the link sets, and the browser's next address: `resultURL`, or else `client`'s. Throws
    /// `AuthorizationPageFailure` if the link does not work any more.
    package func user(
        ticket: String, context: RequestContext
    ) async throws -> (user: User, resultURL: String?, client: ClientID?) {
        let tenant = context.tenant.id
        guard
            let kept = try await store.passwordTicket(hashing.digest(ticket), tenant: tenant, now: context.now),
            let account = try await store.account(kept.user, tenant: tenant), !account.user.blocked
        else { throw AuthorizationPageFailure.unknownTicket }
        return (account.user, kept.resultURL, kept.client)
    }

    /// Uses the link up; ends the user's refresh tokens and sessions, and keeps notices for their clients. Throws
    /// `InteractionFailure` for a password that cannot be used (the link still works then), `AuthorizationPageFailure` for
    /// a link that does not work.
    package func reset(ticket: String, password text: String, context: RequestContext) async throws {
        let user = try await user(ticket: ticket, context: context).user
        let (tenant, now) = (context.tenant, context.now)
        let password = Password(text)
        let objections = PasswordPolicy(minimumLength: tenant.settings.passwordMinimumLength)
            .objections(to: password, email: user.email)
        guard objections.isEmpty else { throw InteractionFailure(.password, objections) }
        let hash = try await passwords.hash(password)
        // Forgives every address: a person who reads the account's mail owns it, and may log in from elsewhere.
        let attempts = AttemptKey(.password, account: user.passwordSubject, hashing: hashing)
        let isSet = try await store.setPassword(
            hash, ticket: hashing.digest(ticket), forgiving: attempts, tenant: tenant.id, now: now,
            event: context.event(.passwordChanged, charge: .once(.ticket), user: user.id)
        ) { [mail] removed in
            guard let email = user.email else { return nil }
            return try mail.sealed(
                mail.accessRemoved(removed, from: user, to: email, tenant: tenant), tenant: tenant, now: now)
        }
        guard isSet else { throw AuthorizationPageFailure.unknownTicket }
    }
}
