import Foundation
import Glibc
import HTTPModel
import Synchronization
import TestSupport
import Testing

@testable import MicroHTTPServer

@Suite("Handlers that suspend, and stopping")
struct SuspensionTests {
    private static func ask(_ port: UInt16, _ path: String = "/") async throws -> Answer {
        try await onThread {
            let client = try RawClient(port: port)
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            return try client.receiveAnswer()
        }
    }

    @Test("The handler gets only requests that the synchronous handler leaves, and gets them whole")
    func synchronous() async throws {
        let answerSynchronously: SynchronousHandler = { request in
            request.path == "/now" ? Response(status: 200, body: .bytes(Array("at once".utf8))) : nil
        }
        try await withServer(answerSynchronously: answerSynchronously) { server in
            let bodies = try await onThread {
                let client = try RawClient(port: server.port)
                return try ["/now", "/later", "/now"].map { path in
                    client.send("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
                    return try client.receiveAnswer().body
                }
            }
            #expect(bodies == ["at once", "POST /later - 3", "at once"])
        }
    }

    @Test("A handler resumed from another thread answers")
    func resumedElsewhere() async throws {
        let handler: Handler = { request in
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume() }
            }
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            for _ in 0..<200 { expectEqual(try await Self.ask(server.port, "/r").body, "GET /r - 0") }
        }
    }

    @Test("A handler may suspend repeatedly, and always continues on its first thread")
    func resumedOften() async throws {
        let handler: Handler = { request in
            var threads: Set<UInt> = [UInt(pthread_self())]
            for _ in 0..<3 {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread { continuation.resume() }
                }
                threads.insert(UInt(pthread_self()))
            }
            return Response(status: 200, body: .bytes(Array("\(threads.count)".utf8)))
        }
        try await withServer(handler: handler) { server in
            for _ in 0..<50 { expectEqual(try await Self.ask(server.port).body, "1") }
        }
    }

    @Test("A handler that yields lets its thread answer others, and has a deadline")
    func yielding() async throws {
        let turns = Mutex(0)
        let cancelled = Signal()
        let handler: Handler = { request in
            guard request.path == "/long" else { return await echo(request) }
            while !Task.isCancelled {
                turns.withLock { $0 += 1 }
                await Task.yield()
            }
            cancelled.set()
            return await echo(request)
        }
        let limits: (inout HTTPLimits) -> Void = { $0.exchangeDeadline = .milliseconds(400) }
        try await withServer(limits: limits, threads: 1, handler: handler) { server in
            let port = server.port
            let long = try await RawClient.sending("GET /long HTTP/1.1\r\nHost: x\r\n\r\n", to: port)
            while turns.withLock({ $0 }) < 3 { await Task.yield() }
            expectEqual(try await Self.ask(port, "/other").body, "GET /other - 0")
            #expect(try await onThread { try long.receiveAnswer() }.status == 503)
            await cancelled.wait()
        }
    }

    @Test("A handler that yields is cancelled when its client leaves", .timeLimit(.minutes(1)))
    func yieldingToNobody() async throws {
        let started = Signal()
        let cancelled = Signal()
        let handler: Handler = { request in
            started.set()
            while !Task.isCancelled { await Task.yield() }
            cancelled.set()
            return await echo(request)
        }
        try await withServer(threads: 1, handler: handler) { server in
            var client: RawClient? = try await .sending("GET / HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
            await started.wait()
            client = nil
            _ = client
            await cancelled.wait()
        }
    }

    @Test("Hundreds of suspended requests are answered, each with its own answer")
    func hundreds() async throws {
        let release = Signal()
        let everyone = Signal()
        let arrived = Mutex(0)
        let handler: Handler = { request in
            let count = arrived.withLock { count in
                count += 1
                return count
            }
            if count == 300 { everyone.set() }
            await release.wait()
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let port = server.port
            let clients = try await onThread {
                try (0..<300).map { number in
                    let client = try RawClient(port: port)
                    client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
                    return client
                }
            }
            await everyone.wait()
            #expect(server.openConnections == 300)
            release.set()
            try await onThread {
                for (number, client) in clients.enumerated() {
                    expectEqual(try client.receiveAnswer().body, "GET /\(number) - 0")
                }
            }
            // A connection counts until its resume returns, possibly after its answer arrived.
            while server.suspendedConnections > 0 { await Task.yield() }
        }
    }

    @Test("A client that leaves cancels its handler's task", .timeLimit(.minutes(1)), arguments: [true, false])
    func peerGone(_ closes: Bool) async throws {
        let started = Signal()
        let cancelled = Signal()
        let handler: Handler = { request in
            started.set()
            await untilCancelled()
            cancelled.set()
            return await echo(request)
        }
        // The deadlines determine how often the server checks.
        try await withServer(limits: { $0.headDeadline = .milliseconds(400) }, handler: handler) { server in
            var client: RawClient? = try await .sending("GET / HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
            await started.wait()
            if closes { client = nil } else { client?.finishSending() }
            await cancelled.wait()
        }
    }

    @Test("A handler over its deadline is cancelled and answered with 503; the connection is kept")
    func deadline() async throws {
        let cancelled = Signal()
        let end = Signal()
        let handler: Handler = { request in
            if request.path == "/" {
                await untilCancelled()
                cancelled.set()
                await end.wait()
            }
            return await echo(request)
        }
        try await withServer(limits: { $0.exchangeDeadline = .milliseconds(250) }, handler: handler) { server in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try client.receiveAnswer()
                #expect(answer.status == 503)
                #expect(answer.body == "The server could not answer in time; try again later.\n")
                client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n")
                expectEqual(try client.receiveAnswer().body, "GET /next - 0")
            }
            await cancelled.wait()
            end.set()
        }
    }

    @Test("Stopping waits for a running request and refuses new connections")
    func gracefulStop() async throws {
        let started = Signal()
        let release = Signal()
        let handler: Handler = { request in
            started.set()
            await release.wait()
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let port = server.port
            let client = try await RawClient.sending("GET /running HTTP/1.1\r\nHost: x\r\n\r\n", to: port)
            let idle = try await RawClient.sending("", to: port)
            await started.wait()
            async let stopped = server.stop(within: .seconds(60))
            // The idle connection ends when the server begins to stop.
            try await onThread { expectEqual(try idle.receiveAll(), "") }
            await #expect(throws: RawClient.Failure.self) { try await RawClient.sending("", to: port) }
            release.set()
            let text = try await onThread { try client.receiveAll() }
            expectEqual(await stopped.isEmpty, true)
            #expect(text.contains("Connection: close"))
            #expect(text.hasSuffix("GET /running - 0"))
            #expect(server.openConnections == 0)
        }
    }

    @Test("Stopping waits for the rest of a body, but less than for an answer", .timeLimit(.minutes(1)))
    func stopWithinBody() async throws {
        try await withServer { server in
            let port = server.port
            let text = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc"
            let client = try await RawClient.sending(text, to: port)
            while server.openConnections == 0 { await Task.yield() }
            // The limit exceeds this test's time limit.
            await server.stop(within: .seconds(600))
            try await onThread { expectEqual(try client.receiveAll(), "") }
        }
    }

    @Test("Stopping keeps its limit and answers running requests with 503")
    func impatientStop() async throws {
        let end = Signal()
        let handler: Handler = { request in
            await end.wait()
            return await echo(request)
        }
        try await withServer(handler: handler) { server in
            let port = server.port
            async let answer = Self.ask(port)
            while server.suspendedConnections == 0 { await Task.yield() }
            await server.stop(within: .milliseconds(50))
            expectEqual(try await answer.status, 503)
        }
        end.set()
    }

    @Test("Stopping keeps its limit if a handler blocks an event thread, and returns its request")
    func stuckHandler() async throws {
        let entered = Signal()
        let letGo = Atomic(false)
        let handler: Handler = { request in
            entered.set()
            // Like an endless loop: it neither waits nor checks for cancellation.
            while !letGo.load(ordering: .relaxed) { sched_yield() }
            return await echo(request)
        }
        let server = try HTTPServer(configuration: HTTPServerConfiguration(threads: 2), handler: handler)
        try server.start()
        let client = try await RawClient.sending("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n", to: server.port)
        await entered.wait()
        let begun = ContinuousClock.now
        let unfinished = await server.stop(within: .milliseconds(200))
        #expect(ContinuousClock.now - begun < .seconds(30))
        #expect(unfinished.map(\.path) == ["/stuck"] && unfinished.map(\.method) == ["GET"])
        #expect(await server.stop().map(\.path) == ["/stuck"], "and says so again")
        letGo.store(true, ordering: .relaxed)
        _ = client
    }

    @Test("Stopping under load neither hangs nor loses an answer in progress")
    func stopUnderLoad() async throws {
        for round in 0..<10 {
            let handler: Handler = { request in
                if round % 2 == 0 { await Task.yield() }
                return await echo(request)
            }
            let server = try HTTPServer(configuration: HTTPServerConfiguration(threads: 2), handler: handler)
            try server.start()
            let port = server.port
            let begun = Signal()
            async let load: Void = withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await onThread {
                            guard let client = try? RawClient(port: port) else { return }
                            while true {
                                client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                                let text = try client.receive { Answer($0) != nil }
                                begun.set()
                                if text.isEmpty { return }
                                #expect(Answer(text)?.status == 200, "\(text)")
                                if text.contains("Connection: close") { return }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            await begun.wait()
            await server.stop(within: .seconds(60))
            try await load
            await server.stop()
        }
    }
}
