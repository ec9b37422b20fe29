import Primitives
import SQL
import Testing

@Suite("Statements")
struct StatementTests {
    @Test("An interpolated value becomes a parameter, never text")
    func valuesAreParameters() {
        let name = "x'; DROP TABLE items; --"
        let statement: Statement = "SELECT 1 FROM items WHERE name = \(name) AND id = \(7)"
        #expect(statement.text == "SELECT 1 FROM items WHERE name = $1 AND id = $2")
        #expect(statement.values == [.text(name), .integer(7)])
    }

    @Test("Text enters a statement only as raw")
    func rawIsExplicit() {
        let statement: Statement = "SELECT 1 FROM \(raw: "items") WHERE id = \(1)"
        #expect(statement.text == "SELECT 1 FROM items WHERE id = $1")
    }

    @Test("Fragments keep their values and are numbered by final position")
    func fragments() {
        let conditions: [SQLFragment] = ["a = \(1)", "b IS NULL", "(c = \("x") OR d = \(true))"]
        let statement: Statement = "SELECT 1 WHERE e = \(0) AND \(.joined(conditions, by: " AND ")) LIMIT \(9)"
        #expect(
            statement.text == "SELECT 1 WHERE e = $1 AND a = $2 AND b IS NULL AND (c = $3 OR d = $4) LIMIT $5")
        #expect(statement.values == [.integer(0), .integer(1), .text("x"), .integer(1), .integer(9)])
    }

    @Test("Values of the program's types keep their storage class")
    func storageClasses() {
        enum Tag {}
        let nothing: String? = nil
        let statement: Statement = """
            \(Timestamp(seconds: 2)) \(ID<Tag>("a")) \(nothing) \([UInt8]([1])) \(0.5) \(Int64(3)) \(SQLValue.null)
            """
        #expect(
            statement.values == [.integer(2000), .text("a"), .null, .blob([1]), .real(0.5), .integer(3), .null])
    }

    @Test("A constant statement keeps its identity, and each instance has its own number")
    func staticStatement() {
        let template = StaticStatement("SELECT $1")
        let other = StaticStatement("SELECT $1")
        #expect(template("a", 1).values == [.text("a"), .integer(1)])
        #expect(template().template === template)
        #expect(template.number != other.number)
    }
}
