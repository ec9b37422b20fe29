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

    /// Longest subject accepted, in characters (OIDC Core 2: at most 255 ASCII characters).
    public static let subjectLimit = 255

    public init(parsing text: String) throws(OAuthError) {
        func failure(_ en: String, _ fr: String) -> OAuthError {
            OAuthError(
                .invalidRequest, en: "login_hint parameter validation failed: \(en)",
                fr: "Validation du paramètre login_hint : \(fr)")
        }
        guard text.utf8.count <= 2048, let value = try? JSONReader.parse(text, depthLimit: 4),
            let object = value.objectValue
        else {
            throw failure(
                #"it must be a JSON object such as {"format":"iss_sub","iss":"…","sub":"…"}"#,
                #"un objet JSON tel que {"format":"iss_sub","iss":"…","sub":"…"} est attendu"#)
        }
        guard object["format"]?.stringValue == "iss_sub" else {
            throw failure(#""format" must be "iss_sub""#, #""format" doit être "iss_sub""#)
        }
        guard let issuer = object["iss"]?.stringValue, !issuer.isEmpty else {
            throw failure(#""iss" is required"#, #""iss" est obligatoire"#)
        }
        guard let subject = object["sub"]?.stringValue, !subject.isEmpty else {
            throw failure(#""sub" is required"#, #""sub" est obligatoire"#)
        }
        guard subject.utf8.count <= Self.subjectLimit, subject.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw failure(#""sub" contains unsupported format"#, #""sub" n'a pas un format accepté"#)
        }
        self.init(issuer: issuer, subject: subject)
    }

    /// The wire form.
    public var json: String {
        JSONWriter.string(["format": "iss_sub", "iss": .string(issuer), "sub": .string(subject)])
    }
}
