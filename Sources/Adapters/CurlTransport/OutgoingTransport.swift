import CCurl
import Glibc
package import HTTPModel
import Primitives

/// Sends requests admitted by a policy, over connections to addresses that the policy allows. Connections are reused,
/// so a transport has only one policy.
package final class OutgoingTransport: OutgoingHTTPClient {
    package let policy: OutgoingPolicy
    private let transport: CurlTransport

    /// Starts the transport's thread.
    package init(
        _ policy: OutgoingPolicy, _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
    ) throws(HTTPClientError) {
        self.policy = policy
        var configuration = configuration
        // With a proxy, the policy would check the proxy's address instead of the server's.
        configuration.proxy = nil
        configuration.policy = policy
        transport = try CurlTransport(configuration)
    }

    package func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        guard request.policy == policy else { throw .other("the request was admitted by another policy") }
        return try await transport.send(request.request)
    }
}

extension IPAddress {
    /// Nil for other address families than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            var bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: &bytes) { Array($0) })
        case AF_INET6:
            var bytes = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: &bytes) { Array($0) })
        default: return nil
        }
    }
}
