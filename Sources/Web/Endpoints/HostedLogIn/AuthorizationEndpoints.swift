import Flows
import HTTPModel
import OAuthWire
import Pages
import Primitives

/// `/authorize` (RFC 6749 clause 3.1) and the files that pages load.
struct AuthorizationEndpoints: Sendable {
    let pages: HostedPages
    private var hosted: HostedLogIn { pages.hosted }

    @Sendable func authorize(_ context: RequestContext) async throws -> Response {
        try await pages.page(unreadable: unreadable) { visit in
            let names = AuthorizationRequest.parameterNames + ["request_uri"]
            if let response = visit.asGET("/authorize", keeping: names) { return response }
            return visit.answer(
                try await hosted.begin.begin(
                    visit.parameters, browser: visit.browser, directory: visit.context.directory, now: visit.now))
        }(context)
    }

    /// RFC 6749 clause 4.1.2.1 has the client told of a parameter that is there twice, unless it is what says who the
    /// client is and where it waits.
    @Sendable private func unreadable(_ visit: Visit, _ problem: OAuthError) throws -> Response {
        let request = visit.context.request
        let form = request.method == .post ? request.body : Array((request.query ?? "").utf8)
        guard
            let parameters = Parameters(
                salvagedFrom: form, intact: ["client_id", "redirect_uri", "request_uri"]),
            parameters["client_id"] != nil, parameters["request_uri"] == nil
        else { return visit.failure(problem) }
        return visit.answer(
            try hosted.begin.refuse(parameters, because: problem, directory: visit.context.directory))
    }

    @Sendable func asset(_ context: RequestContext) async throws -> Response {
        guard let asset = hosted.assets[context.request.path] else {
            throw OAuthError(.notFound, en: "There is no such file", fr: "Ce fichier n'existe pas")
        }
        return asset.response
    }
}
