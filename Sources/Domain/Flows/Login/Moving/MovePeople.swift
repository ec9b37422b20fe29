package import Audit
package import AuthorizationCore
import Localization
import Primitives

/// A user to be kept whom the old server had, and the entry about it.
package struct MovedUser: Sendable, Equatable {
    package let user: User
    package let metadata: UserMetadata
    package let authenticators: [NewAuthenticator]
    package let event: AuditEvent

    package init(
        user: User, metadata: UserMetadata, authenticators: [NewAuthenticator] = [], event: AuditEvent
    ) {
        self.user = user
        self.metadata = metadata
        self.authenticators = authenticators
        self.event = event
    }
}

/// Store port for moving people here from a tenant's old server.
package protocol MovingStore: AccountReader {
    /// Keeps a new user of the database. False, with nothing kept, if the address or the id is taken.
    func move(_ moved: MovedUser, passwordHash: String, tenant: TenantID) async throws -> Bool

    /// Gives a user the first password, and the authenticator apps in place of earlier ones of the old server, unless there is a
    /// phone or an app by an administrator. False if the user has a
    /// password by now, is blocked, or is not as `moved` says: address, roles and permissions.
    func keepFirstPassword(_ hash: String, of moved: MovedUser, tenant: TenantID) async throws -> Bool
}

/// Moves people here from the tenant's old server, of which they bring a password or, having forgotten it, an address.
///
/// The old server's word makes a user, or gives an imported user the first password. It never decides over an account that
/// has a password here, is blocked, has scopes of the Management API, or has another id than the old server's user.
struct MovePeople: Sendable {
    private static let reports = "old server"

    let store: any MovingStore
    let servers: OldServers
    let passwords: any PasswordHasher
    let sealer: any Sealer
    let random: any RandomSource
    let refusals: RefusalLog

    /// The old server's user of an address. With `password`, only if that is right. Nil if there is none. Throws
    /// `InteractionFailure` if it cannot say now, of which operator and log get the reason.
    func person(
        _ email: EmailAddress, password: String? = nil, from server: OldServer, of connection: LoginConnection,
        client: ClientID?, context: RequestContext
    ) async throws -> OldUser? {
        do throws(OldServerFailure) {
            let sealing = UpstreamProvider.sealingContext(tenant: context.tenant.id, connection: connection.name)
            guard let opened = try? sealer.open(server.sealedSecret, context: sealing),
                let secret = String(validating: opened.bytes, as: UTF8.self)
            else { throw .secret }
            let question = OldServers.Question(email: email, password: password, connection: connection.name)
            return try await servers.answer(to: question, by: server, secret: secret, context)
        } catch {
            try await refusals.record(
                context.refusal(
                    .oldServerFailed, client: client,
                    details: ["connection": .string(connection.name), "reason": .string(error.detail)]),
                of: Self.reports)
            throw InteractionFailure(
                error.isAboutPerson ? .unfitAnswer : .silentServer, localized.failure.silentServer)
        }
    }

    /// True if the old server may speak for an address: it has no account here, or one that was imported without a
    /// password and gives no rights over others.
    func mayMove(_ known: User?, _ context: RequestContext) -> Bool {
        guard let known else { return true }
        return !known.blocked
            && context.configuration.permissions(of: known, at: context.tenant.managementAudience).isEmpty
    }

    /// The account of a person who brought the right password of the old server. `known` is the account of their address.
    /// Nil if the person cannot have that account, which the log says.
    func account(
        of person: OldUser, password: Password, known: User?, connection: LoginConnection, client: ClientID?,
        context: RequestContext
    ) async throws -> Account? {
        let id = person.user.id
        guard known.map({ $0.id == id }) ?? true else {
            return try await refuse(person, "the account here has another id", connection, client, context)
        }
        let hash = try await passwords.hash(password)
        let event = event(id, "password", .logins, connection, client, context)
        let isMoved: Bool
        if let known {
            isMoved = try await store.keepFirstPassword(
                hash, of: moved(person, as: known, event, context), tenant: context.tenant.id)
        } else {
            isMoved = try await store.move(
                moved(person, as: person.user, event, context), passwordHash: hash, tenant: context.tenant.id)
        }
        // Somebody else may have been faster: the same person in another window, whose password is the same.
        guard let email = person.user.email,
            let account = try await store.account(email: email, tenant: context.tenant.id), account.user.id == id,
            let kept = account.passwordHash
        else { return try await refuse(person, "the id or the address is taken", connection, client, context) }
        if isMoved { return account }
        guard try await passwords.verify(password, against: kept) != .none else {
            return try await refuse(person, "the account here has another password", connection, client, context)
        }
        return account
    }

    /// A user to be kept with the link for a new password.
    func moved(
        _ person: OldUser, connection: LoginConnection, client: ClientID?, context: RequestContext
    ) throws -> MovedUser {
        let event = event(person.user.id, "address", .bruteForce, connection, client, context)
        return try moved(person, as: person.user, event, context)
    }

    /// The old server's person of an account that is here, to whom its authenticator apps belong. Nil if they do not.
    func joined(_ moved: MovedUser?, _ known: User?, _ context: RequestContext) -> MovedUser? {
        guard let moved, let known, known.id == moved.user.id, mayMove(known, context) else { return nil }
        return moved
    }

    private func moved(
        _ person: OldUser, as user: User, _ event: AuditEvent, _ context: RequestContext
    ) throws -> MovedUser {
        let tenant = context.tenant.id
        return MovedUser(
            user: user, metadata: person.metadata,
            authenticators: try person.authenticators.map {
                try NewAuthenticator($0, of: person.user.id, tenant: tenant, at: context.now, sealer, random)
            }, event: event)
    }

    private func event(
        _ user: UserID, _ proof: String, _ limit: AuditCharge.Limit, _ connection: LoginConnection,
        _ client: ClientID?, _ context: RequestContext
    ) -> AuditEvent {
        context.event(
            .moved, charge: .limited(by: limit), user: user, client: client,
            details: ["connection": .string(connection.name), "by": .string(proof)])
    }

    private func refuse(
        _ person: OldUser, _ reason: String, _ connection: LoginConnection, _ client: ClientID?,
        _ context: RequestContext
    ) async throws -> Account? {
        try await refusals.record(
            context.refusal(
                .moveRefused, client: client,
                details: [
                    "connection": .string(connection.name), "old_id": .string(person.user.id.rawValue),
                    "email": .string(person.user.accountName), "reason": .string(reason),
                ]), of: Self.reports)
        return nil
    }
}
