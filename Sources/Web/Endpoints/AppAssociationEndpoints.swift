import AuthorizationCore
import HTTPModel
import OAuthWire
import Pages
import Primitives
import Routing

/// Files that let an app open links of this host, and the pages behind those links. Apple and Google follow no
/// redirects, so there are none.
struct AppAssociationEndpoints: Sendable {
    /// Bytes of a file. Apple and Google read at most 128 KiB. Apps beyond the limit are left out.
    static let sizeLimit = 120_000

    let metadata: MetadataEndpoints
    let hosted: HostedLogin

    var routes: [Route] {
        [
            Route(
                EndpointPath.appleAssociation, .oauth, [.get: (.appleAssociation("apple_app_site_association"), apple)]),
            Route(
                EndpointPath.appleAssociationAtRoot, .oauth,
                [.get: (.appleAssociation("apple_app_site_association_at_root"), apple)]),
            Route(EndpointPath.assetLinks, .oauth, [.get: (.assetLinks, android)]),
            Route(path: Self.callback("ios"), .oauth, [.get: (.appCallback("ios"), callback)]),
            Route(path: Self.callback("android"), .oauth, [.get: (.appCallback("android"), callback)]),
        ]
    }

    /// Path of callbacks of Auth0's SDKs. `app` is the app's name.
    private static func callback(_ system: String, app: String = "{id}") -> String { "/\(system)/\(app)/callback" }

    /// `apple-app-site-association`: `applinks` makes links open the app. `webcredentials` lets the app wait for a link
    /// in the system's login sheet.
    @Sendable func apple(_ call: EndpointCall) async throws -> Response {
        let links = Self.bounded(
            call.configuration.apps.apple.map { app in
                [
                    "appIDs": [.string(app.appID)],
                    "components": [["/": .string(Self.callback("ios", app: app.bundleID))]],
                ]
            })
        let ids = links.compactMap { $0["appIDs"]?[0] }
        return metadata.cacheable(
            JSONWriter.bytes(["applinks": ["details": .array(links)], "webcredentials": ["apps": .array(ids)]]), call
        )
    }

    /// Digital Asset Links, as Android reads them for App Links.
    @Sendable func android(_ call: EndpointCall) async throws -> Response {
        let statements = Self.bounded(
            call.configuration.apps.android.map { app in
                [
                    "relation": ["delegate_permission/common.handle_all_urls"],
                    "target": [
                        "namespace": "android_app", "package_name": .string(app.packageName),
                        "sha256_cert_fingerprints": JSONValue(app.fingerprints),
                    ],
                ]
            })
        return metadata.cacheable(JSONWriter.bytes(.array(statements)), call)
    }

    /// The first entries that fit. Each Apple app is named twice.
    private static func bounded(_ entries: some Sequence<JSONValue>) -> [JSONValue] {
        var left = sizeLimit
        return Array(
            entries.prefix { entry in
                left -= 2 * JSONWriter.bytes(entry).count
                return left >= 0
            })
    }

    /// Page for a link that the app did not open. The address contains the code, which the page does not read.
    @Sendable func callback(_ call: EndpointCall) async throws -> Response {
        AppCallbackPage().response(in: PageRequest(call, hosted).frame(isRepeatable: false))
    }
}
