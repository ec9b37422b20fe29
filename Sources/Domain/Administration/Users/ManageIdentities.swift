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
            let reader = change.reader
            let person = try change.user(id).orUnknown(.user)
            let user = try person.record().orUnknown(.user)
            guard identity.provider != "auth0" else {
                throw AdministrationFailure.unsupported(
                    "A user of the database logs in with a password of their own; only accounts of other connections "
                        + "can be linked")
            }
            guard let connection = try reader.find(LoginConnection.self, identity.connection, of: context.tenant),
                !connection.isDatabase
            else { throw AdministrationFailure.unknown(.connection) }
            guard !user.identities.contains(identity) else {
                throw AdministrationFailure.unsupported("The account is already linked to this user")
            }
            var ended: [[UInt8]] = []
            let own = UserID("\(identity.provider)|\(identity.userID)")
            let owner = try reader.owner(of: identity, in: context.tenant)
            guard owner == nil || owner == own else { throw AdministrationFailure.conflict(.user, same: "identity") }
            if let other = try change.user(own) {
                // Deletion would lose their linked accounts.
                guard try other.record().orUnknown(.user).identities.count <= 1 else {
                    throw AdministrationFailure.unsupported("That user has linked accounts; unlink them first")
                }
                ended = try ManageUsers.remove(other, change)
            }
            try person.link(identity)
            try change.record(.changed, .user, id.rawValue, fields: ["identities"], user: id)
            return (try person.record().orUnknown(.user).identities, ended)
        }
    }

    /// The account gets its own user at its next login. Ends the user's sessions and tokens, which the account may have
    /// opened. Returns the remaining identities.
    package func unlink(
        _ identity: UserIdentity, from id: UserID, for context: AdministrativeContext
    ) async throws -> [UserIdentity] {
        try await store.change(for: context) { change in
            let person = try change.user(id).orUnknown(.user)
            let own = UserIdentity(of: person.user)
            guard (own.provider, own.userID) != (identity.provider, identity.userID) else {
                throw AdministrationFailure.unsupported("A user's first identity cannot be unlinked")
            }
            guard try person.unlink(identity) else {
                throw AdministrationFailure.unknown(.identity)
            }
            try person.endAccess()
            try change.record(.changed, .user, id.rawValue, fields: ["identities"], user: id)
            return try person.record().orUnknown(.user).identities
        }
    }
}

extension Managers {
    package var identities: ManageIdentities { ManageIdentities(store: store) }
}
