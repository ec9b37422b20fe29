package import Primitives

/// Addresses that the server may contact because a tenant configured them: public addresses over TLS, and networks that
/// the operator allows. Checked for the connected address, which prevents server-side request forgery.
package struct OutgoingPolicy: Sendable, Equatable {
    /// This machine's own addresses: for development.
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }

    /// Networks that may be asked, too, also without TLS.
    package let networks: [IPNetwork]

    package init(allowing networks: [IPNetwork] = []) { self.networks = networks }

    /// True if a connection to the address may be opened. Without TLS the peer is not authenticated, so that is for
    /// networks that the operator named.
    package func allows(_ address: IPAddress, isSecure: Bool) -> Bool {
        if networks.contains(where: { $0.contains(address) }) { return true }
        // As a NAT64 translates it (RFC 6052 clause 2.1), it is the IPv4 address behind it.
        if let inner = Self.translated.contains(address) ? IPAddress(bytes: Array(address.bytes.suffix(4))) : nil {
            return allows(inner, isSecure: isSecure)
        }
        return isSecure && Self.isPublic(address)
    }

    /// The one way to a request that leaves for an address of a tenant's choice.
    package func admit(_ request: ClientRequest) throws(HTTPClientError) -> OutgoingRequest {
        let isSecure = request.url.hasPrefix("https://")
        guard isSecure || request.url.hasPrefix("http://") else { throw .invalidURL("only https and http are spoken") }
        guard isSecure || !networks.isEmpty else {
            throw .cannotConnect("http without TLS needs a network that the operator allows")
        }
        return OutgoingRequest(request, policy: self)
    }

    private static let translated = known("64:ff9b::/96")

    /// The IANA special-purpose registries (RFC 6890), and what is multicast or reserved.
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // Special parts of global unicast: protocol assignments with Teredo and ORCHIDs, documentation, 6to4.
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].map(known)

    /// Everything else in IPv6 is special: loopback, unspecified, local, multicast and embedded IPv4 addresses.
    private static let globalUnicast = known("2000::/3")

    private static func isPublic(_ address: IPAddress) -> Bool {
        if address.bytes.count == 16, !globalUnicast.contains(address) { return false }
        return !special.contains { $0.contains(address) }
    }

    private static func known(_ text: String) -> IPNetwork {
        guard let network = IPNetwork(text) else { preconditionFailure("\(text) is no network") }
        return network
    }
}

/// A request that a policy admitted: nothing else makes one. Whoever sends it opens connections to addresses that the
/// policy allows, and to no other.
package struct OutgoingRequest: Sendable {
    package let request: ClientRequest
    package let policy: OutgoingPolicy

    fileprivate init(_ request: ClientRequest, policy: OutgoingPolicy) {
        self.request = request
        self.policy = policy
    }
}

/// The port through which a server asks at addresses that tenants chose. It is no `HTTPClient`: that one asks anywhere.
package protocol OutgoingHTTPClient: Sendable {
    var policy: OutgoingPolicy { get }

    /// Sends a request and reads the whole answer. The policy is kept to at each connection, and redirects are not
    /// followed.
    func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse
}

extension OutgoingHTTPClient {
    package func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        try await send(try policy.admit(request))
    }
}
