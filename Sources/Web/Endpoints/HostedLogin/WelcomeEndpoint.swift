import AuthorizationCore
import HTTPModel
import OAuthWire
import Pages
import Routing

/// `/`: a page for browsers. Programs get the answer of an unknown path, which names the metadata.
struct WelcomeEndpoint: Sendable {
    let pages: HostedPages

    @Sendable func welcome(_ call: EndpointCall) async throws -> Response {
        guard Self.wantsPage(call.request) else { throw ServerFailure.notFound }
        return try await pages.page { request in
            request.show(
                WelcomePage(
                    name: request.tenant.name,
                    metadata: PageURL(path: EndpointPath.openIDConfiguration.rawValue)))
        }(call)
    }

    /// Browsers name HTML when they open an address (Fetch Standard, "document" destination). Programs name JSON,
    /// anything, or nothing.
    private static func wantsPage(_ request: Request) -> Bool {
        request.fields.values(of: "Accept").contains { value in
            value.split(separator: ",").contains { range in
                range.prefix { $0 != ";" }.lowercased().split { $0 == " " || $0 == "\t" } == ["text/html"]
            }
        }
    }
}
