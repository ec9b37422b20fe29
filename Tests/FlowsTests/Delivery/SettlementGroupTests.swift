import Synchronization
import Testing

@testable import Flows

@Suite("Settlements that wait for each other")
struct SettlementGroupTests {
    /// Settlements as they were passed on together.
    private final class Calls: Sendable {
        private let calls = Mutex<[[Int64]]>([])
        var all: [[Int64]] { calls.withLock { $0 } }
        func add(_ settlements: [DeliverySettlement]) { add(settlements.map(\.id)) }
        func add(_ ids: [Int64]) { calls.withLock { $0.append(ids) } }
    }

    @Test("One that comes alone is settled at once, and the next one in a call of its own")
    func alone() async {
        let (group, calls) = (SettlementGroup(), Calls())
        for id in [Int64(1), 2] {
            await group.settle(DeliverySettlement(id: id, step: .done)) { calls.add($0) }
        }
        #expect(calls.all == [[1], [2]])
    }

    @Test("Those that come while one is settled are settled together, and every caller waits for its own")
    func together() async {
        let (group, calls) = (SettlementGroup(), Calls())
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let ended = Calls()
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                await group.settle(DeliverySettlement(id: 1, step: .done)) { settlements in
                    calls.add(settlements)
                    for await _ in gate {}
                }
            }
            while calls.all.isEmpty { await Task.yield() }
            for id in [Int64(2), 3, 4] {
                tasks.addTask {
                    await group.settle(DeliverySettlement(id: id, step: .done)) { calls.add($0) }
                    #expect(calls.all.joined().contains(id))
                    ended.add([id])
                }
            }
            while group.waiting < 3 { await Task.yield() }
            #expect(ended.all.isEmpty)
            open.finish()
        }
        #expect(calls.all.count == 2)
        #expect(Set(calls.all.joined()) == [1, 2, 3, 4])
        await group.settle(DeliverySettlement(id: 5, step: .done)) { calls.add($0) }
        #expect(calls.all.last == [5])
    }
}
