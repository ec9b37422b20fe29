import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import OAuthWire
import Primitives
import Terminal

extension Installation {
    /// Finds a user by id or verified e-mail address.
    func user(_ name: String, in tenant: Tenant) async throws -> User {
        do {
            return try await users.user(try await userID(name, in: tenant), of: tenant.id).user
        } catch AdministrationFailure.unknown(.user) {
            throw tenant.lacks(name)
        }
    }

    /// The user's id. If `name` is an id, the user need not exist.
    ///
    /// Unverified addresses identify nobody, since anybody can sign up with another person's address. The failure lists
    /// the ids of users with that address.
    func userID(_ name: String, in tenant: Tenant) async throws -> UserID {
        guard LoginHint.isEmail(name) else { return UserID(name) }
        let found = try await users.users(email: name, of: tenant.id).map(\.user)
        guard !found.isEmpty else { throw tenant.lacks(name) }
        let verified = found.filter(\.emailVerified)
        guard verified.count == 1 else {
            let ids = found.map(\.id.rawValue).joined(separator: ", ")
            throw CommandFailure(
                verified.isEmpty
                    ? "no user of the tenant \(tenant.id) has verified the e-mail address \(name)"
                    : "several users of the tenant \(tenant.id) have the e-mail address \(name)",
                hint: "name the user by id: \(ids)")
        }
        return verified[0].id
    }
}

extension ObjectCommands.Target {
    func userID(_ name: String) async throws -> UserID { try await installation.userID(name, in: tenant) }
}

extension Tenant {
    func lacks(_ user: String) -> CommandFailure {
        CommandFailure(
            "the tenant \(id) has no user \(user)",
            hint: "name the user by id, such as 'auth0|65f0' in quotes, or by verified e-mail address")
    }
}
