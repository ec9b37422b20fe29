import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import OAuthWire
import Primitives
import Terminal

extension Installation {
    /// The user's id. If `name` is an id, the user need not exist.
    ///
    /// Unverified addresses and numbers identify nobody, since anybody can sign up with another person's. The failure
    /// lists the ids of users with that address or number.
    func userID(_ name: String, in tenant: Tenant) async throws -> UserID {
        let (found, verified, kind): ([User], [User], String)
        switch LoginHint(user: name, issuer: tenant.issuer) {
        case .issuerSubject, .opaque: return UserID(name)
        case .email(let text):
            guard let address = EmailAddress(parsing: text) else { throw tenant.lacks(name) }
            found = try await self.users.users(email: address, of: tenant.id).map(\.user)
            (verified, kind) = (found.filter(\.emailVerified), "e-mail address")
        case .phoneNumber(let number):
            found = try await self.users.users(phoneNumber: number, of: tenant.id).map(\.user)
            (verified, kind) = (found.filter(\.phoneVerified), "phone number")
        }
        guard !found.isEmpty else { throw tenant.lacks(name) }
        guard verified.count == 1 else {
            let ids = found.map(\.id.rawValue).joined(separator: ", ")
            throw CommandFailure(
                verified.isEmpty
                    ? "no user of the tenant \(tenant.id) has verified the \(kind) \(name)"
                    : "several users of the tenant \(tenant.id) have the \(kind) \(name)",
                hint: "name the user by id: \(ids)")
        }
        return verified[0].id
    }
}

extension Tenant {
    func lacks(_ user: String) -> CommandFailure {
        CommandFailure(
            "the tenant \(id) has no user \(user)",
            hint: "name the user by id, such as 'auth0|65f0' in quotes, or by verified e-mail address or phone number")
    }
}

extension EmailAddress {
    /// Value of an option.
    init(_ text: String, of option: String) throws(UsageError) {
        guard let address = EmailAddress(parsing: text) else {
            throw UsageError("\(option) must be an e-mail address, not \(text)")
        }
        self = address
    }
}
