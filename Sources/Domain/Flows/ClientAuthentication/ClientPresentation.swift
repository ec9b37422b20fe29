package import AuthorizationCore
package import HTTPModel
package import OAuthWire
import Primitives

/// Credentials of a message, before its sender is authenticated.
package struct ClientPresentation: Sendable {
    package let credentials: PresentedCredentials
    package let parameters: Parameters
    package let context: RequestContext
    /// Authority and path of the called endpoint, which an assertion may name as its audience.
    package let host: String
    package let path: String
    /// Certificate of the connection.
    package let certificate: ClientCertificate?

    package init(
        credentials: PresentedCredentials, parameters: Parameters, context: RequestContext, host: String, path: String,
        certificate: ClientCertificate? = nil
    ) {
        self.credentials = credentials
        self.parameters = parameters
        self.context = context
        self.host = host
        self.path = path
        self.certificate = certificate
    }

    /// Client that the credentials name, which proves nothing.
    var claimedClient: ClientID? {
        if case .assertion(let text) = credentials.proof {
            return (try? ClientAssertion(parsing: text, clientID: credentials.clientID))?.client
        }
        return credentials.clientID.map { ClientID($0) }
    }
}
