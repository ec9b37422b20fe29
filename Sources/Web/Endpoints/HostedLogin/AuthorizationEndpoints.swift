import Flows
import HTTPModel
import OAuthWire
import Pages
import Primitives
import Routing

/// `/authorize` (RFC 6749 clause 3.1) and the files that pages load.
struct AuthorizationEndpoints: Sendable {
    let pages: HostedPages
    private var begin: BeginAuthorization { pages.hosted.flows.login.begin }
    private var hosted: HostedLogin { pages.hosted }

    @Sendable func authorize(_ call: EndpointCall) async throws -> Response {
        try await pages.page(unreadable: unreadable) { request in
            let names = AuthorizationRequest.parameterNames + ["request_uri"]
            if let address = request.asAddress(EndpointPath.authorization.rawValue, keeping: names),
                let response = try await resumed(request, address)
            {
                return response
            }
            return request.answer(
                try await begin.begin(request.parameters, browser: request.browser, context: request.context))
        }(call)
    }

    /// Bytes of an address that every proxy and browser accepts (RFC 9110 clause 4.1).
    private static let longestAddress = 8_000

    /// Redirects a form to the equivalent address, or to a shorter one that refers to it. Nil if there is neither.
    private func resumed(_ request: PageRequest, _ address: String) async throws -> Response? {
        if address.utf8.count <= Self.longestAddress { return request.redirect(to: address) }
        // Parameters beside a request_uri do not count (RFC 9126 clause 4), and this server's are short.
        guard request.parameters["request_uri"] == nil else { return nil }
        do {
            let uri = try await hosted.flows.login.push.keep(unproven: request.parameters, context: request.context)
            let client = request.parameters["client_id"] ?? ""
            let query = FormFields([("client_id", client), ("request_uri", uri)]).encoded
            return request.redirect(to: "\(EndpointPath.authorization.rawValue)?\(query)")
        } catch let error as OAuthError {
            return request.answer(try begin.refuse(request.parameters, because: error, context: request.context))
        }
    }

    /// Reports a repeated parameter to the client (RFC 6749 clause 4.1.2.1), unless it names the client or its address.
    @Sendable private func unreadable(_ request: PageRequest, _ problem: OAuthError) throws -> Response {
        let http = request.http
        let form = http.method == .post ? http.body : Array((http.query ?? "").utf8)
        guard
            let parameters = Parameters(salvagedFrom: form, intact: ["client_id", "redirect_uri", "request_uri"]),
            parameters["client_id"] != nil, parameters["request_uri"] == nil
        else { return request.failure(problem) }
        return request.answer(try begin.refuse(parameters, because: problem, context: request.context))
    }

    /// Browsers ask for an icon by themselves if a page names none. The lack of one is not an error.
    @Sendable func icon(_ call: EndpointCall) async throws -> Response {
        Response(status: 204, fields: ["Cache-Control": "public, max-age=86400"])
    }

    @Sendable func asset(_ call: EndpointCall) async throws -> Response {
        guard let asset = hosted.assets[name: call.parameter("name")] else {
            throw OAuthError(.notFound, "There is no such file")
        }
        return asset.response
    }
}
