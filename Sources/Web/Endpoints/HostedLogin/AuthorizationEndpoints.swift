import Flows
import HTTPModel
import OAuthWire
import Pages
import Primitives
import Routing

/// `/authorize` (RFC 6749 clause 3.1) and the files that pages load.
struct AuthorizationEndpoints: Sendable {
    let pages: HostedPages
    private var hosted: HostedLogin { pages.hosted }

    @Sendable func authorize(_ context: EndpointCall) async throws -> Response {
        try await pages.page(unreadable: unreadable) { visit in
            let names = AuthorizationRequest.parameterNames + ["request_uri"]
            if let address = visit.asAddress(EndpointPath.authorization.rawValue, keeping: names),
                let response = try await comeBack(visit, address)
            {
                return response
            }
            return visit.answer(
                try await hosted.begin.begin(
                    visit.parameters, browser: visit.browser, configuration: visit.context.configuration, now: visit.now
                ))
        }(context)
    }

    /// Bytes of an address that everybody on the way takes (RFC 9110 clause 4.1).
    private static let longestAddress = 8_000

    /// Leads a form to the address that says the same, or, where that is too long, to one that stands for it. Nil where
    /// there is neither.
    private func comeBack(_ visit: PageRequest, _ address: String) async throws -> Response? {
        if address.utf8.count <= Self.longestAddress { return visit.redirect(to: address) }
        // What stands beside a request_uri does not count (RFC 9126 clause 4); one of ours is short.
        guard visit.parameters["request_uri"] == nil else { return nil }
        do {
            let uri = try await hosted.push.keep(
                unproven: visit.parameters, from: visit.browser.remoteAddress,
                configuration: visit.context.configuration,
                now: visit.now)
            let client = visit.parameters["client_id"] ?? ""
            let query = FormFields([("client_id", client), ("request_uri", uri)]).encoded
            return visit.redirect(to: "\(EndpointPath.authorization.rawValue)?\(query)")
        } catch let error as OAuthError {
            return visit.answer(
                try hosted.begin.refuse(visit.parameters, because: error, configuration: visit.context.configuration))
        }
    }

    /// RFC 6749 clause 4.1.2.1 has the client told of a parameter that is there twice, unless it is what says who the
    /// client is and where it waits.
    @Sendable private func unreadable(_ visit: PageRequest, _ problem: OAuthError) throws -> Response {
        let request = visit.context.request
        let form = request.method == .post ? request.body : Array((request.query ?? "").utf8)
        guard
            let parameters = Parameters(
                salvagedFrom: form, intact: ["client_id", "redirect_uri", "request_uri"]),
            parameters["client_id"] != nil, parameters["request_uri"] == nil
        else { return visit.failure(problem) }
        return visit.answer(
            try hosted.begin.refuse(parameters, because: problem, configuration: visit.context.configuration))
    }

    /// Browsers ask for it by themselves where a page names no other. There is none, which is not an error.
    @Sendable func icon(_ context: EndpointCall) async throws -> Response {
        Response(status: 204, fields: ["Cache-Control": "public, max-age=86400"])
    }

    @Sendable func asset(_ context: EndpointCall) async throws -> Response {
        guard let asset = hosted.assets[context.request.path] else {
            throw OAuthError(.notFound, "There is no such file")
        }
        return asset.response
    }
}
