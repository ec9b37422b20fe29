package import SQL

/// Another engine's dialect, of which a test changes some words.
package protocol DialectWrapper: Dialect {
    var wrapped: any Dialect { get }
}

extension DialectWrapper {
    package func reading(index: StaticString) -> String { wrapped.reading(index: index) }
    package func object(_ members: KeyValuePairs<StaticString, StaticString>) -> SQLFragment { wrapped.object(members) }
    package func matches(_ column: String, _ pattern: [PatternPiece]) -> SQLFragment {
        wrapped.matches(column, pattern)
    }
    package func newNumber(of column: StaticString, in table: StaticString) -> String {
        wrapped.newNumber(of: column, in: table)
    }
    package func holding(_ hold: RowHold) -> String { wrapped.holding(hold) }
    package var clock: String? { wrapped.clock }
    package var creators: Statement? { wrapped.creators }
    package var changingLanes: Statement? { wrapped.changingLanes }
    package var indexedLength: Int? { wrapped.indexedLength }
    package func definition(_ script: String) -> String { wrapped.definition(script) }
    package func definition(_ trigger: RefusingTrigger) -> String { wrapped.definition(trigger) }
    package func stored(_ trigger: RefusingTrigger) -> [String: String] { wrapped.stored(trigger) }
    package func statistics(_ numbers: [(table: String, index: String, rows: [Int])]) -> String {
        wrapped.statistics(numbers)
    }
    package func removal(of trigger: RefusingTrigger) -> String { wrapped.removal(of: trigger) }
    package var tables: Statement { wrapped.tables }
    package var references: Statement { wrapped.references }
    package func key(of table: String) -> Statement { wrapped.key(of: table) }
    package var counters: Statement { wrapped.counters }
    package func count(_ column: String, of table: String, after number: Int64) -> [Statement] {
        wrapped.count(column, of: table, after: number)
    }
    package var actingObjects: Statement { wrapped.actingObjects }
    package var structureCheck: Statement? { wrapped.structureCheck }
}
