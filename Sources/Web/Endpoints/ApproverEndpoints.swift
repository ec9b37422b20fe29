import Approver
import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Pages
import Primitives
import Routing

/// The web app with which people approve: its shell, its service worker, its files and its settings.
struct ApproverEndpoints: Sendable {
    let app: ApproverApp
    let metadata: MetadataEndpoints

    var routes: [Route] {
        func path(_ name: String) -> String { "\(EndpointPath.approver.rawValue)/\(name)" }
        return [
            Route(EndpointPath.approver, .oauth, [.get: (.approver, shell)]),
            Route(path: path("sw.js"), .oauth, [.get: (.approverWorker, worker)]),
            Route(path: path("manifest.webmanifest"), .oauth, [.get: (.approverManifest, manifest)]),
            Route(path: path("settings.json"), .oauth, [.get: (.approverSettings, settings)]),
            Route(path: path("{version}/{name}"), .oauth, [.get: (.approverFile, file)]),
        ]
    }

    @Sendable func shell(_ call: EndpointCall) async throws -> Response {
        guarded(app.shell(of: Pages.Branding(call.tenant), settings: settings(of: call)), call)
    }

    /// The worker answers for the shell, too, whose path is not below its own (Service Workers, "Service-Worker-Allowed").
    @Sendable func worker(_ call: EndpointCall) async throws -> Response {
        var response = guarded(app.worker(of: Pages.Branding(call.tenant)), call)
        response.fields.append("Service-Worker-Allowed", ApproverApp.path)
        return response
    }

    @Sendable func file(_ call: EndpointCall) async throws -> Response {
        guard let file = app.file(call.parameter("name"), of: call.parameter("version")) else {
            throw OAuthError(.notFound, "There is no such file")
        }
        var response = Response(
            status: 200,
            fields: [
                "Content-Type": file.contentType, "Cache-Control": "public, max-age=31536000, immutable",
                "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": ApproverApp.policy,
            ],
            body: .bytes(file.bytes))
        if let compressed = file.compressed {
            response.fields.append("Vary", "Accept-Encoding")
            if call.request.fields.accepts(coding: "gzip") {
                response.fields.append("Content-Encoding", "gzip")
                response.body = .bytes(compressed)
            }
        }
        return response
    }

    @Sendable func manifest(_ call: EndpointCall) async throws -> Response {
        // iOS starts an installed app at this address, and gives it nothing else of the browser.
        let query = try? FormFields(parsing: Array((call.request.query ?? "").utf8))
        let fragment = query?["code"].flatMap(EnrollmentCode.init(parsing:)).map { "code=\($0.text)" }
        let bytes = JSONWriter.bytes(app.manifest(of: Pages.Branding(call.tenant), startingAt: fragment))
        return metadata.cacheable(bytes, call, as: "application/manifest+json", lifetime: 0)
    }

    @Sendable func settings(_ call: EndpointCall) async throws -> Response {
        metadata.cacheable(JSONWriter.bytes(settings(of: call)), call, lifetime: 0)
    }

    private func settings(of call: EndpointCall) -> JSONValue {
        let issuer = call.tenant.issuer
        var object: JSONObject = [
            "issuer": .string(issuer), "name": .string(call.tenant.name),
            "base": .string(issuer + AppliancePath.base.dropFirst()),
        ]
        object["phones_add_phones"] = .string(call.tenant.settings.proofOfPhoneAddition.rawValue)
        // RFC 8292: an uncompressed point. Without it the app offers no notifications.
        object["web_push_key"] = call.context.configuration.keys.webPush?.publicKey.p256Point
            .map { .string(Base64URL.encode($0)) }
        return .object(object)
    }

    /// A file that names files of this version. Browsers keep it, and ask each time if it is still right.
    private func guarded(_ file: ApproverFile, _ call: EndpointCall) -> Response {
        var response = metadata.cacheable(file.bytes, call, as: file.contentType, lifetime: 0)
        response.fields.append("Content-Security-Policy", ApproverApp.policy)
        response.fields.append("Referrer-Policy", "no-referrer")
        response.fields.append("Cross-Origin-Opener-Policy", "same-origin")
        response.fields.append("Cross-Origin-Resource-Policy", "same-origin")
        response.fields.append("X-Frame-Options", "DENY")
        response.fields.append(
            "Permissions-Policy", "camera=(self), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()"
        )
        return response
    }
}

extension Pages.Branding {
    /// Branding of a tenant's pages and of its approver.
    init(_ tenant: Tenant) {
        let branding = tenant.settings.branding
        self.init(name: tenant.name, logo: branding.logoURL.flatMap { PageURL($0) })
        if let colour = branding.primaryColor.flatMap(Colour.init(hex:)) { self.colour = colour }
    }
}
