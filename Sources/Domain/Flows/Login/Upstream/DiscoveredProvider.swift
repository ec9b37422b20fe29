import AuthorizationCore
import JOSE
import Primitives

/// The parts of an OpenID provider's metadata that a login needs (OIDC Discovery 3).
struct DiscoveredProvider: Sendable, Equatable {
    let issuer: String
    let authorization: EndpointURL
    let token: EndpointURL
    let userInfo: EndpointURL?
    let keys: EndpointURL
    let algorithms: Set<JWSAlgorithm>
    let authenticationMethods: [String]
    /// True if every answer names its issuer (RFC 9207 clause 3).
    let namesIssuer: Bool

    /// Reads the document of `issuer`, which must name it exactly (OIDC Discovery 4.3).
    init(_ document: JSONValue, of issuer: EndpointURL) throws(UpstreamFailure) {
        guard let name = document["issuer"]?.stringValue, name == issuer.description else {
            throw .violation(
                .discovery("issuer is \(document["issuer"]?.stringValue ?? "missing"), not \(issuer.description)"))
        }
        func endpoint(_ member: String) throws(UpstreamFailure) -> EndpointURL {
            guard let url = document[member]?.stringValue.flatMap({ EndpointURL($0) }) else {
                throw .violation(.discovery("\(member) is missing or no https URL"))
            }
            return url
        }
        self.issuer = name
        authorization = try endpoint("authorization_endpoint")
        token = try endpoint("token_endpoint")
        keys = try endpoint("jwks_uri")
        userInfo = document["userinfo_endpoint"] == nil ? nil : try endpoint("userinfo_endpoint")
        // A provider must support RS256, so it is the default.
        let algorithms = document["id_token_signing_alg_values_supported"]?.stringsValue ?? ["RS256"]
        self.algorithms = Set(algorithms.compactMap(JWSAlgorithm.init(rawValue:)))
        authenticationMethods =
            document["token_endpoint_auth_methods_supported"]?.stringsValue ?? ["client_secret_basic"]
        namesIssuer = document["authorization_response_iss_parameter_supported"]?.boolValue ?? false
    }
}
