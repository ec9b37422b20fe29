import Primitives

/// A user that `login_hint` names (CIBA Core 7.1): a subject identifier in JSON (RFC 9493 clause 3.2), or a bare e-mail
/// address.
package enum LoginHint: Sendable, Equatable {
    /// `iss_sub`, the form that Auth0 defined for CIBA.
    case issuerSubject(issuer: String, subject: String)
    /// `email` as sent. The server decides which addresses it knows.
    case email(String)
    /// `phone_number`: `+` and 1 to 15 digits (E.164).
    case phoneNumber(String)
    /// `opaque`: the user's id at the receiving server.
    case opaque(String)

    /// Maximum bytes of a hint.
    private static let limit = 2048
    /// Maximum characters of a subject (OIDC Core 2: at most 255 ASCII characters).
    package static let subjectLimit = 255
    /// Maximum bytes of an e-mail address (RFC 5321 clause 4.5.3.1.3).
    package static let emailLimit = 254

    /// Names a user of the issuer by their e-mail address if `user` has an `@` and no `|`, by their phone number if
    /// `user` is one, and otherwise by their id.
    package init(user: String, issuer: String) {
        self =
            if Self.isEmail(user) { .email(user) } else if Self.isPhoneNumber(user) { .phoneNumber(user) } else {
                .issuerSubject(issuer: issuer, subject: user)
            }
    }

    /// The user's id at the receiving server. Nil if the hint has none.
    package var subject: String? {
        switch self {
        case .issuerSubject(_, let subject): subject
        case .opaque(let id): id
        case .email, .phoneNumber: nil
        }
    }

    /// True for a name that can be an e-mail address but not the id of a user of a connection.
    private static func isEmail(_ name: String) -> Bool { name.contains("@") && !name.contains("|") }

    private static func isPhoneNumber(_ name: String) -> Bool {
        let digits = name.utf8.dropFirst()
        return name.utf8.first == UInt8(ascii: "+") && (1...15).contains(digits.count)
            && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Throws `invalid_request` with advice.
    package init(parsing text: String) throws(OAuthError) {
        guard text.utf8.count <= Self.limit else {
            throw Self.failure("it must have at most \(Self.limit) bytes, not \(text.utf8.count)")
        }
        let value: JSONValue
        do {
            value = try JSONReader.parse(text, depthLimit: 4)
        } catch {
            if text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
                throw Self.failure(error.text(of: "it"))
            }
            guard Self.isEmail(text) else { throw Self.noObject }
            self = try Self.email(checking: text)
            return
        }
        guard let object = value.objectValue else { throw Self.noObject }
        switch object["format"]?.stringValue {
        case "iss_sub":
            self = .issuerSubject(
                issuer: try Self.member("iss", of: object), subject: try Self.identifier("sub", of: object))
        case "email": self = try Self.email(checking: try Self.member("email", of: object))
        case "phone_number":
            let number = try Self.member("phone_number", of: object)
            guard Self.isPhoneNumber(number) else {
                throw Self.failure("phone_number must be + and at most 15 digits (E.164)")
            }
            self = .phoneNumber(number)
        case "opaque": self = .opaque(try Self.identifier("id", of: object))
        default: throw Self.failure("format must be one of iss_sub, email, phone_number and opaque")
        }
    }

    private static func member(_ name: String, of object: JSONObject) throws(OAuthError) -> String {
        guard let value = object[name] else { throw failure("'\(name)' is required") }
        guard let text = value.stringValue, !text.isEmpty else {
            throw failure("'\(name)' must be a text that is not empty")
        }
        return text
    }

    /// A member that holds a user's id.
    private static func identifier(_ name: String, of object: JSONObject) throws(OAuthError) -> String {
        let id = try member(name, of: object)
        guard id.utf8.count <= subjectLimit, id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw failure(
                "'\(name)' contains unsupported format: a user id has at most \(subjectLimit) ASCII characters")
        }
        return id
    }

    private static func email(checking text: String) throws(OAuthError) -> LoginHint {
        guard text.utf8.count <= emailLimit, text.contains("@") else {
            throw failure("an e-mail address has an @ and at most \(emailLimit) bytes")
        }
        return .email(text)
    }

    private static let noObject = failure(
        "it must be an e-mail address or a JSON object with a format of RFC 9493, such as iss_sub with iss and sub")

    private static func failure(_ problem: ErrorDescription) -> OAuthError {
        OAuthError(.invalidRequest, "login_hint parameter validation failed: \(problem)")
    }

    /// The wire form: RFC 9493's object.
    package var json: String {
        let object: JSONValue =
            switch self {
            case .issuerSubject(let issuer, let subject):
                ["format": "iss_sub", "iss": .string(issuer), "sub": .string(subject)]
            case .email(let address): ["format": "email", "email": .string(address)]
            case .phoneNumber(let number): ["format": "phone_number", "phone_number": .string(number)]
            case .opaque(let id): ["format": "opaque", "id": .string(id)]
            }
        return JSONWriter.string(object)
    }
}
