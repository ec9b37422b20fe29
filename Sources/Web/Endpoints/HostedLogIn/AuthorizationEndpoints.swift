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
        try await pages.page { visit in
            let names = AuthorizationRequest.parameterNames + ["request_uri"]
            if let response = visit.asGET("/authorize", keeping: names) { return response }
            return visit.answer(
                try await hosted.begin.begin(
                    visit.parameters, browser: visit.browser, directory: visit.context.directory, now: visit.now))
        }(context)
    }

    @Sendable func asset(_ context: RequestContext) async throws -> Response {
        guard let asset = hosted.assets[context.request.path] else {
            throw OAuthError(.notFound, en: "There is no such file", fr: "Ce fichier n'existe pas")
        }
        return asset.response
    }
}
