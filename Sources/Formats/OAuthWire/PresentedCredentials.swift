package import Primitives

/// A client's unverified credentials (RFC 6749 clause 2.3, RFC 7521 clause 4.2).
package struct PresentedCredentials: Sendable {
    package enum Proof: Sendable {
        /// None in the message. The connection may have a certificate (RFC 8705 clause 2).
        case none
        case secret(SecretBytes)
        /// A JWT (RFC 7523 clause 2.2).
        case assertion(String)
    }

    /// RFC 7523 clause 2.2.
    package static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// Parameters of client authentication.
    package static let parameterNames: Set = [
        "client_id", "client_secret", "client_assertion", "client_assertion_type",
    ]

    /// Nil only with an assertion, which names its client itself.
    package let clientID: String?
    package let proof: Proof

    /// Reads the Authorization header and the body. Two methods at once are refused (RFC 6749 clause 2.3).
    package init(authorization: String?, parameters: Parameters) throws(OAuthError) {
        let bodyID = parameters["client_id"]
        let bodySecret = parameters["client_secret"]
        let assertion = parameters["client_assertion"]
        if assertion != nil || parameters["client_assertion_type"] != nil {
            guard authorization == nil, bodySecret == nil else {
                throw OAuthError(.invalidRequest, "Authenticate by client_assertion or by a secret, not by both")
            }
            guard let assertion else { throw OAuthError.missing("client_assertion") }
            guard let type = parameters["client_assertion_type"] else {
                throw OAuthError.missing("client_assertion_type")
            }
            guard type == Self.assertionType else {
                throw OAuthError(.invalidClient, "client_assertion_type must be \(Self.assertionType)")
            }
            clientID = bodyID
            proof = .assertion(assertion)
            return
        }
        guard let authorization else {
            guard let bodyID else {
                throw OAuthError(
                    .invalidClient, "Missing client_id: send it with client_secret in the body, or use HTTP Basic")
            }
            clientID = bodyID
            proof = bodySecret.map { .secret(SecretBytes(utf8: $0)) } ?? .none
            return
        }
        guard let basic = Self.basic(authorization) else {
            throw OAuthError(.invalidClient, "The Authorization header must be HTTP Basic with client id and secret")
        }
        guard bodyID == nil || bodyID == basic.id else {
            throw OAuthError(.invalidRequest, "client_id must be the one in the Authorization header, or be left out")
        }
        guard bodySecret == nil else {
            throw OAuthError(.invalidRequest, "Authenticate in the Authorization header or in the body, not in both")
        }
        clientID = basic.id
        proof = .secret(SecretBytes(utf8: basic.secret))
    }

    /// Both parts are form-encoded before they are joined (RFC 6749 clause 2.3.1).
    private static func basic(_ header: String) -> (id: String, secret: String)? {
        let parts = header.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "basic", let decoded = Base64.decode(parts[1]),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            let id = PercentEncoding.decode(decoded[..<colon], plusIsSpace: true),
            let secret = PercentEncoding.decode(decoded[(colon + 1)...], plusIsSpace: true), !id.isEmpty
        else { return nil }
        return (id, secret)
    }
}
