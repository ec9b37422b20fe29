import CurlTransport
import HTTPModel
import TestSupport
import Testing

@Suite("Requests that share a connection: one leads while it is not proven")
struct LeadingRequestTests {
    private func waiting(_ count: Int) -> LeadingRequest<Int> {
        var requests = LeadingRequest<Int>()
        for id in 1...count { requests.add(id) }
        return requests
    }

    /// Requests of which one has succeeded.
    private func proven() -> LeadingRequest<Int> {
        var requests = waiting(1)
        _ = requests.next()
        _ = requests.leaderWasAnswered(isSuccess: true, sharesConnection: true)
        return requests
    }

    @Test("The first request leads, and its success starts the others in their order")
    func success() {
        var requests = waiting(3)
        #expect(requests.next() == [1] && requests.leader == 1)
        #expect(requests.next() == [])
        requests.add(4)
        #expect(requests.leaderReusedConnection() == [], "nothing succeeded over it yet")
        #expect(requests.leaderWasAnswered(isSuccess: true, sharesConnection: true) == [2, 3, 4])
        #expect(requests.leader == nil && requests.next() == [])
    }

    @Test("After an answer without success, a failure or a cancellation, the next one leads")
    func successors() {
        var requests = waiting(5)
        #expect(requests.next() == [1])
        #expect(requests.leaderWasAnswered(isSuccess: false, sharesConnection: true) == [])
        #expect(requests.next() == [2])
        requests.failed(2)
        #expect(requests.next() == [3])
        requests.removed(3)
        requests.removed(4)
        #expect(requests.next() == [5])
        requests.removed(5)
        #expect(requests.next() == [] && requests.isUnused)
    }

    @Test("Over a proven connection, the first of several starts the others once it has been sent")
    func reused() {
        var requests = proven()
        for id in 1...3 { requests.add(id) }
        #expect(requests.next() == [1])
        #expect(requests.leaderReusedConnection() == [2, 3])
        requests.add(4)
        #expect(requests.next() == [4])
        #expect(requests.leaderReusedConnection() == [])
        #expect(requests.leader == nil && !requests.isUnused)
    }

    @Test("If libcurl connects again, the first one leads, and the new connection is proven by a success over it")
    func reconnected() {
        var requests = proven()
        for id in 1...3 { requests.add(id) }
        #expect(requests.next() == [1])
        // Not sent over the old one, and cancelled.
        requests.removed(1)
        #expect(requests.next() == [2])
        #expect(requests.leaderReusedConnection() == [], "the new one, over which nothing succeeded")
        #expect(requests.leaderWasAnswered(isSuccess: true, sharesConnection: true) == [3])
    }

    @Test("A failure of any request leaves the connection unproven, and the end of one that does not lead does not")
    func failures() {
        var requests = proven()
        requests.removed(7)
        requests.add(1)
        #expect(requests.next() == [1])
        #expect(requests.leaderReusedConnection() == [] && requests.leader == nil)
        requests.failed(8)
        #expect(requests.isUnused)
        for id in 1...2 { requests.add(id) }
        #expect(requests.next() == [1])
        requests.failed(9)
        #expect(requests.leader == 1 && requests.next() == [], "another one's failure ends no lead")
    }

    @Test("Requests that get connections of their own wait for none, until one fails")
    func unshared() {
        var requests = waiting(2)
        #expect(requests.next() == [1])
        #expect(requests.leaderWasAnswered(isSuccess: false, sharesConnection: false) == [2])
        #expect(!requests.sharesConnection)
        for id in 3...4 { requests.add(id) }
        #expect(requests.next() == [3, 4] && requests.leader == nil)
        requests.failed(3)
        for id in 5...6 { requests.add(id) }
        #expect(requests.next() == [5] && requests.sharesConnection)
    }

    // MARK: in the transport

    /// Answers all but requests with the body `never`, of which it tells `arrivals`.
    private func server(_ arrivals: Signal<Void>) throws -> RawServer {
        try RawServer { connection in
            while let (_, body) = connection.readRequest() {
                guard body != Array("never".utf8) else {
                    arrivals.send(())
                    return connection.waitForClose()
                }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    private func transport() throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.sharesConnections = true
        return try CurlTransport(configuration)
    }

    private func request(
        _ body: String, to server: RawServer, within limit: Duration? = .seconds(30)
    ) -> ClientRequest {
        ClientRequest(method: .post, url: server.url(), body: Array(body.utf8), timeout: limit)
    }

    @Test("A request that waits times out by itself, and goes when the one that leads is cancelled")
    func cancelledLeader() async throws {
        let arrivals = Signal<Void>()
        let server = try server(arrivals)
        let transport = try transport()
        let leader = Task { try await transport.send(request("never", to: server, within: nil)) }
        _ = await arrivals.wait()
        async let second = transport.send(request("second", to: server))
        await #expect(throws: HTTPClientError.timedOut) {
            try await transport.send(request("late", to: server, within: .milliseconds(50)))
        }
        #expect(server.connections == 1)
        leader.cancel()
        #expect(try await second.status == 200)
        await #expect(throws: HTTPClientError.cancelled) { try await leader.value }
    }

    @Test("A request that waits goes when the one that leads fails, and requests to another server wait for neither")
    func failedLeader() async throws {
        let arrivals = Signal<Void>()
        let (server, other) = (try server(arrivals), try server(arrivals))
        let transport = try transport()
        let leader = Task { try await transport.send(request("never", to: server, within: .seconds(1))) }
        _ = await arrivals.wait()
        async let second = transport.send(request("second", to: server))
        #expect(try await transport.send(request("other", to: other)).status == 200)
        await #expect(throws: HTTPClientError.timedOut) { try await leader.value }
        #expect(try await second.status == 200)
    }

    @Test("RFC 9112: a server without streams is known by its first answer, and then no request waits for another")
    func withoutStreams() async throws {
        let arrivals = Signal<Void>()
        let server = try server(arrivals)
        let transport = try transport()
        #expect(try await transport.send(request("first", to: server)).status == 200)
        let slow = Task { try await transport.send(request("never", to: server)) }
        _ = await arrivals.wait()
        #expect(try await transport.send(request("second", to: server, within: .seconds(5))).status == 200)
        slow.cancel()
        _ = await slow.result
    }
}
