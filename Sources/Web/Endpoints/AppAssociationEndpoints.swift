import AuthorizationCore
import HTTPModel
import Pages
import Primitives

/// The files by which phones tell that an app may open links of this host, and the pages behind those links. Nothing is
/// redirected, which Apple and Google would not follow.
struct AppAssociationEndpoints: Sendable {
    static let applePrefix = "/ios/"
    static let androidPrefix = "/android/"
    /// End of the path, after the app's name, in callbacks of Auth0's SDKs.
    static let callbackSuffix = "/callback"
    /// Apple and Google read files of at most 128 KiB. Apps beyond are left out.
    static let sizeLimit = 120_000

    let metadata: MetadataEndpoints
    let hosted: HostedLogin

    /// `apple-app-site-association`: `applinks` has links open the app, and `webcredentials` lets it wait for one in the
    /// system's login sheet.
    @Sendable func apple(_ context: EndpointCall) async throws -> Response {
        let links = Self.bounded(
            context.configuration.apps.apple.map { app in
                [
                    "appIDs": [.string(app.appID)],
                    "components": [["/": .string(Self.applePrefix + app.bundleID + Self.callbackSuffix)]],
                ]
            })
        let ids = links.compactMap { $0["appIDs"]?[0] }
        return metadata.cacheable(
            JSONWriter.bytes(["applinks": ["details": .array(links)], "webcredentials": ["apps": .array(ids)]]), context
        )
    }

    /// Digital Asset Links, as Android reads them for App Links.
    @Sendable func android(_ context: EndpointCall) async throws -> Response {
        let statements = Self.bounded(
            context.configuration.apps.android.map { app in
                [
                    "relation": ["delegate_permission/common.handle_all_urls"],
                    "target": [
                        "namespace": "android_app", "package_name": .string(app.packageName),
                        "sha256_cert_fingerprints": JSONValue(app.fingerprints),
                    ],
                ]
            })
        return metadata.cacheable(JSONWriter.bytes(.array(statements)), context)
    }

    /// The first of them that fit; each Apple app is named twice.
    private static func bounded(_ entries: some Sequence<JSONValue>) -> [JSONValue] {
        var left = sizeLimit
        return Array(
            entries.prefix { entry in
                left -= 2 * JSONWriter.bytes(entry).count
                return left >= 0
            })
    }

    /// Shown if the app did not catch its link. The address has the code, so the page reads none of it.
    @Sendable func callback(_ context: EndpointCall) async throws -> Response {
        AppCallbackPage().response(in: PageRequest(context, hosted).frame(isRepeatable: false))
    }
}
