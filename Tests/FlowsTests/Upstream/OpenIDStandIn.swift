import HTTPModel
import JOSE
import Primitives
import Synchronization
import TestSupport

/// An OpenID provider whose answers a test can change.
final class OpenIDStandIn: Sendable {
    static let origin = "https://idp.example"
    static let issuer = "\(origin)/"

    struct Answers: Sendable {
        var discovery: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string("\(origin)/authorize?tenant=a"),
            "token_endpoint": .string("\(origin)/token"), "userinfo_endpoint": .string("\(origin)/userinfo"),
            "jwks_uri": .string("\(origin)/jwks"), "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        ]
        var keys: [JWK] = []
        /// Changes the ID token's claims.
        var claims: @Sendable (inout JSONObject) -> Void = { _ in }
        var signer: any Signer
        var type: String? = "JWT"
        var idToken: String?
        var token: (status: Int, body: JSONObject)?
        var userInfo: JSONObject = ["sub": "u-1", "email": "Ann@Example.org", "email_verified": true]
        /// Bytes of blanks before userinfo.
        var padding = 0
    }

    private let answers: Mutex<Answers>
    private let received = Mutex<[Request]>([])
    private let clock: ManualClock
    /// The nonce of the authorization request.
    let nonce = Mutex("")

    init(_ clock: ManualClock) throws {
        self.clock = clock
        let signer = try Keys.signer(.es256, "idp", keyID: "idp-1")
        answers = Mutex(Answers(keys: [signer.publicKey], signer: signer))
    }

    func change(_ body: (inout Answers) throws -> Void) rethrows { try answers.withLock { try body(&$0) } }

    func requests(_ path: String) -> [Request] { received.withLock { $0.filter { $0.path == path } } }

    func handle(_ request: Request) -> Response {
        received.withLock { $0.append(request) }
        let answers = answers.withLock { $0 }
        switch request.path {
        case "/.well-known/openid-configuration": return json(.object(answers.discovery))
        case "/jwks": return json(JWKSet(keys: answers.keys).json)
        case "/userinfo":
            guard request.fields["Authorization"] == "Bearer access" else { return Response(status: 401) }
            return json(.object(answers.userInfo), padding: answers.padding)
        case "/token":
            if let (status, body) = answers.token { return json(.object(body), status: status) }
            guard let token = answers.idToken ?? (try? idToken(answers)) else { return Response(status: 500) }
            return json(["access_token": "access", "token_type": "Bearer", "id_token": .string(token)])
        default: return Response(status: 404)
        }
    }

    private func idToken(_ answers: Answers) throws -> String {
        var claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "client", "sub": "u-1", "nonce": .string(nonce.withLock { $0 }),
            "iat": JSONValue(clock.now.seconds), "exp": JSONValue(clock.now.seconds + 300), "name": "Ann",
        ]
        answers.claims(&claims)
        return try JWS.sign(JSONWriter.bytes(.object(claims)), type: answers.type, with: answers.signer)
    }

    private func json(_ value: JSONValue, status: Int = 200, padding: Int = 0) -> Response {
        Response(
            status: status, fields: ["Content-Type": "application/json"],
            body: .bytes([UInt8](repeating: 0x20, count: padding) + JSONWriter.bytes(value)))
    }
}
