import Foundation
import HTTPModel
import JOSE
import MicroHTTPServer
import OpenSSLCrypto
import Primitives
import Synchronization

/// An OpenID provider on the loopback that lets everybody in at once, or nobody.
final class StandInProvider: Sendable {
    private let server: HTTPServer
    private let fixture: ProviderState

    var issuer: String { "http://127.0.0.1:\(server.port)/" }
    /// The refresh tokens that were revoked.
    var revoked: [String] { fixture.revoked.withLock(\.self) }

    /// - Parameter error: the answer of `/authorize` to everybody; nil lets them in.
    init(error: String? = nil) throws {
        let fixture = ProviderState(error: error, key: try OpenSSLSigner.generate(algorithm: .es256, keyID: "key-1"))
        self.fixture = fixture
        server = try HTTPServer(
            configuration: HTTPServerConfiguration(threads: 1), handler: { await fixture.answer($0) })
        try server.start()
    }

    func stop() async { await server.stop(within: .seconds(1)) }
}

private final class ProviderState: Sendable {
    let error: String?
    let key: OpenSSLSigner
    let revoked = Mutex<[String]>([])
    private let nonce = Mutex("")

    init(error: String?, key: OpenSSLSigner) {
        self.error = error
        self.key = key
    }

    func answer(_ request: Request) async -> Response {
        let base = "http://\(request.fields["Host"] ?? "")"
        let query = (try? FormFields(parsing: Array((request.query ?? "").utf8))) ?? FormFields()
        let form = (try? FormFields(parsing: request.body)) ?? FormFields()
        switch request.path {
        case "/.well-known/openid-configuration":
            return json([
                "issuer": .string("\(base)/"), "jwks_uri": .string("\(base)/keys"),
                "authorization_endpoint": .string("\(base)/authorize"),
                "token_endpoint": .string("\(base)/oauth/token"),
                "revocation_endpoint": .string("\(base)/oauth/revoke"),
                "end_session_endpoint": .string("\(base)/oidc/logout"),
                "authorization_response_iss_parameter_supported": true,
            ])
        case "/keys": return json(JWKSet(keys: [key.publicKey]).json)
        case "/authorize":
            nonce.withLock { $0 = query["nonce"] ?? "" }
            let back = FormFields([
                ("state", query["state"] ?? ""), ("iss", "\(base)/"), (error == nil ? "code" : "error", error ?? "c-1"),
            ])
            return Response(
                status: 302, fields: ["Location": "\(query["redirect_uri"] ?? "")?\(back.encoded)"])
        case "/oauth/token" where form["code"] == "c-1": return tokens(base, client: form["client_id"] ?? "")
        case "/oauth/revoke":
            revoked.withLock { $0.append(form["token"] ?? "") }
            return Response(status: 200)
        default: return Response(status: 404)
        }
    }

    private func tokens(_ base: String, client: String) -> Response {
        let now = Int64(Date().timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": .string("\(base)/"), "sub": "auth0|ann", "aud": .string(client), "iat": JSONValue(now),
            "exp": JSONValue(now + 3600), "nonce": .string(nonce.withLock(\.self)), "name": "Ann",
        ]
        let token = (try? JWS.sign(JSONWriter.bytes(claims), with: key)) ?? ""
        return json([
            "access_token": "access-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "refresh-1",
            "id_token": .string(token), "scope": "openid",
        ])
    }

    private func json(_ value: JSONValue) -> Response {
        Response(status: 200, fields: ["Content-Type": "application/json"], body: .bytes(JSONWriter.bytes(value)))
    }
}
