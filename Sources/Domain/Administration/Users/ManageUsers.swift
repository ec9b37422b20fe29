package import AuthorizationCore
package import Configuration
import Primitives

/// Manages users: profiles, metadata and blocks.
package struct ManageUsers: Sendable {
    let store: any ConfigurationStore
    let passwords: any PasswordHasher
    let random: any RandomSource

    package func user(_ id: UserID, of tenant: TenantID) async throws -> UserRecord {
        try await store.read { try Self.record(of: id, $0, tenant) }
    }

    /// Users with an e-mail address.
    package func users(email: EmailAddress, of tenant: TenantID) async throws -> [UserRecord] {
        try await store.read { reader in
            try reader.users(email: email, in: tenant).map { try Self.record(of: $0, reader, tenant) }
        }
    }

    /// Users with a phone number.
    package func users(phoneNumber: String, of tenant: TenantID) async throws -> [UserRecord] {
        try await store.read { reader in
            try reader.users(identifier: phoneNumber, in: tenant).map { try Self.record(of: $0, reader, tenant) }
                .filter { $0.user.phoneNumber == phoneNumber }
        }
    }

    /// Deletes the user with all their data, if the user exists. Returns the stored form of each deleted request's
    /// `auth_req_id`, to wake its polls.
    package func remove(_ id: UserID, for context: AdministrativeContext) async throws -> [[UInt8]] {
        try await store.change(for: context) { change in
            guard let user = try change.user(id) else { return [] }
            return try Self.remove(user, change)
        }
    }

    /// Deletes an existing user.
    static func remove(_ user: AdministeredUser, _ change: UserChange) throws -> [[UInt8]] {
        // Decisions that were under way have ended then.
        let requests = try user.removeRequests()
        if try user.keepsDecisions() {
            try change.context.requireOwn(
                [ResourceServer.evidenceScope], to: "deleting a user whose decisions are kept for receipts")
        }
        try user.endAccess()
        try user.remove()
        try change.record(.removed, .user, user.id.rawValue, user: user.id)
        return requests
    }

    static func record(of id: UserID, _ reader: any UserReader, _ tenant: TenantID) throws -> UserRecord {
        try reader.record(of: id, in: tenant).orUnknown(.user)
    }
}

extension Managers {
    package var users: ManageUsers { ManageUsers(store: store, passwords: passwords, random: random) }
}
