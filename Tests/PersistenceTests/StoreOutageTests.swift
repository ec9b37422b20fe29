@testable import Persistence
import SQL
import Synchronization
import TestSupport
import Primitives
import Testing

@Suite("A database that goes and comes is told of once each time")
struct StoreOutageTests {
    private final class Told: Sendable {
        private let state = Mutex<[StoreNews]>([])
        var news: [StoreNews] { state.withLock { $0 } }
        @Sendable func add(_ news: StoreNews) { state.withLock { $0.append(news) } }
    }

    private let start = ContinuousClock.now
    private let outage = StoreOutage()
    private let told = Told()

    init() { outage.watch(told.add) }

    private func fail(_ error: SQLError, _ second: Double, isChange: Bool = false) {
        outage.note(error, isChange: isChange, at: start + .seconds(second))
    }

    private func succeed(_ second: Double, isChange: Bool = false) {
        outage.noteSuccess(isChange: isChange, at: start + .seconds(second))
    }

    private static let gone = SQLError.unavailable(reason: "gone")

    @Test("Failures between are not told, and the time ends with the first success after the last failure")
    func once() {
        succeed(0)
        for second in 1...10 { fail(Self.gone, Double(second)) }
        #expect(told.news == [.away(Self.gone)])
        succeed(11)
        succeed(12.9)
        #expect(told.news.count == 1, "it may go again")
        succeed(13)
        #expect(told.news == [.away(Self.gone), .back(after: .seconds(10))])
        succeed(14)
        fail(Self.gone, 20)
        #expect(told.news.count == 3)
    }

    @Test("A database that comes and goes is told of once, until it stays for two seconds")
    func unsteady() {
        for tenth in 0..<100 {
            fail(Self.gone, Double(tenth) / 10)
            succeed(Double(tenth) / 10 + 0.05)
        }
        #expect(told.news == [.away(Self.gone)])
    }

    @Test("Reading proves nothing about a full disk, and proves that a server is back", arguments: [true, false])
    func changes(isFull: Bool) {
        fail(isFull ? .diskFull : Self.gone, 0, isChange: true)
        for second in 1...5 { succeed(Double(second)) }
        #expect(told.news.count == (isFull ? 1 : 2))
        for second in 6...9 { succeed(Double(second), isChange: true) }
        #expect(told.news.count == 2)
    }

    @Test(
        "A store tells of what stops everybody, and of nothing else",
        arguments: [
            (SQLError.diskFull, true), (.readOnly, true), (Self.gone, true), (.overloaded, false), (.busy, false),
            (.conflict, false), (.corrupt, false), (.unknownOutcome, false), (.timedOut, false),
        ])
    func kinds(error: SQLError, isTold: Bool) async throws {
        let made = try await StoreKind.all[0].populated()
        made.store.watchOutages(told.add)
        made.failChanges(with: error)
        for _ in 0..<3 { await #expect(throws: error) { try await made.store.change { _ in } } }
        #expect(told.news == (isTold ? [.away(error)] : []))
        #expect(error.isToldElsewhere == isTold)
    }
}
