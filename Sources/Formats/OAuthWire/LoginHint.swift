import Primitives

/// Whom a request is for: a subject identifier of format `iss_sub` (RFC 9493 clause 3.2.3), the form of
/// `login_hint` that Auth0 defined for CIBA.
public struct LoginHint: Sendable, Equatable {
    public let issuer: String
    public let subject: String

    public init(issuer: String, subject: String) {
        self.issuer = issuer
        self.subject = subject
    }

    /// Longest hint that is read, in bytes.
    private static let limit = 2048
    /// Longest subject accepted, in characters (OIDC Core 2: at most 255 ASCII characters).
    public static let subjectLimit = 255

    public init(parsing text: String) throws(OAuthError) {
        guard text.utf8.count <= Self.limit else {
            throw Self.failure(
                "it must have at most \(Self.limit) bytes, not \(text.utf8.count)",
                "\(Self.limit) octets au plus, pas \(text.utf8.count)")
        }
        let value: JSONValue
        do {
            value = try JSONReader.parse(text, depthLimit: 4)
        } catch {
            // Whoever began an object is told where it ends being one; whoever wrote a name, what is asked for.
            guard text.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { throw Self.noObject }
            let problem = error.text(of: LocalizedText(en: "it", fr: "ce texte"))
            throw Self.failure(problem[.english], problem[.french])
        }
        guard let object = value.objectValue else { throw Self.noObject }
        guard let format = object["format"] else {
            throw Self.failure(#""format" must be "iss_sub""#, #""format" doit être "iss_sub""#)
        }
        guard format.stringValue == "iss_sub" else {
            throw Self.failure(
                #""format" must be "iss_sub": users are named by "iss" and "sub""#,
                #""format" doit être "iss_sub" : "iss" et "sub" désignent l'utilisateur"#)
        }
        let issuer = try Self.member("iss", of: object)
        let subject = try Self.member("sub", of: object)
        guard subject.utf8.count <= Self.subjectLimit, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Self.failure(
                #""sub" contains unsupported format: a user id has at most \#(Self.subjectLimit) ASCII characters"#,
                #""sub" n'a pas un format accepté : un identifiant a au plus \#(Self.subjectLimit) caractères ASCII"#)
        }
        self.init(issuer: issuer, subject: subject)
    }

    private static func member(_ name: String, of object: JSONObject) throws(OAuthError) -> String {
        guard let value = object[name] else {
            throw failure(#""\#(name)" is required"#, #""\#(name)" est obligatoire"#)
        }
        guard let text = value.stringValue, !text.isEmpty else {
            throw failure(
                #""\#(name)" must be a text that is not empty"#, #""\#(name)" doit être un texte non vide"#)
        }
        return text
    }

    private static let noObject = failure(
        #"it must be a JSON object such as {"format":"iss_sub","iss":"…","sub":"…"}"#,
        #"un objet JSON tel que {"format":"iss_sub","iss":"…","sub":"…"} est attendu"#)

    private static func failure(_ en: String, _ fr: String) -> OAuthError {
        OAuthError(
            .invalidRequest, en: "login_hint parameter validation failed: \(en)",
            fr: "Validation du paramètre login_hint : \(fr)")
    }

    /// The wire form.
    public var json: String {
        JSONWriter.string(["format": "iss_sub", "iss": .string(issuer), "sub": .string(subject)])
    }
}
