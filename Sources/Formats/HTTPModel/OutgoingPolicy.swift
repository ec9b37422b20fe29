package import Primitives

/// Addresses that the server may contact because a tenant configured them: public addresses over TLS, and networks that
/// the operator allows. Checked for the connected address, which prevents server-side request forgery.
package struct OutgoingPolicy: Sendable, Equatable {
    /// This machine's own addresses: for development.
    package static let loopback = ["127.0.0.0/8", "::1"].compactMap { IPNetwork($0) }

    /// Further networks that may be contacted, also without TLS.
    package let networks: [IPNetwork]

    package init(allowing networks: [IPNetwork] = []) { self.networks = networks }

    /// True if a connection to the address may be opened. Without TLS the peer is not authenticated, so only networks
    /// that the operator named are allowed.
    package func allows(_ address: IPAddress, isSecure: Bool) -> Bool {
        if networks.contains(where: { $0.contains(address) }) { return true }
        // NAT64 translates it to the IPv4 address within (RFC 6052 clause 2.1).
        if let inner = Self.translated.contains(address) ? IPAddress(bytes: Array(address.bytes.suffix(4))) : nil {
            return allows(inner, isSecure: isSecure)
        }
        return isSecure && Self.isPublic(address)
    }

    /// False for an address, or a name of this machine, to which no connection over TLS may be opened, and for text
    /// that is no host. The addresses of any other name are checked when it is resolved, for each connection.
    package func mayAllow(host: some StringProtocol) -> Bool {
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), let address = IPAddress(String(host.dropFirst().dropLast())) else {
                return false
            }
            return allows(address, isSecure: true)
        }
        // A full stop at the end leaves the name as it is (RFC 1034 clause 3.1).
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : String(host)).lowercased()
        if let address = IPAddress(name) { return allows(address, isSecure: true) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, labels.allSatisfy({ !$0.isEmpty }), !name.contains(where: "[]".contains) else {
            return false
        }
        if last == "localhost" { return Self.localhost.contains { allows($0, isSecure: true) } }
        // Resolvers read `2130706433`, `127.1` and `0x7f.1` as addresses (URL Standard, "ends in a number").
        return !last.allSatisfy(\.isNumber) && !last.hasPrefix("0x")
    }

    private static let localhost = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }

    /// Admits a request to an address that a tenant chose. Nothing else makes an `OutgoingRequest`.
    package func admit(_ request: ClientRequest) throws(HTTPClientError) -> OutgoingRequest {
        let isSecure = request.url.hasPrefix("https://")
        guard isSecure || request.url.hasPrefix("http://") else { throw .invalidURL("only https and http are spoken") }
        guard isSecure || !networks.isEmpty else {
            throw .cannotConnect("http without TLS needs a network that the operator allows")
        }
        return OutgoingRequest(request, policy: self)
    }

    private static let translated = known("64:ff9b::/96")

    /// The IANA special-purpose registries (RFC 6890), and multicast and reserved addresses.
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

/// A request that a policy admitted. Its sender connects only to addresses that the policy allows.
package struct OutgoingRequest: Sendable {
    package let request: ClientRequest
    package let policy: OutgoingPolicy

    fileprivate init(_ request: ClientRequest, policy: OutgoingPolicy) {
        self.request = request
        self.policy = policy
    }
}

/// Port for requests to addresses that tenants chose. Not an `HTTPClient`, which connects to any address.
package protocol OutgoingHTTPClient: Sendable {
    var policy: OutgoingPolicy { get }

    /// Sends a request and reads the whole answer. The policy is checked at each connection. Redirects are not
    /// followed.
    func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse
}

extension OutgoingHTTPClient {
    package func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        try await send(try policy.admit(request))
    }
}
