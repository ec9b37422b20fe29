import HTTPModel
import Primitives

/// How a client proves who it is (RFC 6749 clause 2.3.1). Never prints its secret.
public struct ClientAuthentication: Sendable {
    private enum Method {
        case publicClient
        case post(SecretBytes)
        case basic(SecretBytes)
    }

    private let method: Method

    /// No secret: an app on people's devices, which could not keep one (RFC 8252 clause 8.4). Log-ins are bound to it
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

    func apply(clientID: String, to form: inout FormFields, _ fields: inout HTTPFields) {
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
        }
    }
}
