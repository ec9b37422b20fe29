package import AuthorizationCore
import Localization
import OAuthWire
package import Primitives

extension User {
    /// Reads a user without the password. `now` dates a new user.
    package init?(_ fields: DocumentFields, now: Timestamp) {
        guard let id = fields.requiredString("user_id") else { return nil }
        if !id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            fields.problem("user_id", "may hold printable ASCII without blanks")
        }
        if id.hasSuffix(Client.subjectSuffix) {
            fields.problem("user_id", "must not end in \(Client.subjectSuffix), as what clients are called by does")
        }
        self.init(id: UserID(id), createdAt: now)
        email = fields.folded("email", limit: 254)
        if let email, !email.dropFirst().dropLast().contains("@") {
            fields.problem("email", "must be an e-mail address")
        }
        emailVerified = fields.bool("email_verified", default: false)
        name = fields.string("name")
        givenName = fields.string("given_name")
        familyName = fields.string("family_name")
        nickname = fields.string("nickname", limit: 350)
        picture = fields.string("picture", limit: 2048)
        username = fields.folded("username", limit: 128)
        phoneNumber = fields.string("phone_number", limit: 16)
        phoneVerified = fields.bool("phone_verified", default: false)
        language = fields.choice("locale")
        blocked = fields.bool("blocked", default: false)
        roles = (fields.strings("roles") ?? []).map { RoleID($0) }
        permissions = fields.permissions("permissions")
    }

    /// The user's configuration, without metadata and times.
    package var document: JSONObject {
        var document: JSONObject = ["user_id": .string(id.rawValue)]
        document["email"] = email.map(JSONValue.string)
        document["email_verified"] = .bool(emailVerified)
        document["name"] = name.map(JSONValue.string)
        document["given_name"] = givenName.map(JSONValue.string)
        document["family_name"] = familyName.map(JSONValue.string)
        document["nickname"] = nickname.map(JSONValue.string)
        document["picture"] = picture.map(JSONValue.string)
        document["username"] = username.map(JSONValue.string)
        document["phone_number"] = phoneNumber.map(JSONValue.string)
        document["phone_verified"] = .bool(phoneVerified)
        document["locale"] = language.map { .string($0.rawValue) }
        document["blocked"] = .bool(blocked)
        document["roles"] = JSONValue(roles.map(\.rawValue))
        document["permissions"] = .array(Role.Permission.documents(permissions))
        return document
    }
}

extension DocumentFields {
    /// A unique name in lower case.
    fileprivate func folded(_ name: String, limit: Int) -> String? {
        guard let text = string(name, limit: limit) else { return nil }
        let folded = EmailAddress.folded(text)
        if folded == nil { problem(name, "must not hold a letter that becomes an ASCII one in lower case") }
        return folded
    }

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
