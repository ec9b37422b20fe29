package import AuthorizationCore
package import Configuration
package import Primitives

/// Looks after users: who there is, what is kept of them, and whether they may log in.
package struct ManageUsers: Sendable {
    let store: any ConfigurationStore
    let passwords: any PasswordHasher
    let random: any RandomSource

    package init(
        store: any ConfigurationStore, passwords: any PasswordHasher, random: any RandomSource
    ) {
        self.store = store
        self.passwords = passwords
        self.random = random
    }

    package func user(_ id: UserID, of tenant: TenantID) async throws -> UserRecord {
        try await store.read { try Self.record(of: id, $0, tenant) }
    }

    /// Users of an e-mail address, in whatever case it is written.
    package func users(email: String, of tenant: TenantID) async throws -> [UserRecord] {
        let email = email.lowercased()
        return try await store.read { reader in
            try reader.users(email: email, in: tenant).map { try Self.record(of: $0, reader, tenant) }
        }
    }

    /// With everything of theirs. Nothing happens where there is no such user. Returns what is kept of the `auth_req_id` of
    /// each request that is gone: who polls for it is to hear of it.
    package func remove(_ id: UserID, for context: AdministrativeContext) async throws -> [[UInt8]] {
        try await store.change(for: context) { change in
            guard try change.transaction.user(id, in: context.tenant) != nil else { return [] }
            return try Self.remove(id, change)
        }
    }

    /// Removes a user that is there.
    static func remove(_ id: UserID, _ change: ConfigurationChange) throws -> [[UInt8]] {
        try change.transaction.endAccess(of: id, in: change.tenant, now: change.now)
        let requests = try change.transaction.removeRequests(to: id, in: change.tenant)
        _ = try change.transaction.remove(user: id, from: change.tenant)
        try change.record(.removed, .user, id.rawValue, user: id)
        return requests
    }

    static func record(
        of id: UserID, _ reader: any UserReader, _ tenant: TenantID
    ) throws -> UserRecord {
        guard let record = try reader.record(of: id, in: tenant) else { throw AdministrationFailure.unknown(.user) }
        return record
    }
}
