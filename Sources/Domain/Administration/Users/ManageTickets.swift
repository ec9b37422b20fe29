import Audit
package import AuthorizationCore
package import Configuration
package import Localization
import OAuthWire
package import Primitives

/// Creates links for users, to pass on or to mail.
package struct ManageTickets: Sendable {
    /// Lifetime: `1...2592000` seconds, by default five days.
    package static let lifetimeRange = 1...2_592_000
    private static let defaultLifetime = 432_000

    /// The link and its secret.
    package struct Made: Sendable, Equatable {
        package let ticket: String
        package let link: String
        package let expiresAt: Timestamp
        /// Address that the link is mailed to. Nil means no mail.
        package let recipient: EmailAddress?
    }

    package struct Options: Sendable {
        /// Nil means the default: for a phone the tenant's setting, otherwise five days.
        package var lifetime: Int?
        package var resultURL: String?
        package var provesEmail = false
        package var isMailed = false
        /// For a phone: true if the user may have others.
        package var allowsMore = false
        /// For a phone: true if the user must have no other unused link to add one.
        package var isOnly = false
        /// Recipient, if not the user's address.
        package var email: EmailAddress?
        package var language: Language?
        /// The client that the ticket is for. It must exist.
        package var client: ClientID?
        /// The account that the ticket is for. It must be the user's original account.
        package var identity: UserIdentity?

        package init() {}
    }

    let store: any ConfigurationStore
    let hashing: any Hashing
    let random: any RandomSource
    let mails: any TicketMails

    /// `tenant` has the host of the call, so that the link has the same host. `configuration` is the tenant's, whose mail
    /// server and budget count before the mail is queued. Nil is for the operator, and for a mail that may wait.
    package func make(
        _ kind: UserTicket.Kind, for user: UserID, _ options: Options = Options(), tenant: Tenant,
        configuration: TenantConfiguration? = nil, for context: AdministrativeContext
    ) async throws -> Made {
        let preset = kind == .enrollment ? tenant.settings.enrollmentTicketLifetime : Self.defaultLifetime
        let lifetime = options.lifetime ?? preset
        guard Self.lifetimeRange.contains(lifetime) else {
            throw AdministrationFailure.invalid(
                "ttl_sec", "must be from \(Self.lifetimeRange.lowerBound) to \(Self.lifetimeRange.upperBound)")
        }
        let secret = Identifiers.ticket(random)
        let link = "\(Self.page(kind).url(below: tenant.issuer))?ticket=\(secret)"
        let expiresAt = context.now + .seconds(lifetime)
        return try await store.change(for: context) { change in
            let person = try change.user(user).orUnknown(.user)
            let record = person.user
            try check(kind, record, options, change)
            let ticket = UserTicket(
                kind: kind, hash: hashing.sha256(Array(secret.utf8)), user: user, email: record.email,
                provesEmail: options.provesEmail, resultURL: options.resultURL, createdAt: context.now,
                expiresAt: expiresAt, isForFirstDevice: kind == .enrollment && !options.allowsMore)
            try person.put(ticket)
            let recipient = options.isMailed ? try Self.recipient(of: kind, record, options) : nil
            if let recipient {
                try mails.admit(to: recipient, user: record, tenant: configuration, now: change.now)
                try person.enqueue(
                    mails.mail(
                        kind, to: recipient, user: record, link: link, lifetime: lifetime,
                        language: options.language, client: options.client, tenant: tenant, now: change.now))
            }
            try change.record(kind, of: user, mailedTo: recipient)
            return Made(ticket: secret, link: link, expiresAt: expiresAt, recipient: recipient)
        }
    }

    /// Database user with this address.
    package func user(email: EmailAddress, of tenant: TenantID) async throws -> UserID {
        try await store.read { try $0.user(email: email, in: tenant) }.orUnknown(.user)
    }

    private static func page(_ kind: UserTicket.Kind) -> HostedPath {
        switch kind {
        case .password: .resetPassword
        case .email: .verifyEmail
        case .enrollment: .enrollByTicket
        }
    }

    private func check(
        _ kind: UserTicket.Kind, _ user: User, _ options: Options, _ change: UserChange
    ) throws {
        switch kind {
        case .password where !user.isOfDatabase:
            throw AdministrationFailure.unsupported("A user of the connection \(user.connection) has no password here")
        case .enrollment where !options.allowsMore:
            guard try !change.reader.hasPhoneOrApp(user.id, in: change.tenant) else {
                throw AdministrationFailure.invalid(
                    "allow_multiple_enrollments",
                    "must be true for a user who has a phone or an authenticator app; or remove that first")
            }
        case .email where user.email == nil: throw AdministrationFailure.unsupported("The user has no e-mail address")
        default: break
        }
        if options.isOnly,
            try change.reader.hasEnrollmentTicket(of: user.id, in: change.tenant, now: change.now)
        {
            throw AdministrationFailure.conflict(.ticket, same: "user")
        }
        if let client = options.client,
            try change.reader.find(Client.self, client.rawValue, of: change.tenant) == nil
        {
            throw AdministrationFailure.invalid("client_id", "is no client of this tenant")
        }
        // Providers verify the addresses of linked accounts.
        if let identity = options.identity,
            identity.userID != UserIdentity(of: user).userID || identity.provider != UserIdentity(of: user).provider
        {
            throw AdministrationFailure.invalid("identity", "is not the account that the user was made of")
        }
        if let url = options.resultURL, try !isAllowed(url, change) {
            throw AdministrationFailure.invalid(
                "result_url", "is not among the allowed logout URLs of the tenant or of a client")
        }
    }

    /// Compares bytes, as for logouts: users are redirected only to registered URLs.
    private func isAllowed(_ url: String, _ change: UserChange) throws -> Bool {
        let tenant = try change.reader.tenant(change.tenant)?.settings.allowedLogoutURLs ?? []
        let clients = try change.reader.all(Client.self, of: change.tenant).flatMap(\.allowedLogoutURLs)
        return (tenant + clients).contains { $0.utf8.elementsEqual(url.utf8) }
    }

    /// Address to mail to. A phone's link lets its holder approve in the user's name, and an address that nobody
    /// confirmed may be another person's. Therefore the operator has to name such an address.
    private static func recipient(
        of kind: UserTicket.Kind, _ user: User, _ options: Options
    ) throws -> EmailAddress {
        if kind == .enrollment, options.email == nil, user.email != nil, !user.emailVerified {
            throw AdministrationFailure.invalid("email", "is required, because the user's address is not verified")
        }
        guard let address = options.email ?? user.email else {
            throw AdministrationFailure.invalid("email", "is required, because the user has none")
        }
        return address
    }
}

extension UserChange {
    /// Records the creation, never the ticket.
    fileprivate func record(_ kind: UserTicket.Kind, of user: UserID, mailedTo email: EmailAddress?) throws {
        let event: AuditEvent.Kind =
            switch kind {
            case .password: .passwordTicketCreated
            case .email: .changed
            case .enrollment: .enrollmentTicketCreated
            }
        var details = JSONObject()
        details["mailed_to"] = email.map { .string($0.description) }
        try record(
            context.event(
                .created, AuditEvent.Object(ObjectKind.ticket.rawValue, kind.rawValue), user: user, as: event,
                details: details))
    }
}

/// Composes and seals the mails with tickets' links.
package protocol TicketMails: Sendable {
    /// Throws if the mail must not be queued: to an address that the tenant may not name, or beyond a budget. `tenant` nil
    /// admits all.
    func admit(
        to email: EmailAddress, user: User, tenant: TenantConfiguration?, now: Timestamp
    ) throws(AdministrationFailure)

    /// The link works for `lifetime` seconds. `language` nil means the user's.
    func mail(
        _ kind: UserTicket.Kind, to email: EmailAddress, user: User, link: String, lifetime: Int, language: Language?,
        client: ClientID?, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail

    /// Reports an import of users to an administrator.
    func imported(
        _ counts: UserJob.Counts, to email: EmailAddress, user: User, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail
}

extension Managers {
    package var tickets: ManageTickets {
        ManageTickets(store: store, hashing: hashing, random: random, mails: mails)
    }
}
