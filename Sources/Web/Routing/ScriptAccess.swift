package import AuthorizationCore
package import HTTPModel

/// Scripts that may read a resource's answers, and may send more than a form (Fetch Standard, "CORS protocol").
/// Apps in a browser need it at the endpoints that they call themselves (OAuth 2.0 for Browser-Based Apps, "CORS"),
/// never at the pages of a login (RFC 9700 clause 2.6).
///
/// `Access-Control-Allow-Credentials` is never sent: no cookie opens these resources. CORS keeps an answer from a
/// script; the request was carried out all the same.
package enum ScriptAccess: Sendable {
    case nobody
    /// For public resources.
    case anyone
    /// Scripts of origins that the request's client has registered. A request that names no client, as a preflight,
    /// may come from the origins of any client of the tenant.
    case registered(client: @Sendable (Request) -> ClientID?)

    var isGiven: Bool { if case .nobody = self { false } else { true } }

    /// Adds the fields that let a browser show the answer to a script.
    func grant(_ response: inout Response, of route: Route, to request: Request, _ tenant: TenantConfiguration?) {
        let isPreflight = request.method == .options
        if isPreflight, isGiven { response.fields.append("Allow", route.allow) }
        switch self {
        case .nobody: return
        case .anyone: response.fields.append("Access-Control-Allow-Origin", "*")
        case .registered(let client):
            // No cache keeps these answers, so an answer to a request without an origin needs no `Vary`.
            guard let origin = request.fields["Origin"] else { return }
            response.fields.append("Vary", "Origin")
            guard !request.fields.isRepeated("Origin"),
                tenant?.allowsScripts(of: origin, calling: isPreflight ? nil : client(request)) == true
            else { return }
            response.fields.append("Access-Control-Allow-Origin", origin)
        }
        if isPreflight {
            response.fields.append("Access-Control-Allow-Methods", route.allow)
            // The wildcard does not include `Authorization`. SDKs send fields of their own, such as Auth0-Client.
            response.fields.append("Access-Control-Allow-Headers", "Authorization, *")
            response.fields.append("Access-Control-Max-Age", "7200")
        } else {
            response.fields.append("Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate, X-Request-Id")
        }
    }
}
