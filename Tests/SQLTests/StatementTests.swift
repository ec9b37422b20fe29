import Primitives
import PostgreSQLDriver
import SQL
import SQLiteDriver
import Testing

@Suite("Statements")
struct StatementTests {
    private let dialect = SQLiteDialect()

    @Test("An interpolated value becomes a parameter, never text")
    func valuesAreParameters() {
        let name = "x'; DROP TABLE items; --"
        let statement: Statement = "SELECT 1 FROM items WHERE name = \(name) AND id = \(7)"
        #expect(statement.text(in: dialect) == "SELECT 1 FROM items WHERE name = $1 AND id = $2")
        #expect(statement.values == [.text(name), .integer(7)])
    }

    @Test("Text enters a statement only as raw")
    func rawIsExplicit() {
        let statement: Statement = "SELECT 1 FROM \(raw: "items") WHERE id = \(1)"
        #expect(statement.text(in: dialect) == "SELECT 1 FROM items WHERE id = $1")
    }

    @Test("Fragments keep their values and are numbered by final position")
    func fragments() {
        let conditions: [SQLFragment] = ["a = \(1)", "b IS NULL", "(c = \("x") OR d = \(true))"]
        let statement: Statement = "SELECT 1 WHERE e = \(0) AND \(.joined(conditions, by: " AND ")) LIMIT \(9)"
        #expect(
            statement.text(in: dialect)
                == "SELECT 1 WHERE e = $1 AND a = $2 AND b IS NULL AND (c = $3 OR d = $4) LIMIT $5")
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
        guard case .template(let kept) = template().text else {
            Issue.record("not a template")
            return
        }
        #expect(kept === template)
        #expect(template.number != other.number)
    }

    @Test("A constant statement is written in the words of its engine")
    func dialects() {
        let statement = StaticStatement { "SELECT 1 FROM a \($0.reading(index: "b")) WHERE c = $1" }
        #expect(statement(1).text(in: dialect) == "SELECT 1 FROM a INDEXED BY b WHERE c = $1")
        let other = PostgreSQLDialect()
        #expect(statement(1).text(in: other) == "SELECT 1 FROM a  WHERE c = $1")
        #expect(statement(1).adding(.null).text(in: other) == statement(1).text(in: other))
    }

    @Test("Signs of SQLite's patterns are found as they are")
    func patterns() {
        let fragment = dialect.matches("a", [.literal("x*[y]?"), .anyNumber, .one])
        let statement: Statement = "SELECT 1 WHERE \(fragment)"
        #expect(statement.text(in: dialect) == "SELECT 1 WHERE a GLOB $1")
        #expect(statement.values == [.text("x[*][[]y][?]*?")])
    }
}
