package import Primitives

/// One name by which a certificate's subject is known (RFC 8705 clause 2.1.2).
package enum CertificateName: Sendable, Hashable {
    case subject(DistinguishedName, text: String)
    case dns(String)
    case uri(String)
    case address(IPAddress)
    case email(String)

    /// True if the certificate has exactly this name. DNS names are compared without case. A wildcard matches only
    /// itself.
    package func names(_ certificate: Certificate) -> Bool {
        switch self {
        case .subject(let name, _): certificate.subject == name
        case .dns(let name): certificate.dnsNames.contains { $0.lowercased() == name.lowercased() }
        case .uri(let uri): certificate.uris.contains(uri)
        case .address(let address): certificate.addresses.contains(address)
        case .email(let email): certificate.emails.contains(email)
        }
    }
}
