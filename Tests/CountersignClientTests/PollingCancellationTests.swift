import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Cancelling a wait for tokens")
struct PollingCancellationTests {
    @Test("Cancelling the task ends the wait")
    func cancelledWaiting() async throws {
        let fixture = try ClientFixture()
        let sleeping = AsyncStream.makeStream(of: Void.self)
        let client = try fixture.client(
            clock: EndlessClock(start: fixture.clock.now, sleeping: sleeping.continuation))
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/revoke") { _ in ClientResponse(status: 200, fields: [:], body: []) }
        let task = Task { try await client.tokens(for: pending) }
        var began = sleeping.stream.makeAsyncIterator()
        await began.next()
        task.cancel()
        await #expect(throws: CountersignError.cancelled) { try await task.value }
        #expect(fixture.transport.sent("/oauth/token").isEmpty)
        let withdrawn = try #require(fixture.transport.sent("/oauth/revoke").first?.form)
        #expect(withdrawn["token"] == "req-1" && withdrawn["token_type_hint"] == "auth_req_id")
    }

    @Test("Cancelling the task ends the wait for a published document too", .timeLimit(.minutes(1)))
    func cancelledDiscovery() async throws {
        let sending = AsyncStream.makeStream(of: Void.self)
        var environment = try ClientFixture().environment
        environment.transport = SilentTransport(sending: sending.continuation)
        let client = try CountersignClient(
            issuer: try #require(URL(string: ClientFixture.issuer)), clientID: "agent", authentication: .publicClient,
            environment: environment)
        let task = Task {
            try await client.start(BackchannelRequest(user: ClientFixture.user, bindingMessage: "Order 4711"))
        }
        var began = sending.stream.makeAsyncIterator()
        await began.next()
        task.cancel()
        await #expect(throws: CountersignError.cancelled) { try await task.value }
    }

    @Test("A cancelled request is not a network failure")
    func cancelledRequest() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let pending = try await fixture.start(client)
        fixture.transport.answer("/oauth/token", failing: .cancelled)
        await #expect(throws: CountersignError.cancelled) { try await client.tokens(for: pending) }
    }
}

/// A clock whose sleeps end only with their task.
private struct EndlessClock: PollingClock {
    let start: Timestamp
    let sleeping: AsyncStream<Void>.Continuation

    var now: Timestamp { start }

    func sleep(for duration: Duration) async throws(CancellationError) {
        sleeping.yield()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }
}

/// A server that never answers.
private struct SilentTransport: HTTPClient {
    let sending: AsyncStream<Void>.Continuation

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        sending.yield()
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        throw .cancelled
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse { throw .cancelled }
}
