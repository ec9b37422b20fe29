package import AuthorizationCore
package import Primitives

/// A user whom the administrator of a change may change: the administrator has every Management API scope that the user
/// has. Only a ``UserChange`` makes one, and nothing else writes a user's data. So nobody becomes a person who may do
/// more: by a new password, a link, a phone, an account or an address.
package struct AdministeredUser {
    /// As read.
    package let user: User
    package let passwordHash: String?
    private let transaction: any UserTransaction
    private let context: AdministrativeContext

    init(
        _ user: User, _ passwordHash: String?, _ transaction: any UserTransaction, _ context: AdministrativeContext
    ) throws {
        self.user = user
        self.passwordHash = passwordHash
        self.transaction = transaction
        self.context = context
        try requireOwn(user, to: "changing a user who has more rights")
    }

    package var id: UserID { user.id }
    private var tenant: TenantID { context.tenant }
    private var now: Timestamp { context.now }

    package func record() throws -> UserRecord? { try transaction.record(of: id, in: tenant) }

    // MARK: the account

    /// Refuses permissions and roles that the administrator lacks.
    package func put(_ new: User, passwordHash: String?) throws {
        try requireGivable(new)
        try transaction.put(new, passwordHash: passwordHash, in: tenant)
    }

    package func put(_ metadata: UserMetadata) throws { try transaction.put(metadata, of: id, in: tenant) }

    /// Refuses roles with Management API scopes that the administrator lacks.
    package func put(roles: [RoleID]) throws {
        var new = user
        new.roles = roles
        try requireGivable(new)
        try transaction.put(roles: roles, of: id, in: tenant, now: now)
    }

    private func requireGivable(_ new: User) throws {
        try requireOwn(new, to: "giving a user scopes of the Management API")
    }

    private func requireOwn(_ user: User, to purpose: String) throws {
        if context.isOperator { return }
        try context.requireOwn(transaction.managementScopes(of: user, in: tenant), to: purpose)
    }

    /// Deletes all the user's data.
    package func remove() throws { _ = try transaction.remove(user: id, from: tenant) }

    /// Deletes the user's requests. Returns the SHA-256 of each `auth_req_id`.
    package func removeRequests() throws -> [[UInt8]] { try transaction.removeRequests(to: id, in: tenant) }

    /// True if decisions of the user are kept for receipts.
    package func keepsDecisions() throws -> Bool { try transaction.keepsDecisions(of: id, in: tenant, now: now) }

    /// Needs a free identity.
    package func link(_ identity: UserIdentity) throws { try transaction.link(identity, to: id, in: tenant) }

    /// False if not linked to the user.
    package func unlink(_ identity: UserIdentity) throws -> Bool {
        try transaction.unlink(identity, from: id, in: tenant)
    }

    /// Returns the number of counts.
    package func forgetAttempts(at account: AttemptKey) throws -> Int {
        try transaction.forgetAttempts(at: account, in: tenant)
    }

    // MARK: tickets

    /// Replaces the user's earlier ticket of its kind, except enrolment tickets. Another user's ticket is refused.
    package func put(_ ticket: UserTicket) throws {
        guard ticket.user == id else { throw AdministrationFailure.unknown(.user) }
        try transaction.put(ticket, in: tenant)
    }

    package func enqueue(_ mail: SealedMail) throws { try transaction.enqueue(mail) }

    /// Deletes the user's unused tickets.
    package func removeTickets() throws { try transaction.removeTickets(of: id, in: tenant) }

    // MARK: sessions and tokens

    /// As ``UserTransaction/endAccess(of:in:now:)``.
    package func endAccess() throws { try transaction.endAccess(of: id, in: tenant, now: now) }

    /// Notifies its clients. False if it is no active session of the user.
    package func end(session: SessionID) throws -> Bool {
        guard let known = try transaction.session(session, in: tenant, now: now),
            known.session.authentication.user == id
        else { return false }
        return try transaction.end(session: session, in: tenant, now: now) != nil
    }

    /// As ``UserTransaction/endUnfinished(of:session:in:)``.
    package func endUnfinished(session: SessionID?) throws {
        try transaction.endUnfinished(of: id, session: session, in: tenant)
    }

    /// As ``UserTransaction/endTokens(of:session:in:now:)``.
    package func endTokens(session: SessionID?) throws {
        try transaction.endTokens(of: id, session: session, in: tenant, now: now)
    }

    /// Revokes the user's tokens that match. Returns their ids.
    package func removeRefreshTokens(
        _ filter: RefreshTokenFilter, tokensExpireAt: Timestamp
    ) throws -> [AuthorizationID] {
        var own = filter
        own.user = id
        return try transaction.removeRefreshTokens(own, from: tenant, tokensExpireAt: tokensExpireAt)
    }

    /// Sets applications' metadata. False if it is no token of the user.
    package func put(metadata: JSONObject, ofRefreshToken token: AuthorizationID) throws -> Bool {
        let own = RefreshTokenFilter(ids: [token], user: id)
        guard try !transaction.refreshTokens(own, in: tenant, limit: 1, now: now).isEmpty else { return false }
        return try transaction.put(metadata: metadata, ofRefreshToken: token, in: tenant)
    }

    /// Also revokes the consents' tokens and codes. Returns the number of consents.
    package func removeConsents(_ filter: ConsentFilter) throws -> Int {
        var own = filter
        own.user = id
        return try transaction.removeConsents(own, from: tenant, now: now)
    }

    // MARK: factors

    /// As ``UserTransaction/remove(device:from:now:)``. False if it is no device of the user.
    package func remove(device: DeviceID) throws -> Bool {
        guard try owns(device) else { return false }
        return try transaction.remove(device: device, from: tenant, now: now)
    }

    /// False if it is no device of the user.
    package func put(name: String, ofDevice device: DeviceID) throws -> Bool {
        guard try owns(device) else { return false }
        try transaction.put(name: name, ofDevice: device, in: tenant)
        return true
    }

    private func owns(_ device: DeviceID) throws -> Bool {
        try transaction.device(device, in: tenant)?.device.user == id
    }

    /// As ``UserTransaction/remove(passkey:of:from:now:)``. False if there is none.
    package func remove(passkey: [UInt8]) throws -> Bool {
        try transaction.remove(passkey: passkey, of: id, from: tenant, now: now)
    }

    /// As ``UserTransaction/removeOneTimePasswords(of:of:in:now:)``.
    package func removeOneTimePasswords(of device: DeviceID) throws {
        try transaction.removeOneTimePasswords(of: device, of: id, in: tenant, now: now)
    }

    /// Refuses more than a user has at most.
    package func add(_ new: NewAuthenticator) throws {
        guard new.authenticator.user == id else { throw AdministrationFailure.unknown(.user) }
        guard try transaction.authenticators(of: id, in: tenant).count < Authenticator.limit else {
            throw AdministrationFailure.unsupported("The user has \(Authenticator.limit) authenticator apps, the most")
        }
        try transaction.add(new, in: tenant)
    }

    /// As ``UserTransaction/remove(authenticator:of:from:now:)``.
    package func remove(authenticator: AuthenticatorID) throws -> Bool {
        try transaction.remove(authenticator: authenticator, of: id, from: tenant, now: now)
    }

    /// As ``UserTransaction/replaceRecoveryCodes(of:by:in:now:)``.
    package func replaceRecoveryCodes(by hashes: [[UInt8]]) throws {
        try transaction.replaceRecoveryCodes(of: id, by: hashes, in: tenant, now: now)
    }

    /// False if the user's device has a key already.
    package func add(_ credential: DeviceCredential) throws -> Bool {
        guard credential.user == id else { return false }
        return try transaction.add(credential, in: tenant)
    }
}

extension UserReader {
    /// Scopes of the tenant's Management API that the user has, directly or by roles.
    package func managementScopes(of user: User, in tenant: TenantID) throws -> Set<String> {
        if user.roles.isEmpty && user.permissions.isEmpty { return [] }
        let roles = user.roles.map { ConfigurationPart.object(.role, id: $0.rawValue) }
        let draft = try draft(of: tenant, Set([.tenant] + roles))
        guard let tenant = try draft.tenant() else { throw AdministrationFailure.unknown(.tenant) }
        let held = try user.roles.compactMap { try draft.find(Role.self, $0.rawValue)?.permissions }
        return tenant.managementScopes(in: user.permissions.union(held.joined()))
    }

    /// Management API scopes that any user of the tenant has.
    package func managementScopes(ofAnybodyIn id: TenantID) throws -> Set<String> {
        let draft = try draft(of: id, [.tenant, .kind(.role)])
        guard let tenant = try draft.tenant() else { throw AdministrationFailure.unknown(.tenant) }
        var scopes = tenant.managementScopes(in: try permissionsOfUsers(in: id))
        for role in try draft.all(Role.self) {
            let own = tenant.managementScopes(in: role.permissions)
            guard !own.isSubset(of: scopes), try memberCount(of: role.id, in: id) > 0 else { continue }
            scopes.formUnion(own)
        }
        return scopes
    }
}

extension Tenant {
    /// Scopes of the tenant's Management API among permissions.
    package func managementScopes(in permissions: Set<Role.Permission>) -> Set<String> {
        let audience = managementAudience
        return Set(permissions.lazy.filter { $0.resourceServer == audience }.map(\.scope))
    }
}
