import Endpoints
import Flows
import HTTPModel
import MicroHTTPServer
import Primitives
import Synchronization
import TestSupport
import TestTools
import Testing

@Suite("Clients that disconnect before the decision", .serialized, .timeLimit(.minutes(5)))
struct LeavingTests {
    /// Every way to disconnect over TCP and TLS, with the time before the decision.
    static let departures: [(way: LeavingClient.Way, speaksTLS: Bool, before: Duration)] =
        [true, false].flatMap { speaksTLS in
            LeavingClient.Way.allCases.filter { speaksTLS || $0 != .closeNotify }.flatMap { way in
                [.milliseconds(100), .milliseconds(20), .milliseconds(5), .zero].map { (way, speaksTLS, $0) }
            }
        }

    private static func identity() throws -> TLSIdentity {
        let made = try TestAuthority.selfSigned("localhost")
        return TLSIdentity(
            certificateChainPEM: made.pem,
            privateKeyPEM: String(decoding: made.keyPEM.bytes, as: UTF8.self))
    }

    @Test(
        "CIBA Core 11: a held poll redeems nothing if its client disconnected in any way before the decision",
        arguments: departures)
    func held(_ departure: (way: LeavingClient.Way, speaksTLS: Bool, before: Duration)) async throws {
        let fixture = try await EndpointFixture()
        let observer = Departures()
        let identity = departure.speaksTLS ? try Self.identity() : nil
        let rounds = departure.before > .milliseconds(50) ? 5 : 20
        try await InProcessSockets.serve(fixture.server, tls: identity, observer: observer) { sockets in
            for round in 1...rounds {
                let id = try await fixture.client.started()
                let request = Request.form(
                    "/oauth/token", fixture.client.pollParameters(id), fields: ["Prefer": "wait=60"])
                let client = try await onThread {
                    let client = try LeavingClient(port: sockets.port, speaksTLS: departure.speaksTLS)
                    try client.send(request)
                    return client
                }
                await fixture.server.timer.awaitSleepers()
                try await onThread { client.leave(departure.way) }
                // The test varies the time that the server has to notice the disconnect.
                if departure.before > .zero { try await Task.sleep(for: departure.before) }
                #expect(try await fixture.phone.decide(id).status == 204)
                await observer.left(round)
                #expect(fixture.server.hub.waiting == 0)
                let answer = try await fixture.client.poll(id)
                #expect(answer.status == 200, "round \(round): \(answer.text)")
                if departure.way == .halfClose, !departure.speaksTLS {
                    let text = try await onThread { client.receive() }
                    #expect(text.hasPrefix("HTTP/1.1 400") && text.contains("keep it open both ways"), "\(text)")
                }
            }
        }
        // Not a server error in logs or metrics.
        #expect(observer.statuses == [499])
        let kinds = try await fixture.server.auditKinds()
        #expect(kinds.count { $0 == "ciba_exchange_succeeded" } == rounds)
    }

    @Test("A poll that is not held also checks for its client, and redeems only if the client stayed")
    func notHeld() async throws {
        let fixture = try await EndpointFixture()
        try await InProcessSockets.serve(fixture.server) { sockets in
            for _ in 0..<20 {
                let id = try await fixture.client.started()
                #expect(try await fixture.phone.decide(id).status == 204)
                let request = Request.form("/oauth/token", fixture.client.pollParameters(id))
                let gone = Gone()
                var left = request
                left.client = gone
                #expect(await fixture.server.application.handle(left).status == 400)
                #expect(gone.count.load(ordering: .relaxed) > 0)
                #expect(try await sockets.send(request).status == 200)
            }
        }
    }

    private final class Gone: ClientPresence {
        let count = Atomic(0)
        var hasLeft: Bool {
            count.add(1, ordering: .relaxed)
            return true
        }
    }
}

/// Records requests whose client disconnected.
private final class Departures: HTTPServerObserver {
    private struct State {
        var statuses: [Int] = []
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func requestFinished(_ record: RequestRecord) {
        guard record.outcome == .clientLeft else { return }
        let met = state.withLock { state in
            state.statuses.append(record.status)
            guard let waiting = state.waiting, state.statuses.count >= waiting.count else {
                return nil as CheckedContinuation<Void, Never>?
            }
            state.waiting = nil
            return waiting.continuation
        }
        met?.resume()
    }

    func acceptFailed(_ reason: String) {}
    func bodyRefused() {}

    var statuses: Set<Int> { Set(state.withLock(\.statuses)) }

    /// Returns after `count` disconnects.
    func left(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.statuses.count >= count { return true }
                state.waiting = (count, continuation)
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}
