import Localization
import OAuthWire

/// A scope as people read it.
package struct ShownScope: Sendable, Equatable {
    package let name: String
    /// Description of the scope. Nil shows our own text for a standard scope and the name of any other.
    package let description: String?

    package init(_ name: String, description: String? = nil) {
        self.name = name
        self.description = description
    }
}

extension ShownScope {
    /// True for the scope that lasts while the person is away, for which pages have a sentence of its own.
    var isOffline: Bool { name == Self.offline }

    /// The scope in the words of its API, or in ours.
    var words: Node {
        if let description { return .isolated(description) }
        if let words = Self.standard[name] { return .words(words) }
        return Tag.code { Node.text(name) }
    }

    static let offline = "offline_access"

    /// Scopes of OIDC Core 5.4, and the single claims that Auth0 has scopes for.
    static let standard: [String: LocalizedText] = [
        "openid": localized.consent.scopes.openid,
        "profile": localized.consent.scopes.profile,
        "email": localized.consent.scopes.email,
        "address": localized.consent.scopes.address,
        "phone": localized.consent.scopes.phone,
        "name": localized.consent.scopes.name,
        "given_name": localized.consent.scopes.givenName,
        "family_name": localized.consent.scopes.familyName,
        "nickname": localized.consent.scopes.nickname,
        "picture": localized.consent.scopes.picture,
        "created_at": localized.consent.scopes.createdAt,
        "email_verified": localized.consent.scopes.emailVerified,
    ]
}
