import AuthorizationCore
import OAuthWire
import Primitives

/// The purpose of a login, and so the address of its answer.
enum LoginGoal: Sendable {
    case client(AuthorizationTarget)
    /// `address` is the page's, in the language that the person chose.
    case page(OwnPage, address: String)

    /// Returns to a page of this server.
    init(_ page: OwnPage, uiLocales: String?, tenant: Tenant) {
        let address = page.url(below: tenant.issuer)
        let separator = address.contains("?") ? "&" : "?"
        let locales = uiLocales.map { "\(separator)ui_locales=\(PercentEncoding.encode($0))" } ?? ""
        self = .page(page, address: address + locales)
    }

    /// Nil for a page.
    var client: Client? {
        if case .client(let target) = self { target.client } else { nil }
    }

    /// Nil for a client.
    var page: OwnPage? {
        if case .page(let page, _) = self { page } else { nil }
    }

    /// The form that the store keeps.
    var stored: StoredLogin.Goal {
        switch self {
        case .client(let target): .client(target.client.id)
        case .page(let page, _): .page(page)
        }
    }

    /// The asker that a person's phone shows: a client, or a page in its place.
    var asker: ClientID {
        switch self {
        case .client(let target): target.client.id
        case .page(let page, _): page.kind.client
        }
    }

    var address: String {
        switch self {
        case .client(let target): target.redirectURI
        case .page(_, let address): address
        }
    }

    /// The answer of a login that failed: RFC 6749 clause 4.1.2.1 for a client. A page itself shows what is next.
    func response(_ error: OAuthError) -> AuthorizationResponse {
        switch self {
        case .client(let target): target.response(error)
        case .page(_, let address): AuthorizationResponse(page: address)
        }
    }
}
