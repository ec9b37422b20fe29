import AuthorizationCore
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Flows

@Suite("Documents that other servers publish")
struct DocumentCacheTests {
    private struct Down: Error, Equatable { let number: Int }

    /// Answers with the number of its requests.
    private final class Source: Sendable {
        private struct State {
            var count = 0
            var isDown = false
            var isOpen = true
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var count: Int { state.withLock { $0.count } }
        func set(down: Bool) { state.withLock { $0.isDown = down } }
        func close() { state.withLock { $0.isOpen = false } }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func read(_ url: EndpointURL) async throws(Down) -> Int {
            let (number, isDown) = state.withLock { state in
                state.count += 1
                return (state.count, state.isDown)
            }
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
            if isDown { throw Down(number: number) }
            return number
        }
    }

    private let source = Source()
    private let cache: DocumentCache<Int, Down>
    private let url: EndpointURL

    init() throws {
        let source = source
        cache = DocumentCache(
            DocumentCache.Rules(lifetime: .seconds(300), staleLifetime: .seconds(3600))
        ) { url throws(Down) in try await source.read(url) }
        url = try #require(EndpointURL("https://idp.example/keys"))
    }

    private func document(second: Int, suffices: (Int) -> Bool = { _ in true }) async throws -> Int {
        try await cache.document(at: url, now: Samples.start + .seconds(second), suffices: suffices)
    }

    @Test("A document is fetched at its first use, and again after its lifetime or if it does not suffice")
    func lifetime() async throws {
        #expect(try await document(second: 0) == 1)
        #expect(try await document(second: 299) == 1)
        #expect(try await document(second: 300) == 2)
        #expect(try await document(second: 329) { $0 == 3 } == 2, "not again for a moment")
        #expect(try await document(second: 330) { $0 == 3 } == 3)
    }

    @Test("After a failure nothing is fetched during a pause, and the failure is repeated")
    func failure() async throws {
        source.set(down: true)
        for second in [0, 29] {
            await #expect(throws: Down(number: 1)) { try await document(second: second) }
        }
        await #expect(throws: Down(number: 2)) { try await document(second: 30) }
        source.set(down: false)
        await #expect(throws: Down(number: 2)) { try await document(second: 59) }
        #expect(try await document(second: 60) == 3)
    }

    @Test(
        "If no document can be fetched, a cached one is used for longer if it suffices, and otherwise the lookup fails")
    func stale() async throws {
        #expect(try await document(second: 0) == 1)
        source.set(down: true)
        #expect(try await document(second: 300) == 1)
        #expect(try await document(second: 301) == 1)
        await #expect(throws: Down(number: 2)) { try await document(second: 302) { $0 == 2 } }
        #expect(try await document(second: 3599) == 1)
        await #expect(throws: Down(number: 3)) { try await document(second: 3600) }
        #expect(source.count == 3)
    }

    @Test("Simultaneous callers share one fetch")
    func joined() async throws {
        source.close()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await document(second: 0) } }
            while source.count == 0 { await Task.yield() }
            source.open()
            for try await number in group { #expect(number == 1) }
        }
        #expect(source.count == 1)
    }

    @Test("4096 documents are cached, and a further one replaces the one with the oldest fetch")
    func bound() async throws {
        func document(_ number: Int) async throws -> Int {
            let url = try #require(EndpointURL("https://idp.example/\(number)"))
            return try await cache.document(at: url, now: Samples.start + .milliseconds(number))
        }
        for number in 0...4096 { #expect(try await document(number) == number + 1) }
        #expect(try await document(4096) == 4097)
        #expect(try await document(1) == 2)
        #expect(try await document(0) == 4098)
    }
}
