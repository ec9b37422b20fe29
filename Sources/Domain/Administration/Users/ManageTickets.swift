import OAuthWire
import Audit
package import AuthorizationCore
package import Configuration
package import Localization
package import Primitives

/// Makes links for users: operators hand them on, or have them sent.
package struct ManageTickets: Sendable {
    /// Seconds that a ticket lives: 1…2592000, five days unless told.
    package static let lifetimeRange = 1...2_592_000
    package static let defaultLifetime = 432_000

    /// The link's secret, and where it leads.
    package struct Made: Sendable, Equatable {
        package let ticket: String
        package let link: String
    }

    /// What a ticket may be made with.
    package struct Options: Sendable {
        package var lifetime = ManageTickets.defaultLifetime
        package var resultURL: String?
        package var provesEmail = false
        package var isMailed = false
        /// The address for the mail, in place of the user's.
        package var email: String?
        package var language: Language?
        /// The client that it is made for, which has to be there.
        package var client: ClientID?
        /// The account that it is meant for, which has to be the one that the user was made of.
        package var identity: UserIdentity?

        package init() {}
    }

    private let store: any ConfigurationStore
    private let hashing: any Hashing
    private let random: any RandomSource
    private let letters: any TicketLetters

    package init(
        store: any ConfigurationStore, hashing: any Hashing, random: any RandomSource, letters: any TicketLetters
    ) {
        self.store = store
        self.hashing = hashing
        self.random = random
        self.letters = letters
    }

    /// `tenant` is as it was called, so that the link is under the same name.
    package func make(
        _ kind: UserTicket.Kind, for user: UserID, _ options: Options = Options(), tenant: Tenant,
        for context: AdministrativeContext
    ) async throws -> Made {
        guard Self.lifetimeRange.contains(options.lifetime) else {
            throw AdministrationFailure.invalid(
                "ttl_sec", "must be from \(Self.lifetimeRange.lowerBound) to \(Self.lifetimeRange.upperBound)")
        }
        let secret = Identifiers.ticket(random)
        let made = Made(ticket: secret, link: "\(Self.page(kind).url(below: tenant.issuer))?ticket=\(secret)")
        return try await store.change(for: context) { change in
            let record = try ManageUsers.record(of: user, change.transaction, context.tenant)
            try check(kind, record.user, options, change)
            let ticket = UserTicket(
                kind: kind, hash: hashing.sha256(Array(secret.utf8)), user: user, email: record.user.email,
                provesEmail: options.provesEmail, resultURL: options.resultURL, createdAt: context.now,
                expiresAt: context.now + .seconds(options.lifetime))
            try change.transaction.put(ticket, in: context.tenant)
            if options.isMailed {
                try mail(made.link, kind, record.user, options, tenant, change)
            }
            try change.record(kind, of: user)
            return made
        }
    }

    /// The database's user of an address.
    package func user(email: String, of tenant: TenantID) async throws -> UserID {
        guard let user = try await store.read({ try $0.user(email: email.lowercased(), in: tenant) }) else {
            throw AdministrationFailure.unknown(.user)
        }
        return user
    }

    private static func page(_ kind: UserTicket.Kind) -> HostedPath {
        switch kind {
        case .password: .resetPassword
        case .email: .verifyEmail
        case .enrollment: .enrollByTicket
        }
    }

    private func check(
        _ kind: UserTicket.Kind, _ user: User, _ options: Options, _ change: ConfigurationChange
    ) throws {
        switch kind {
        case .password where !user.isOfDatabase:
            throw AdministrationFailure.unsupported("A user of the connection \(user.connection) has no password here")
        case .email where user.email == nil:
            throw AdministrationFailure.unsupported("The user has no e-mail address")
        default: break
        }
        if let client = options.client, try change.transaction.client(client, of: change.tenant) == nil {
            throw AdministrationFailure.invalid("client_id", "is no client of this tenant")
        }
        // Addresses of accounts that were linked are their providers' to prove.
        if let identity = options.identity,
            identity.userID != UserIdentity(of: user).userID
                || identity.provider != UserIdentity(of: user).provider
        {
            throw AdministrationFailure.invalid("identity", "is not the account that the user was made of")
        }
        if let url = options.resultURL, try !isAllowed(url, change) {
            throw AdministrationFailure.invalid(
                "result_url", "is not among the allowed logout URLs of the tenant or of a client")
        }
    }

    /// Letter for letter, as for logouts: nobody is sent to a place that nobody registered.
    private func isAllowed(_ url: String, _ change: ConfigurationChange) throws -> Bool {
        let tenant = try change.transaction.tenant(change.tenant)?.settings.allowedLogoutURLs ?? []
        let clients = try change.transaction.clients(of: change.tenant).flatMap(\.allowedLogoutURLs)
        return (tenant + clients).contains { $0.utf8.elementsEqual(url.utf8) }
    }

    private func mail(
        _ link: String, _ kind: UserTicket.Kind, _ user: User, _ options: Options, _ tenant: Tenant,
        _ change: ConfigurationChange
    ) throws {
        guard let text = options.email ?? user.email, let address = EmailAddress(parsing: text) else {
            throw AdministrationFailure.invalid("email", "is required, because the user has none")
        }
        try change.transaction.enqueue(
            letters.letter(
                kind, to: address, user: user, link: link, language: options.language, tenant: tenant, now: change.now))
    }
}

extension ConfigurationChange {
    /// That a ticket was made; never the ticket.
    fileprivate func record(_ kind: UserTicket.Kind, of user: UserID) throws {
        let event: AuditEvent.Kind =
            switch kind {
            case .password: .passwordTicketCreated
            case .email: .changed
            case .enrollment: .enrollmentTicketCreated
            }
        try record(.created, .ticket, kind.rawValue, user: user, as: event)
    }
}
