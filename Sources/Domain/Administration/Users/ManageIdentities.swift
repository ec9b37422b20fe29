package import AuthorizationCore
package import Configuration
import Primitives

/// Manages users' linked accounts at upstream providers.
package struct ManageIdentities: Sendable {
    let store: any ConfigurationStore

    /// Links the account to the user. If the account had its own user, that user is deleted with all their data.
    package func link(
        _ identity: UserIdentity, to id: UserID, for context: AdministrativeContext
    ) async throws -> (identities: [UserIdentity], endedRequests: [[UInt8]]) {
        try await store.change(for: context) { change in
            let transaction = change.transaction
            let user = try ManageUsers.record(of: id, transaction, context.tenant)
            guard identity.provider != "auth0" else {
                throw AdministrationFailure.unsupported(
                    "A user of the database logs in with a password of their own; only accounts of other connections "
                        + "can be linked")
            }
            guard let connection = try transaction.find(LoginConnection.self, identity.connection, of: context.tenant),
                !connection.isDatabase
            else { throw AdministrationFailure.unknown(.connection) }
            guard !user.identities.contains(identity) else {
                throw AdministrationFailure.unsupported("The account is already linked to this user")
            }
            var ended: [[UInt8]] = []
            let own = UserID("\(identity.provider)|\(identity.userID)")
            let owner = try transaction.owner(of: identity, in: context.tenant)
            guard owner == nil || owner == own else { throw AdministrationFailure.conflict(.user, same: "identity") }
            if try transaction.user(own, in: context.tenant) != nil {
                // Deletion would lose their linked accounts.
                guard try ManageUsers.record(of: own, transaction, context.tenant).identities.count <= 1 else {
                    throw AdministrationFailure.unsupported("That user has linked accounts; unlink them first")
                }
                ended = try ManageUsers.remove(own, change)
            }
            try transaction.link(identity, to: id, in: context.tenant)
            try change.record(.changed, .user, id.rawValue, fields: ["identities"], user: id)
            return (try ManageUsers.record(of: id, transaction, context.tenant).identities, ended)
        }
    }

    /// The account gets its own user at its next login. Ends the user's sessions and tokens, which the account may have
    /// opened. Returns the remaining identities.
    package func unlink(
        _ identity: UserIdentity, from id: UserID, for context: AdministrativeContext
    ) async throws -> [UserIdentity] {
        try await store.change(for: context) { change in
            let user = try ManageUsers.record(of: id, change.transaction, context.tenant)
            let own = UserIdentity(of: user.user)
            guard (own.provider, own.userID) != (identity.provider, identity.userID) else {
                throw AdministrationFailure.unsupported("A user's first identity cannot be unlinked")
            }
            guard try change.transaction.unlink(identity, from: id, in: context.tenant) else {
                throw AdministrationFailure.unknown(.identity)
            }
            try change.transaction.endAccess(of: id, in: context.tenant, now: context.now)
            try change.record(.changed, .user, id.rawValue, fields: ["identities"], user: id)
            return try ManageUsers.record(of: id, change.transaction, context.tenant).identities
        }
    }
}

extension Managers {
    package var identities: ManageIdentities { ManageIdentities(store: store) }
}
