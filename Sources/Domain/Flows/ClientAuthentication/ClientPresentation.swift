package import AuthorizationCore
package import HTTPModel
package import OAuthWire
package import Primitives

/// What came with a message that should prove its sender.
package struct ClientPresentation: Sendable {
    package let credentials: PresentedCredentials
    package let parameters: Parameters
    package let configuration: TenantConfiguration
    /// The endpoint as it was called, which an assertion may be for: authority and path, such as `/oauth/token`.
    package let host: String
    package let path: String
    /// What came with the connection.
    package let certificate: ClientCertificate?
    /// The peer's address, for the audit log.
    package let remoteAddress: String
    package let now: Timestamp

    package init(
        credentials: PresentedCredentials, parameters: Parameters, configuration: TenantConfiguration, host: String,
        path: String, certificate: ClientCertificate? = nil, remoteAddress: String, now: Timestamp
    ) {
        self.credentials = credentials
        self.parameters = parameters
        self.configuration = configuration
        self.host = host
        self.path = path
        self.certificate = certificate
        self.remoteAddress = remoteAddress
        self.now = now
    }

    /// Whose name it came in, which proves nothing.
    var claimedClient: ClientID? {
        if case .assertion(let text) = credentials.proof {
            return (try? ClientAssertion(parsing: text, clientID: credentials.clientID))?.client
        }
        return credentials.clientID.map { ClientID($0) }
    }
}
