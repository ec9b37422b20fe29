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

    /// An expression for a new number of a column: above those of every change that ended before. An engine whose changes
    /// run at once gives it while the change can be seen by ``changingLanes``.
    func newNumber(of column: StaticString, in table: StaticString) -> String

    /// Words at the end of a query that keep its rows from other changes until the transaction ends. Empty if changes
    /// follow each other.
    func holding(_ hold: RowHold) -> String

    /// An expression for the milliseconds since 1970 of the engine's own clock. Nil if it has the one of this machine.
    var clock: String? { get }

    /// A role beside the account and the owner of its schema that may create things there. Nil if an engine has no roles.
    var creators: Statement? { get }

    /// Numbers of the lanes (``Connection/lane``) in which a change is under way, as it is now and not at a snapshot. Nil
    /// if changes follow each other.
    var changingLanes: Statement? { get }

    /// Characters of a text that an index can hold, if it cannot hold texts of any length. Nil if it can. An index then has
    /// ``indexed(_:)``, and a condition repeats its comparison for that.
    var indexedLength: Int? { get }

    /// A script of the schema, written in SQLite's words: `INTEGER`, `REAL`, `TEXT` and `BLOB`, `x''`, `STRICT`, `WITHOUT
    /// ROWID`, `INTEGER PRIMARY KEY` for keys that the engine counts, and `VIRTUAL`.
    func definition(_ script: String) -> String

    /// A script that makes a trigger.
    func definition(_ trigger: RefusingTrigger) -> String

    /// Names and definitions that ``actingObjects`` shows of a trigger.
    func stored(_ trigger: RefusingTrigger) -> [String: String]

    /// A script that tells the planner numbers of rows. Empty for an engine that counts them itself.
    func statistics(_ numbers: [(table: String, index: String, rows: [Int])]) -> String

    /// A script that removes a trigger which the script above made.
    func removal(of trigger: RefusingTrigger) -> String

    /// Names of tables, in any order. Tables of the engine itself, and parts of a table, are none.
    var tables: Statement { get }

    /// Pairs of a table and another one that its rows refer to.
    var references: Statement { get }

    /// Names of the columns of a table's primary key, in order. None without a key.
    func key(of table: String) -> Statement

    /// Columns whose last number the engine keeps apart from the rows: table, column, and that number, null before the
    /// first one.
    var counters: Statement { get }

    /// Changes by which such a column counts on after `number`.
    func count(_ column: String, of table: String, after number: Int64) -> [Statement]

    /// Triggers, views and whatever else may change what a statement does: kind, name and definition, by name.
    var actingObjects: Statement { get }

    /// A statement that gives `ok` or the first fault of the database's structure. Nil for an engine that checks itself.
    var structureCheck: Statement? { get }
}

extension Dialect {
    /// An expression for the beginning of `column`, raw SQL, that an index can hold.
    package func indexed(_ column: String) -> String { indexedLength.map { "left(\(column), \($0))" } ?? column }

    /// A comparison of a column with a text, so that an index with ``indexed(_:)`` serves it.
    package func compares(_ column: String, _ operation: StaticString, _ text: String) -> SQLFragment {
        let exact: SQLFragment = "\(raw: column) \(raw: operation.description) \(text)"
        guard let indexedLength else { return exact }
        let loose =
            switch operation.description {
            case ">": ">="
            case "<": "<="
            case let operation: operation
            }
        let beginning = String(String.UnicodeScalarView(text.unicodeScalars.prefix(indexedLength)))
        return "(\(raw: indexed(column)) \(raw: loose) \(beginning) AND \(exact))"
    }
}

/// A trigger that refuses changes of a table's rows.
package struct RefusingTrigger: Sendable {
    package enum Change: String, Sendable { case insert = "INSERT", update = "UPDATE", delete = "DELETE" }

    package let name: String
    package let change: Change
    package let table: String
    /// Condition on `NEW` and `OLD`. Nil refuses every change.
    package let condition: String?
    /// Without a quotation mark.
    package let message: String

    package init(_ name: String, _ change: Change, of table: String, if condition: String? = nil, _ message: String) {
        self.name = name
        self.change = change
        self.table = table
        self.condition = condition
        self.message = message
    }
}

extension Connection {
    /// Runs a script of the schema (``Dialect/definition(_:)``).
    package func define(_ script: String) throws(SQLError) { try self.script(dialect.definition(script)) }
}

/// Way in which a query keeps the rows that it reads.
package enum RowHold: Sendable {
    /// Others neither change nor delete them. The query waits for those who do, and reads what they left.
    case changing
    /// Others add no rows that refer to them, either. For rows that are deleted next.
    case deleting
    /// Like `deleting`, without those that another change keeps: nobody waits for anybody.
    case skipping
}

extension Connection {
    /// Keeps the rows of `table` that match, in the order of their `key`. A statement that changes several rows takes them
    /// in the order of its plan, so that two of them could wait for each other.
    package func hold(_ table: StaticString, by key: StaticString, where condition: SQLFragment) throws {
        let words = dialect.holding(.deleting)
        guard !words.isEmpty else { return }
        try perform(
            "SELECT 1 FROM \(raw: table.description) WHERE \(condition) ORDER BY \(raw: key.description) \(raw: words)")
    }
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
package enum SQLLock: Hashable, Sendable {
    /// The steps of the schema.
    case schema
    /// The last entry of lane 0 of the audit log, to which the next is chained.
    case auditLog
    /// The version of the configuration.
    case configuration
    /// Things of which a person may have only so many: requests, phones and passkeys. Taken before other locks and rows.
    case person(tenant: String, id: String)
}
