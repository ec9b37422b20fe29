import AuthorizationCore
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

/// An upstream provider that records requests and never issues tokens.
final class UpstreamTrap: Sendable {
    static let origin = "https://idp.example"

    private let requests = Mutex<[Request]>([])
    private let challenge = Mutex("")

    /// The challenge of the last login that began at the provider.
    var lastChallenge: String { challenge.withLock { $0 } }

    func requests(to path: String) -> [Request] { requests.withLock { $0.filter { $0.path == path } } }

    /// Adds the connection `idp`.
    func connect(_ setup: inout InProcessServer.Setup) throws {
        let issuer = try EndpointURL("\(Self.origin)/").orThrow("no URL")
        let context = UpstreamProvider.sealingContext(tenant: setup.tenant.id, connection: "idp")
        setup.connections.append(
            LoginConnection(
                name: "idp", displayName: "Provider",
                kind: .upstream(
                    UpstreamProvider(
                        dialect: .openIDConnect(issuer: issuer), clientID: "here",
                        sealedSecret: try Samples.sealer.seal(Array("secret".utf8), context: context), scope: "openid"))
            ))
        setup.http = HandlerClient([Self.origin: { self.handle($0) }])
    }

    /// Sends a browser to the provider, and returns the `state` of the request.
    func begin(_ browser: InProcessBrowser) async throws -> String {
        let page = try await browser.open(AttackFixture.authorize(["connection": "idp"]))
        #expect(page.url.hasPrefix(Self.origin + "/authorize?"), "\(page.url) \(page.text)")
        challenge.withLock { $0 = page.parameters["code_challenge"] ?? "" }
        return try page.parameters["state"].orThrow("no state")
    }

    private func handle(_ request: Request) -> Response {
        requests.withLock { $0.append(request) }
        guard request.path == "/.well-known/openid-configuration" else {
            return Response(
                status: 400, fields: ["Content-Type": "application/json"],
                body: .bytes(Array(#"{"error":"invalid_grant"}"#.utf8)))
        }
        let discovery: JSONValue = [
            "issuer": .string("\(Self.origin)/"), "authorization_endpoint": .string("\(Self.origin)/authorize"),
            "token_endpoint": .string("\(Self.origin)/token"), "jwks_uri": .string("\(Self.origin)/jwks"),
            "id_token_signing_alg_values_supported": ["ES256"],
        ]
        return Response(
            status: 200, fields: ["Content-Type": "application/json"], body: .bytes(JSONWriter.bytes(discovery)))
    }
}
