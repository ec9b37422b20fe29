import CurlTransport
package import HTTPModel
import Primitives
import Synchronization

/// Collects the times in servers' `Date`, to compare the system's clock with.
package final class ServerTimes: Sendable {
    private let times = Mutex<[ServerTime]>([])
    private let clock: any WallClock

    init(_ clock: any WallClock) { self.clock = clock }

    var all: [ServerTime] { times.withLock { $0 } }

    /// - Parameter isFixed: False for a server that a tenant chose.
    func record(_ response: ClientResponse, from source: String, isFixed: Bool) {
        guard let date = response.date else { return }
        let time = ServerTime(source: source, time: date, at: clock.now, isFixed: isFixed)
        times.withLock { times in
            // One answer of each server is enough.
            if !times.contains(where: { $0.source == source }) { times.append(time) }
        }
    }

    /// A client that sends by `client`, to addresses that tenants cannot choose, and records the time of each answer.
    package func recording(_ client: any OutgoingHTTPClient) -> any OutgoingHTTPClient {
        RecordingClient(client: client, times: self)
    }

    private struct RecordingClient: OutgoingHTTPClient {
        let client: any OutgoingHTTPClient
        let times: ServerTimes

        var policy: OutgoingPolicy { client.policy }

        func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
            let response = try await client.send(request)
            let parts = request.request.url.split(separator: "/", maxSplits: 2)
            times.record(response, from: parts.count > 1 ? String(parts[1]) : "", isFixed: true)
            return response
        }
    }
}
