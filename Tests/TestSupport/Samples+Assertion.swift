package import AuthorizationCore
package import JOSE
import OAuthWire
package import Primitives

/// Clients that sign.
extension Samples {
    /// A client of `private_key_jwt` whose keys are `Keys.signer(algorithm, "client " + id, keyID: …)`, each under the
    /// `kid` that is the algorithm's name.
    package static func signingClient(
        _ id: String = "signing", _ algorithms: [JWSAlgorithm] = [.es256], _ change: (inout Client) -> Void = { _ in }
    ) throws -> Client {
        let keys = try algorithms.map { try clientSigner(id, $0).publicKey }
        return client(id) { client in
            client.secretHashes = []
            client.authenticationMethod = .privateKeyJWT
            client.credentials = keys.enumerated().map { index, key in
                ClientCredential(
                    id: ClientCredentialID("cred_\(index)"), name: "key \(index)", content: .publicKey(key),
                    createdAt: start)
            }
            change(&client)
        }
    }

    package static func clientSigner(_ id: String = "signing", _ algorithm: JWSAlgorithm = .es256) throws -> any Signer
    {
        try Keys.signer(algorithm, "client \(id)", keyID: algorithm.rawValue)
    }

    /// A valid assertion, with claims that `change` sets or removes.
    package static func assertion(
        _ id: String = "signing", signer: (any Signer)? = nil, type: String? = "JWT", at now: Timestamp = start,
        identifier: String, _ change: (inout JSONObject) -> Void = { _ in }
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(id), "sub": .string(id), "aud": "https://dev.example/", "jti": .string(identifier),
            "iat": JSONValue(now.seconds), "exp": JSONValue(now.seconds + 120),
        ]
        change(&claims)
        let signer = try signer ?? clientSigner(id)
        return try JWS.sign(JSONWriter.bytes(.object(claims)), type: type, with: signer)
    }

    /// Parameters with an assertion.
    package static func proof(_ assertion: String) -> [String: String?] {
        [
            "client_id": nil, "client_secret": nil,
            "client_assertion_type": PresentedCredentials.assertionType, "client_assertion": assertion,
        ]
    }
}
