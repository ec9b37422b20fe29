package import AuthorizationCore
import CurlTransport
package import Flows
package import HTTPModel
package import Primitives
import Synchronization

/// A provider's check of the credentials that tenants gave it. Sends nothing to a person.
package struct CredentialCheck: Sendable {
    /// The provider, such as `apns`.
    let name: String
    let run: @Sendable (TenantConfiguration, Timestamp) async -> [CredentialFinding]

    package init(
        _ name: String, _ run: @escaping @Sendable (TenantConfiguration, Timestamp) async -> [CredentialFinding]
    ) {
        self.name = name
        self.run = run
    }
}

/// Collects the times that servers tell in `Date`, to compare the system's clock with.
package final class ClockWitness: Sendable {
    private let times = Mutex<[ToldTime]>([])
    private let clock: any WallClock

    init(_ clock: any WallClock) { self.clock = clock }

    var told: [ToldTime] { times.withLock { $0 } }

    func note(_ response: ClientResponse, from source: String) {
        guard let date = response.date else { return }
        let told = ToldTime(source: source, time: date, at: clock.now)
        times.withLock { times in
            // One answer of each server is enough.
            if !times.contains(where: { $0.source == source }) { times.append(told) }
        }
    }

    /// A client that sends by `client`, and whose answers are noted.
    package func watching(_ client: any OutgoingHTTPClient) -> any OutgoingHTTPClient {
        WatchedClient(client: client, witness: self)
    }

    private struct WatchedClient: OutgoingHTTPClient {
        let client: any OutgoingHTTPClient
        let witness: ClockWitness

        var policy: OutgoingPolicy { client.policy }

        func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
            let response = try await client.send(request)
            let parts = request.request.url.split(separator: "/", maxSplits: 2)
            witness.note(response, from: parts.count > 1 ? String(parts[1]) : "")
            return response
        }
    }
}
