package import AuthorizationCore
import JSONSchema
package import Primitives

extension User: Described {
    /// Fields that both a file and the Management API have, without metadata.
    package static let profile = Fields<User> {
        Field(
            "email", protects: .covered(.identity), .emailAddress, \.email,
            "E-mail address, stored in lower case and with `xn--` labels for those beyond ASCII; unique in the tenant"
        ).option
        Field(
            "email_verified", protects: .covered(.identity), .flag, \.emailVerified,
            "The user has proved to own the address")
        Field(
            "username", protects: .covered(.identity), .folded(1...128), \.username,
            "Name for logins, stored in lower case; unique in the tenant"
        )
        .option
        Field("name", protects: .nothing, .text(), \.name, "Full name").shaped(.text(1...150)).option
        Field("given_name", protects: .nothing, .text(), \.givenName).shaped(.text(1...150))
        Field("family_name", protects: .nothing, .text(), \.familyName).shaped(.text(1...150))
        Field("nickname", protects: .nothing, .text(1...350), \.nickname).shaped(.text(1...255))
        Field("picture", protects: .nothing, .text(1...2048), \.picture, "URL")
        Field("phone_number", protects: .covered(.identity), .text(1...16), \.phoneNumber, "E.164").shaped(
            .text(pattern: "^[+][0-9]{1,15}$"))
        Field("phone_verified", protects: .covered(.identity), .flag, \.phoneVerified)
        Field("locale", protects: .nothing, .choice, \.language, "Language of mails and pages")
        Field(
            "blocked", protects: .covered(.identity), .flag, \.blocked, "A blocked user gets no requests and no tokens"
        )
        .preset("the stored one, `false` for a new user")
    }

    /// All fields. Passwords and metadata have readers of their own.
    package static let fields = Fields<User> {
        Field.key(
            "user_id", .text(),
            "Printable ASCII without blanks, by convention `provider|id`, not ending in `\(Client.subjectSuffix)`; unique "
                + "in the tenant"
        ) { $0.id.rawValue }
        profile
        Field(
            "password", protects: .identity("update:users"), .anything, words: "a secret (see below) of 8 to 72 bytes",
            "Stored as an Argon2id hash; set for a new user, and when the password in the file differs from the one "
                + "applied last"
        ).preset("the stored one")
        Field(
            "initial_password", protects: .identity("update:users"), .anything, words: "a secret",
            "The same, but set only for a new user"
        )
        .preset("the stored one")
        Field(
            "user_metadata", protects: .nothing, .anyObject,
            words: "object of at most 65536 bytes, 1000 values and 16 levels",
            "Data of applications that concerns the user, such as `theme`"
        ).preset("the stored one")
        Field(
            "app_metadata", protects: .nothing, .anyObject, words: "object with the same limits",
            "Applications' own data, such as `plan`"
        ).preset("the stored one")
        Field(
            "roles", protects: .identity("update:users"),
            FieldType<[String]>.texts().mapped({ $0.map { RoleID($0) } }, { $0.map(\.rawValue) }), \.roles,
            "Ids of `roles`")
        Field(
            "permissions", protects: .identity("update:users"), .permissions, \.permissions,
            "As in a role, only for this user")
    }

    /// Reads a user without the password. `now` dates a new user.
    package init?(_ fields: DocumentFields, now: Timestamp) {
        guard let id = fields.requiredString("user_id") else { return nil }
        if !id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            fields.problem("user_id", "may hold printable ASCII without blanks")
        }
        if id.hasSuffix(Client.subjectSuffix) {
            fields.problem("user_id", "must not end in \(Client.subjectSuffix), the ending of clients' subjects")
        }
        self.init(id: UserID(id), createdAt: now)
        Self.fields.read(fields, into: &self)
    }
}

extension FieldType where Value == EmailAddress {
    package static var emailAddress: FieldType {
        .parsed(
            .text(3...254), "e-mail address", limit: 254, "must be an e-mail address",
            { EmailAddress(parsing: $0) }, write: { $0.description })
    }
}

extension FieldType where Value == String {
    /// A unique name in lower case.
    fileprivate static func folded(_ length: ClosedRange<Int>) -> FieldType {
        .parsed(
            .text(length), "1 to \(length.upperBound) bytes", limit: length.upperBound,
            "must not hold a letter that becomes an ASCII one in lower case", { $0.folded }, write: { $0 }
        )
    }
}

extension DocumentFields {
    /// Applications' metadata. Nil means absent.
    package func metadata(_ name: String) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else {
            problem(name, "must be an object")
            return nil
        }
        if let problem = UserMetadata.problem(with: object) { self.problem(name, problem) }
        return object
    }
}
