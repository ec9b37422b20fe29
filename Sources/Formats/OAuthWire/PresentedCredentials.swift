public import Primitives

/// How a client says who it is (RFC 6749 clause 2.3.1), before anything is believed.
public struct PresentedCredentials: Sendable {
    public enum Method: Sendable, Equatable { case basic, post, none }

    public let clientID: String
    public let secret: SecretBytes?
    public let method: Method

    /// Reads the Authorization header and the body. Two methods at once are refused (RFC 6749 clause 2.3).
    public init(authorization: String?, parameters: Parameters) throws(OAuthError) {
        let bodyID = parameters["client_id"]
        let bodySecret = parameters["client_secret"]
        guard let authorization else {
            guard let bodyID else {
                throw OAuthError(
                    .invalidClient, en: "Missing client_id: send it with client_secret in the body, or use HTTP Basic",
                    fr: "client_id manque : envoyez-le avec client_secret dans le corps, ou utilisez HTTP Basic")
            }
            clientID = bodyID
            secret = bodySecret.map(SecretBytes.init(utf8:))
            method = bodySecret == nil ? .none : .post
            return
        }
        guard let basic = Self.basic(authorization) else {
            throw OAuthError(
                .invalidClient, en: "The Authorization header must be HTTP Basic with client id and secret",
                fr: "L'en-tête Authorization doit être HTTP Basic avec l'identifiant et le secret du client")
        }
        guard bodySecret == nil, bodyID == nil || bodyID == basic.id else {
            throw OAuthError(
                .invalidRequest, en: "Authenticate in the Authorization header or in the body, not in both",
                fr: "Authentifiez-vous dans l'en-tête Authorization ou dans le corps, pas dans les deux")
        }
        clientID = basic.id
        secret = SecretBytes(utf8: basic.secret)
        method = .basic
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
