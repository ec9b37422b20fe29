/// Words that engines spell differently. `Persistence` writes all other statements so that every engine takes them.
///
/// Every engine also promises: texts compare and sort by the numbers of their characters; whole numbers have 64 bits, and
/// a Boolean is 0 or 1; a unique index holds any number of nulls; `ON CONFLICT`, `RETURNING`, `FILTER` and recursive
/// queries work as in SQLite and PostgreSQL; a deferred foreign key is checked at the commit.
package protocol Dialect: Sendable {
    /// Words after a table's name that make the planner read by this index. Empty if the engine has none.
    func reading(index: StaticString) -> String

    /// An expression for the text of a JSON object, from the names of members and raw SQL for their values.
    func object(_ members: KeyValuePairs<StaticString, StaticString>) -> SQLFragment

    /// A condition: `column`, raw SQL, matches the whole pattern. Case counts.
    func matches(_ column: String, _ pattern: [PatternPiece]) -> SQLFragment
}

/// Part of a pattern for texts.
package enum PatternPiece: Sendable, Hashable {
    /// Any number of characters, also none.
    case anyNumber
    /// One character.
    case one
    case literal(String)
}

/// A thing whose changes follow one another: each waits until the transaction of the one before has ended.
package enum SQLLock: String, Sendable, CaseIterable {
    /// The steps of the schema.
    case schema
    /// The last entry of the audit log, to which the next is chained.
    case auditLog
    /// The version of the configuration.
    case configuration
}
