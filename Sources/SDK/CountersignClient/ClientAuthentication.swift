import HTTPModel
public import JOSE
import OAuthWire
public import PlatformFoundation
import Primitives

/// A client's authentication method (RFC 6749 clause 2.3, RFC 7523). Printing it shows no secret.
public struct ClientAuthentication: Sendable {
    private enum Method {
        case publicClient
        case post(SecretBytes)
        case basic(SecretBytes)
        case assertion(any Signer)
    }

    private let method: Method

    /// No authentication: for an app on users' devices, which cannot keep a secret (RFC 8252 clause 8.4). PKCE protects
    /// its logins. It cannot use CIBA.
    public static let publicClient = ClientAuthentication(method: .publicClient)

    /// A secret in the body (`client_secret_post`).
    public static func secretPost(_ secret: String) -> ClientAuthentication {
        ClientAuthentication(method: .post(SecretBytes(utf8: secret)))
    }

    /// A secret in the Authorization header (`client_secret_basic`).
    public static func secretBasic(_ secret: String) -> ClientAuthentication {
        ClientAuthentication(method: .basic(SecretBytes(utf8: secret)))
    }

    /// An assertion signed with the client's key, a new one for each request (`private_key_jwt`).
    ///
    /// - Parameters:
    ///   - pem: An unencrypted private key: P-256 (ES256), and except on Apple platforms also P-384 (ES384), Ed25519
    ///     (EdDSA) and RSA with at least 2048 bits (RS256).
    ///   - keyID: The key's `kid` at the server. It may be omitted if the client has only one key.
    /// - Throws: `invalidRequest` for any other key.
    public static func privateKey(pem: Data, keyID: String? = nil) throws(CountersignError) -> ClientAuthentication {
        guard let signer = systemSigner(pem: pem, keyID: keyID) else {
            throw .invalidRequest("the data is not an unencrypted private key in PEM that can sign assertions")
        }
        return privateKey(signer)
    }

    /// An assertion signed with a key that is kept elsewhere, for example in hardware. The product `CountersignPorts`
    /// has the protocol of signers. If the signer's `publicKey.keyID` is set, the assertion's header contains it.
    public static func privateKey(_ signer: any Signer) -> ClientAuthentication {
        ClientAuthentication(method: .assertion(signer))
    }

    /// Values of one assertion.
    struct Occasion {
        /// The issuer of the server that is called.
        let audience: String
        let now: Timestamp
        let random: any RandomSource
    }

    /// Lifetime of an assertion in seconds.
    private static let assertionLifetime: Int64 = 60

    /// - Throws: The signer's error.
    func apply(clientID: String, to form: inout FormFields, _ fields: inout HTTPFields, _ occasion: Occasion) throws {
        switch method {
        case .publicClient: form.append("client_id", clientID)
        case .post(let secret):
            form.append("client_id", clientID)
            form.append("client_secret", String(decoding: secret.bytes, as: UTF8.self))
        case .basic(let secret):
            // Both are form-encoded before they are joined (RFC 6749 clause 2.3.1).
            let secret = PercentEncoding.encode(String(decoding: secret.bytes, as: UTF8.self))
            let pair = "\(PercentEncoding.encode(clientID)):\(secret)"
            fields.set("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))")
        case .assertion(let signer):
            form.append("client_id", clientID)
            form.append("client_assertion_type", PresentedCredentials.assertionType)
            form.append("client_assertion", try Self.assertion(clientID, occasion, by: signer))
        }
    }

    /// RFC 7523 clause 3.
    private static func assertion(_ clientID: String, _ occasion: Occasion, by signer: some Signer) throws -> String {
        let claims = JSONWriter.object { claims in
            claims.member("iss", clientID)
            claims.member("sub", clientID)
            claims.member("aud", occasion.audience)
            claims.member("jti", Base64URL.encode(occasion.random.bytes(16)))
            claims.member("iat", occasion.now.seconds)
            claims.member("exp", occasion.now.seconds + assertionLifetime)
        }
        return try JWS.sign(claims, with: signer)
    }
}
