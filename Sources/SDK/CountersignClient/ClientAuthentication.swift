import HTTPModel
import Primitives

/// How a client proves who it is (RFC 6749 clause 2.3.1). Never prints its secret.
public struct ClientAuthentication: Sendable {
    private enum Method { case post, basic }

    private let method: Method
    private let secret: SecretBytes

    /// The secret in the body (`client_secret_post`).
    public static func secretPost(_ secret: String) -> ClientAuthentication {
        ClientAuthentication(method: .post, secret: SecretBytes(utf8: secret))
    }

    /// The secret in the Authorization header (`client_secret_basic`).
    public static func secretBasic(_ secret: String) -> ClientAuthentication {
        ClientAuthentication(method: .basic, secret: SecretBytes(utf8: secret))
    }

    func apply(clientID: String, to form: inout FormFields, _ fields: inout HTTPFields) {
        let secret = String(decoding: secret.bytes, as: UTF8.self)
        switch method {
        case .post:
            form.append("client_id", clientID)
            form.append("client_secret", secret)
        case .basic:
            // Both are form-encoded before they are joined (RFC 6749 clause 2.3.1).
            let pair = "\(PercentEncoding.encode(clientID)):\(PercentEncoding.encode(secret))"
            fields.set("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))")
        }
    }
}
