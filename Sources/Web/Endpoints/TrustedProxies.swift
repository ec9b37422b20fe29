package import HTTPModel
import OAuthWire
package import Primitives

/// Whose word counts on who the client is that they pass requests on for. Two lists, because a proxy must keep clients
/// from saying the same themselves, and one that does so for their address need not do it for their certificate.
package struct TrustedProxies: Sendable {
    private let certificate: ForwardedCertificate
    private let address: ForwardedAddress

    /// `certificates` are those that say which certificate their client has (RFC 9440), `addresses` those that say in
    /// `field` which address.
    package init(
        certificates: [IPNetwork] = [], addresses: [IPNetwork] = [], field: ClientAddressField = .xForwardedFor
    ) {
        certificate = ForwardedCertificate(proxies: certificates)
        address = ForwardedAddress(proxies: addresses, field: field)
    }

    /// Whether clients' certificates may come this way.
    var haveCertificates: Bool { !certificate.proxies.isEmpty }

    /// False where the certificate of `resolved` would certainly be the request's. The address may be another: it is
    /// for what the client's may change.
    func mayChangeCertificate(_ request: Request) -> Bool { certificate.mayChange(request) }

    /// The address of whoever sent the request to the first of the trusted proxies; the peer's where none passed it on.
    package func clientAddress(of request: Request) -> String { address.client(of: request) }

    /// The request with what trusted proxies said of its client, and without the certificate that anybody else said.
    /// - Throws: `OAuthError` where a trusted proxy's fields are not as RFC 9440 clause 2 has them.
    func resolved(_ request: Request) throws(OAuthError) -> Request {
        // Both look at the peer.
        var resolved = try certificate.resolved(request)
        resolved.remoteAddress = address.client(of: request)
        return resolved
    }
}
