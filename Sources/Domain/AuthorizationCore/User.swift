package import Localization
package import OAuthWire
package import Primitives

/// User as requests, logins and tokens read it. Metadata and activity are apart (`UserRecord`), so that writing back a
/// user cannot lose them.
package struct User: Sendable, Equatable {
    package let id: UserID
    package var email: EmailAddress?
    package var emailVerified = false
    /// Nil unless a mail server refused the address for good.
    package var emailBounce: EmailBounce?
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    package var nickname: String?
    package var picture: String?
    package var phoneNumber: String?
    package var phoneVerified = false
    /// Lower case. Unique among the users of a connection.
    package var username: String?
    package var language: Language?
    package var blocked = false
    package var roles: [RoleID] = []
    /// Permissions given directly, in addition to those of the roles.
    package var permissions: Set<Role.Permission> = []
    package var createdAt: Timestamp
    package var updatedAt: Timestamp

    package init(id: UserID, createdAt: Timestamp) {
        self.id = id
        self.createdAt = createdAt
        updatedAt = createdAt
    }

    /// Name of the user's connection: the part before the `|` of the id. The database if that is `auth0` or missing.
    package var connection: String {
        guard let bar = id.rawValue.firstIndex(of: "|") else { return LoginConnection.defaultDatabaseName }
        let provider = id.rawValue[..<bar]
        return provider == "auth0" ? LoginConnection.defaultDatabaseName : String(provider)
    }

    /// Address to which requests for approval may be mailed: verified, of a user who is not blocked, and not refused by
    /// its mail server.
    package var approvalAddress: EmailAddress? {
        emailVerified && !blocked && emailBounce == nil ? email : nil
    }

    /// Claims for the scopes that were granted (OIDC Core 5.4, and Auth0's scopes of a single claim).
    package func claims(for scope: ScopeSet) -> JSONObject {
        var claims = JSONObject()
        let profile = scope.contains("profile")
        func add(_ name: String, _ value: String?, group: Bool) {
            if let value, group || scope.contains(name) { claims[name] = .string(value) }
        }
        add("name", name, group: profile)
        add("given_name", givenName, group: profile)
        add("family_name", familyName, group: profile)
        add("nickname", nickname, group: profile)
        add("picture", picture, group: profile)
        if profile {
            // OIDC Core 5.1: a number of seconds. Relying parties that check types refuse the login otherwise.
            claims["updated_at"] = .number(JSONNumber(Int(updatedAt.seconds)))
            if let language { claims["locale"] = .string(language.rawValue) }
        }
        add("created_at", createdAt.iso8601, group: false)
        add("email", email?.description, group: scope.contains("email"))
        if email != nil, scope.contains("email") || scope.contains("email_verified") {
            claims["email_verified"] = .bool(emailVerified)
        }
        add("phone_number", phoneNumber, group: scope.contains("phone"))
        if phoneNumber != nil, scope.contains("phone") || scope.contains("phone_number_verified") {
            claims["phone_number_verified"] = .bool(phoneVerified)
        }
        return claims
    }
}

extension User {
    /// Name of the account, as its owner knows it.
    package var accountName: String { email?.description ?? username ?? name ?? id.rawValue }
}

/// A mail server's refusal of an address, which lasts until the address changes or is verified again.
package struct EmailBounce: Sendable, Equatable {
    package let at: Timestamp
    /// The status of the refusal (RFC 3463), such as `5.1.1`.
    package let status: String

    package init(at: Timestamp, status: String) {
        self.at = at
        self.status = status
    }

    /// True for statuses by which the address itself is bad: it does not exist, has moved or is disabled. Full mailboxes
    /// and refusals by policy say nothing about the address.
    package static func condemnsAddress(_ status: String) -> Bool {
        ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"].contains(status)
    }
}
