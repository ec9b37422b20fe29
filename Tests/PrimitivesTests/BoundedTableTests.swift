import Primitives
import Testing

@Suite("Bounded table")
struct BoundedTableTests {
    private var full: BoundedTable<Int, String> {
        var table = BoundedTable<Int, String>(limit: 3)
        for key in 0..<3 { table[key] = "old" }
        return table
    }

    @Test("A new key in a full table evicts one other key")
    func new() {
        var table = full
        table[3] = "new"
        #expect(table[3] == "new")
        #expect((0..<3).count { table[$0] == "old" } == 2)
    }

    @Test("A known key in a full table gets its new value, and a removed one makes room")
    func known() {
        var table = full
        table[1] = "new"
        #expect((0..<3).map { table[$0] } == ["old", "new", "old"])
        table[0] = nil
        table[3] = "new"
        #expect((0..<4).map { table[$0] } == [nil, "new", "old", "new"])
        table.removeAll { $0 > 1 }
        #expect((0..<4).map { table[$0] } == [nil, "new", nil, nil])
    }
}
