extension Texts.Consent.Scopes {
    /// Words for a standard scope. Nil for any other, which its API describes.
    package subscript(scope: String) -> String? { Self.standard[scope].map { self[keyPath: $0] } }

    /// True if there are words for the scope in every language.
    package static func has(_ scope: String) -> Bool { standard[scope] != nil }

    private static let standard: [String: any KeyPath<Texts.Consent.Scopes, String> & Sendable] = [
        "openid": \.openid,
        "profile": \.profile,
        "email": \.email,
        "address": \.address,
        "phone": \.phone,
        "name": \.name,
        "given_name": \.givenName,
        "family_name": \.familyName,
        "nickname": \.nickname,
        "picture": \.picture,
        "created_at": \.createdAt,
        "email_verified": \.emailVerified,
    ]
}
