import AuthorizationCore
import HTTPModel
import Localization
import OAuthWire
import Pages
import Routing

/// `/`, and every path without a route: pages for browsers. Programs get the answer of an unknown path, which names the
/// metadata.
struct WelcomeEndpoint: Sendable {
    let pages: HostedPages

    @Sendable func welcome(_ call: EndpointCall) async throws -> Response {
        guard call.request.wantsPage else { throw ServerFailure.notFound }
        return try await pages.page { request in
            request.show(
                WelcomePage(
                    name: request.tenant.name,
                    metadata: PageURL(path: EndpointPath.openIDConfiguration.rawValue),
                    approver: PageURL(path: EndpointPath.approver.rawValue), account: request.url(AccountPath.start)))
        }(call)
    }

    /// The router calls it for browsers alone.
    @Sendable func absent(_ call: EndpointCall) async throws -> Response {
        try await pages.page { request in
            let texts = localized.account.absent
            return request.show(
                AbsentPage(links: [
                    (texts.start, PageURL(path: EndpointPath.welcome.rawValue)),
                    (texts.approver, PageURL(path: EndpointPath.approver.rawValue)),
                    (texts.account, request.url(AccountPath.start)),
                ]))
        }(call)
    }
}
