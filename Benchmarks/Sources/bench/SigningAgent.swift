import Workbench
import JOSE
import OpenSSLCrypto
import Primitives

/// The requesting client, which signs an assertion for each request (`private_key_jwt`, ES256).
struct SigningAgent: Sendable {
    static let clientID = "signing"

    let host: String
    let signer: OpenSSLSigner

    func start(user: String, expiry: Int) throws -> [UInt8] {
        let hint = JSONWriter.string(["format": "iss_sub", "iss": .string("https://\(host)/"), "sub": .string(user)])
        return try form(
            "/bc-authorize",
            [
                ("scope", "openid"), ("audience", Tenancy.audience), ("binding_message", "Order 4711"),
                ("login_hint", hint), ("requested_expiry", String(expiry)),
            ])
    }

    func poll(_ identifier: some Sequence<UInt8>) throws -> [UInt8] {
        try form(
            "/oauth/token",
            [
                ("grant_type", Agent.grantType),
                ("auth_req_id", String(decoding: Array(identifier), as: UTF8.self)),
            ])
    }

    private func form(_ path: String, _ parameters: [(String, String)]) throws -> [UInt8] {
        let now = Timestamp.current.seconds
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("iss", Self.clientID)
            claims.member("sub", Self.clientID)
            claims.member("aud", "https://\(host)/")
            claims.member("jti", Base64URL.encode(SystemRandom().bytes(16)))
            claims.member("iat", now)
            claims.member("exp", now + 280)
        }
        let proof = [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", try JWS.sign(claims.bytes, with: signer)),
        ]
        return HTTPRequest.post(path, host: host, form: proof + parameters)
    }
}
