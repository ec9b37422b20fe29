package import HTTPModel
import OAuthWire
package import Primitives

/// Proxies that are believed about their client. There are two lists: a proxy that removes clients' own address fields
/// need not remove their certificate fields.
package struct TrustedProxies: Sendable {
    private let certificate: ForwardedCertificate
    private let address: ForwardedAddress

    /// `certificates` are believed about their client's certificate (RFC 9440), `addresses` about its address, which
    /// stands in `field`.
    package init(
        certificates: [IPNetwork] = [], addresses: [IPNetwork] = [], field: ClientAddressField = .xForwardedFor
    ) {
        certificate = ForwardedCertificate(proxies: certificates)
        address = ForwardedAddress(proxies: addresses, field: field)
    }

    /// True if some proxy is believed about certificates.
    package var haveCertificates: Bool { !certificate.proxies.isEmpty }

    /// False if `resolved` would keep the request's certificate. It may still change the address.
    func mayChangeCertificate(_ request: Request) -> Bool { certificate.mayChange(request) }

    /// Address of the client of the outermost trusted proxy. Without a trusted proxy it is the peer's.
    package func clientAddress(of request: Request) -> String { address.client(of: request) }

    /// The request with its client's address and certificate as trusted proxies give them. Certificates from other
    /// peers' fields are removed.
    /// - Throws: `OAuthError` if a trusted proxy's fields violate RFC 9440 clause 2.
    func resolved(_ request: Request) throws(OAuthError) -> Request {
        // Both need the peer's address.
        var resolved = try certificate.resolved(request)
        resolved.remoteAddress = address.client(of: request)
        return resolved
    }
}
