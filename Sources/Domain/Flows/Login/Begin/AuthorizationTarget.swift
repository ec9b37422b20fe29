import AuthorizationCore
import Localization
import OAuthWire
import Primitives

/// The address of the answer to an authorization request, checked against the client's registered ones.
struct AuthorizationTarget: Sendable {
    let client: Client
    let redirectURI: String
    let mode: AuthorizationRequest.ResponseMode
    let state: String?
    let issuer: String

    /// RFC 6749 clause 4.1.2.1 and RFC 9700 clause 2.1: no error goes to an address before this check.
    init(_ parameters: Parameters, configuration: TenantConfiguration) throws(AuthorizationPageFailure) {
        let name = parameters["client_id"] ?? ""
        guard let client = configuration.client(ClientID(name)) else {
            throw AuthorizationPageFailure(
                .unknownClient, localized.failure.page.unknownClient, detail: "\(name.prefix(64))")
        }
        guard client.grantTypes.contains(.authorizationCode) else {
            throw AuthorizationPageFailure(
                .grantNotAllowed, localized.failure.page.mayNotLogIn,
                detail: "client \(client.id) has no authorization_code grant")
        }
        redirectURI = try Self.redirectURI(parameters["redirect_uri"], of: client)
        self.client = client
        // An answer to a request with an unknown response_mode goes the default way.
        mode = parameters["response_mode"].flatMap(AuthorizationRequest.ResponseMode.init) ?? .query
        if mode == .webMessage { try Self.requireWebOrigin(redirectURI, of: client) }
        state = parameters["state"].flatMap { $0.utf8.count <= 2048 ? $0 : nil }
        issuer = configuration.tenant.issuer
    }

    private static func redirectURI(
        _ requested: String?, of client: Client
    ) throws(AuthorizationPageFailure) -> String {
        if let requested {
            let uri = RedirectURI.withoutFragment(requested)
            if client.redirectURIs.contains(where: { $0.allows(uri) }) { return uri }
        } else if client.redirectURIs.count == 1, let only = client.redirectURIs.first {
            return only.description
        }
        throw AuthorizationPageFailure(
            .redirectURI,
            localized.failure.page.callback, detail: "client \(client.id): \((requested ?? "none").prefix(256))")
    }

    /// A page reads the message, and not the server of the redirect URI. So the page's origin must be registered by name.
    private static func requireWebOrigin(_ redirectURI: String, of client: Client) throws(AuthorizationPageFailure) {
        let origin = RedirectURI(registering: redirectURI).flatMap(WebOrigin.init(of:))
        guard let origin, client.webOrigins.contains(origin) else {
            throw AuthorizationPageFailure(
                .webOrigin,
                localized.failure.page.webOrigin,
                detail: "client \(client.id): \((origin?.description ?? redirectURI).prefix(256))")
        }
    }

    func response(code: String) -> AuthorizationResponse {
        AuthorizationResponse(redirectURI: redirectURI, mode: mode, [("code", code)], state: state, issuer: issuer)
    }

    /// RFC 6749 clause 4.1.2.1.
    func response(_ error: OAuthError) -> AuthorizationResponse {
        AuthorizationResponse(
            redirectURI: redirectURI, mode: mode,
            [("error", error.code.rawValue), ("error_description", error.description.text)], state: state,
            issuer: issuer)
    }
}
