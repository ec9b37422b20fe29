public import Foundation
import HTTPModel
public import JOSE
import OAuthWire
import Primitives

/// How a client proves who it is (RFC 6749 clause 2.3, RFC 7523). Never prints its secret.
public struct ClientAuthentication: Sendable {
    private enum Method {
        case publicClient
        case post(SecretBytes)
        case basic(SecretBytes)
        case assertion(any Signer)
    }

    private let method: Method

    /// No secret: an app on people's devices, which could not keep one (RFC 8252 clause 8.4). Logins are bound to it
    /// by PKCE, and CIBA is not for it.
    public static let publicClient = ClientAuthentication(method: .publicClient)

    /// The secret in the body (`client_secret_post`).
    public static func secretPost(_ secret: String) -> ClientAuthentication {
        ClientAuthentication(method: .post(SecretBytes(utf8: secret)))
    }

    /// The secret in the Authorization header (`client_secret_basic`).
    public static func secretBasic(_ secret: String) -> ClientAuthentication {
        ClientAuthentication(method: .basic(SecretBytes(utf8: secret)))
    }

    /// An assertion that the client's own key signs, a new one each time (`private_key_jwt`).
    ///
    /// - Parameters:
    ///   - pem: an unencrypted private key: P-256 (ES256); elsewhere than on Apple platforms also P-384 (ES384), Ed25519
    ///     (EdDSA) and RSA of 2048 bits or more (RS256).
    ///   - keyID: the `kid` that the server knows the key by; not needed where the client has one key.
    /// - Throws: `invalidRequest` for anything else.
    public static func privateKey(pem: Data, keyID: String? = nil) throws(CountersignError) -> ClientAuthentication {
        guard let signer = systemSigner(pem: pem, keyID: keyID) else {
            throw .invalidRequest("it is no unencrypted private key in PEM that assertions are signed with")
        }
        return privateKey(signer)
    }

    /// The same with a key that is kept elsewhere, in hardware for one; the product `CountersignPorts` has what a signer
    /// is made of. The assertion's header names the key by the signer's `publicKey.keyID`, where it has one.
    public static func privateKey(_ signer: any Signer) -> ClientAuthentication {
        ClientAuthentication(method: .assertion(signer))
    }

    /// What an assertion says beside whose it is.
    struct Occasion {
        /// The issuer of the server that is called.
        let audience: String
        let now: Timestamp
        let random: any RandomSource
    }

    /// Seconds that an assertion lives.
    private static let assertionLifetime: Int64 = 60

    /// - Throws: what the signer throws.
    func apply(clientID: String, to form: inout FormFields, _ fields: inout HTTPFields, _ occasion: Occasion) throws {
        switch method {
        case .publicClient:
            form.append("client_id", clientID)
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
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("iss", clientID)
            claims.member("sub", clientID)
            claims.member("aud", occasion.audience)
            claims.member("jti", Base64URL.encode(occasion.random.bytes(16)))
            claims.member("iat", occasion.now.seconds)
            claims.member("exp", occasion.now.seconds + assertionLifetime)
        }
        return try JWS.sign(claims.bytes, with: signer)
    }
}
