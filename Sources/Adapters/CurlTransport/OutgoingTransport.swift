package import HTTPModel
import Synchronization

/// Sends requests admitted by a policy, over connections to addresses that the policy allows. Connections are reused,
/// so a transport has only one policy.
///
/// libcurl keeps a shared connection (HTTP/2) on which requests time out, and sends the next ones over it. If the
/// configuration shares connections, requests after a time-out on an established connection therefore go over a new
/// one, and those in flight end on the old one.
package final class OutgoingTransport: OutgoingHTTPClient {
    package let policy: OutgoingPolicy
    private let current: Mutex<CurlTransport>

    /// Starts the transport's thread.
    package init(
        _ policy: OutgoingPolicy, _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
    ) throws(HTTPClientError) {
        self.policy = policy
        var configuration = configuration
        // With a proxy, the policy would check the proxy's address instead of the server's.
        configuration.proxy = nil
        configuration.policy = policy
        current = Mutex(try CurlTransport(configuration))
    }

    package func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        guard request.policy == policy else { throw .other("the request was admitted by another policy") }
        let transport = current.withLock { $0 }
        do throws(HTTPClientError) {
            return try await transport.send(request.request)
        } catch {
            if transport.hasSilentConnection { replace(transport) }
            throw error
        }
    }

    /// Does nothing if another request replaced it already.
    private func replace(_ silent: CurlTransport) {
        guard current.withLock({ $0 === silent }), let fresh = try? CurlTransport(silent.configuration) else { return }
        current.withLock { if $0 === silent { $0 = fresh } }
    }
}
