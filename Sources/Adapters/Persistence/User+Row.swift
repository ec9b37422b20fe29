import AuthorizationCore
import Localization
import Primitives
import SQL

extension User {
    /// Qualified by the table, for joins.
    static let columns: StaticString = """
        "user".id, "user".email, "user".email_verified, "user".name, "user".given_name, "user".family_name,
        "user".nickname, "user".picture, "user".phone_number, "user".language, "user".blocked, "user".roles,
        "user".created_at, "user".updated_at, "user".username, "user".phone_verified, "user".permissions,
        "user".email_bounced_at, "user".email_bounce
        """
    static let columnCount = 19

    /// `first` is the column of `id`.
    init(_ row: borrowing Row, at first: Int = 0) throws {
        self.init(id: try row.id(first), createdAt: try row.timestamp(first + 12))
        email = try row.optionalText(first + 1).flatMap(EmailAddress.init(parsing:))
        emailVerified = try email != nil && row.bool(first + 2)
        name = try row.optionalText(first + 3)
        givenName = try row.optionalText(first + 4)
        familyName = try row.optionalText(first + 5)
        nickname = try row.optionalText(first + 6)
        picture = try row.optionalText(first + 7)
        phoneNumber = try row.optionalText(first + 8)
        language = try row.optionalText(first + 9).flatMap(Language.init(rawValue:))
        blocked = try row.bool(first + 10)
        roles = try row.text(first + 11).split(separator: " ").map { RoleID(String($0)) }
        updatedAt = try row.timestamp(first + 13)
        username = try row.optionalText(first + 14)
        phoneVerified = try row.bool(first + 15)
        permissions = try Self.permissions(stored: try row.text(first + 16))
        if let status = try row.optionalText(first + 18) {
            emailBounce = EmailBounce(at: try row.timestamp(first + 17), status: status)
        }
    }

    var storedRoles: String { roles.map(\.rawValue).joined(separator: " ") }

    /// Stored form of the permissions. Empty for most users, who have none of their own.
    var storedPermissions: String {
        if permissions.isEmpty { return "" }
        let sorted = permissions.sorted { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) }
        return JSONWriter.string(.array(sorted.map { [.string($0.resourceServer), .string($0.scope)] }))
    }

    static func permissions(stored text: String) throws -> Set<Role.Permission> {
        if text.isEmpty { return [] }
        return Set(
            try (JSONValue(stored: text).arrayValue ?? []).map { entry in
                guard let api = entry[0]?.stringValue, let scope = entry[1]?.stringValue else {
                    throw CorruptRow(what: "permissions")
                }
                return Role.Permission(resourceServer: api, scope: scope)
            })
    }
}
