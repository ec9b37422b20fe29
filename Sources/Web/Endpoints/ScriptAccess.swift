import AuthorizationCore
import HTTPModel

/// Which scripts may read what a resource answers, and may ask with more than a form (Fetch Standard, "CORS protocol").
/// Apps that run in a browser need it (OAuth 2.0 for Browser-Based Apps, "CORS"), at no endpoint but those that they
/// call themselves: never where browsers are sent to log in (RFC 9700 clause 2.6).
///
/// `Access-Control-Allow-Credentials` is never sent: no cookie opens these resources, so a script has nothing but what
/// it brings itself. What CORS leaves out was done all the same, and only its answer is kept from the script.
enum ScriptAccess: Sendable {
    case nobody
    /// What is public anyway.
    case anyone
    /// Those of origins that the client has registered which the request names. A request that names none, as a
    /// preflight does, may come from where any client of the tenant has its scripts.
    case registered(client: @Sendable (Request) -> ClientID?)

    var isGiven: Bool {
        if case .nobody = self { false } else { true }
    }

    /// Says in the answer who may read it.
    func grant(_ response: inout Response, of route: Route, to request: Request, _ tenant: TenantConfiguration?) {
        let isPreflight = request.method == .options
        if isPreflight, isGiven { response.fields.append("Allow", route.allow) }
        switch self {
        case .nobody: return
        case .anyone: response.fields.append("Access-Control-Allow-Origin", "*")
        case .registered(let client):
            // Without an origin the answer does not depend on any, and none of these answers is kept by a cache.
            guard let origin = request.fields["Origin"] else { return }
            response.fields.append("Vary", "Origin")
            guard !request.fields.isRepeated("Origin"),
                tenant?.allowsScripts(of: origin, calling: isPreflight ? nil : client(request)) == true
            else { return }
            response.fields.append("Access-Control-Allow-Origin", origin)
        }
        if isPreflight {
            response.fields.append("Access-Control-Allow-Methods", route.allow)
            // The wildcard leaves out the field that carries tokens. SDKs bring fields of their own, such as
            // Auth0-Client; none of them opens anything.
            response.fields.append("Access-Control-Allow-Headers", "Authorization, *")
            response.fields.append("Access-Control-Max-Age", "7200")
        } else {
            response.fields.append(
                "Access-Control-Expose-Headers", "Retry-After, WWW-Authenticate, X-Request-Id")
        }
    }
}
