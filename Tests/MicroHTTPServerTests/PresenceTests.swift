import Glibc
import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Clients that leave while they wait")
struct PresenceTests {
    enum Leaving: CaseIterable { case close, reset, halfClose }

    /// Waits for the test, then reports whether the client is still there.
    private final class Held: Sendable {
        let started = Signal()
        let goOn = Signal()
        let client = Mutex<(any ClientPresence)?>(nil)

        var handler: Handler {
            { request in
                guard request.path == "/held" else { return await echo(request) }
                self.client.withLock { $0 = request.client }
                self.started.set()
                await self.goOn.wait()
                return await echo(request)
            }
        }

        var hasLeft: Bool? { client.withLock { $0 }?.hasLeft }
    }

    @Test("A client's departure by FIN or RST is detected at once", arguments: Leaving.allCases)
    func leaving(how: Leaving) async throws {
        let held = Held()
        let recorder = Recorder()
        try await withServer(recorder: recorder, handler: held.handler) { server in
            var client: RawClient? = try await .sending("GET /held HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
            await held.started.wait()
            #expect(held.hasLeft == false)
            switch how {
            case .close: client = nil
            case .reset: client?.reset()
            case .halfClose: client?.finishSending()
            }
            #expect(held.hasLeft == true)
            held.goOn.set()
            while recorder.records.isEmpty { await Task.yield() }
            let record = try #require(recorder.records.first)
            #expect(record.outcome == .clientLeft)
            #expect(record.status == 499)
            _ = client
        }
        #expect(held.hasLeft == true, "for ever")
    }

    @Test("A request pipelined behind a held one does not count as leaving")
    func pipelined() async throws {
        let held = Held()
        try await withServer(handler: held.handler) { server in
            let client = try await RawClient.sending("GET /held HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
            await held.started.wait()
            try await onThread { client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n") }
            #expect(held.hasLeft == false)
            held.goOn.set()
            try await onThread {
                let text = try client.receive { $0.contains("GET /next - 0") }
                #expect(text.contains("GET /held - 0"))
            }
        }
    }

    @Test("A client counts as gone once the deadline answered its request, even if it sends another")
    func answeredMeanwhile() async throws {
        let held = Held()
        try await withServer(limits: { $0.exchangeDeadline = .milliseconds(100) }, handler: held.handler) { server in
            let client = try await RawClient.sending("GET /held HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
            await held.started.wait()
            try await onThread {
                expectEqual(try client.receiveAnswer().status, 503)
                client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().status, 200)
            }
            #expect(held.hasLeft == true)
            held.goOn.set()
        }
    }
}
