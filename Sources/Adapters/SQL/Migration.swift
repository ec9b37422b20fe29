import Primitives

/// One step of the schema's history. Steps are applied in order, each once, each in its own transaction.
///
/// A step never changes once others may have applied it: later ones correct it. It removes no table or column, so that
/// nodes of the version before go on beside it.
package struct Migration: Sendable {
    /// Never changes. A number, a title and, in brackets, the version of the program that brings it: `002 devices (0.3.0)`.
    package let name: String
    let body: @Sendable (any Connection) throws -> Void

    package init(_ name: String, _ body: @escaping @Sendable (any Connection) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// A step that is only a script of the schema (``Dialect/definition(_:)``).
    package init(_ name: String, script: String) { self.init(name) { try $0.define(script) } }
}

/// Reason why a database could not be migrated.
package enum MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The database has steps that the program does not know: a newer version wrote it.
    case newerDatabase(step: String)
    /// The database lacks a step that the program knows: an older version wrote it.
    case olderDatabase(lacks: String)
    /// The database has another step than the program at this position.
    case differentHistory(found: String, expected: String)
    /// A copy into the database was not completed.
    case unfinishedCopy

    package var description: String {
        switch self {
        case .newerDatabase(let step):
            "the database was written by a newer version of this program\(Self.version(of: step)): it has the schema step "
                + "\(step), which this one, \(Release.version), does not know. Start the newer version, or restore the "
                + "backup from before the upgrade"
        case .olderDatabase(let step):
            "the database was written by an older version of this program (it lacks the schema step \(step))"
        case .differentHistory(let found, let expected):
            "the database was written by another program, or by a version of this one from before its first release: "
                + "its schema has the step \(found) in the place of \(expected). Use that program, or another data folder"
        case .unfinishedCopy:
            "the database has an unfinished copy of another one: countersign store copy still runs, or was interrupted. "
                + "If it does not run, drop the database, make an empty one, and copy again"
        }
    }

    /// The version in a step's brackets. Empty for a name without one.
    private static func version(of step: String) -> String {
        guard step.hasSuffix(")"), let open = step.lastIndex(of: "(") else { return "" }
        return ", \(step[step.index(after: open)...].dropLast()) or later"
    }
}

extension Database {
    /// Applies the missing steps.
    ///
    /// Safe if several processes start at once. If a step fails, it leaves nothing behind and earlier steps stay.
    /// - Returns: names of the applied steps.
    /// - Throws: ``MigrationError`` before anything was changed, or what a step throws.
    @discardableResult
    package func migrate(_ migrations: [Migration]) async throws -> [String] {
        try await write { connection in
            try connection.lock(.schema)
            try makeHistory(connection)
        }
        let names = migrations.map(\.name)
        var applied: [String] = []
        for (position, migration) in migrations.enumerated() {
            let isNew = try await write { connection in
                try connection.lock(.schema)
                guard try appliedCount(connection, expecting: names) == position else { return false }
                try apply(migration, at: position, connection)
                return true
            }
            if isNew { applied.append(migration.name) }
        }
        // Without steps, nothing above has compared the histories.
        if migrations.isEmpty { _ = try await read { try appliedCount($0, expecting: names) } }
        return applied
    }

    /// Checks that `migrations` were applied, and changes nothing.
    /// - Throws: ``MigrationError``, among them ``MigrationError/olderDatabase(lacks:)``.
    package func requireMigrated(_ migrations: [Migration]) async throws {
        let names = migrations.map(\.name)
        let count = try await read { connection in
            guard !(try connection.columns(of: "schema_migrations").isEmpty) else { return 0 }
            return try appliedCount(connection, expecting: names)
        }
        if count < names.count { throw MigrationError.olderDatabase(lacks: names[count]) }
    }
}

extension Database {
    /// Makes all tables in an empty database, runs `prepare`, and marks the database: until ``finishCopy()``, every
    /// program refuses it with ``MigrationError/unfinishedCopy``. All of it is one change.
    package func beginCopy(
        _ migrations: [Migration], _ prepare: @escaping @Sendable (any Connection) throws -> Void
    ) async throws {
        try await write { connection in
            try connection.lock(.schema)
            try makeHistory(connection)
            for (position, migration) in migrations.enumerated() { try apply(migration, at: position, connection) }
            try prepare(connection)
            try connection.execute(
                """
                INSERT INTO schema_migrations (position, name) VALUES (\(unfinishedCopy.position), \(unfinishedCopy.name))
                """)
        }
    }

    /// Takes the mark of ``beginCopy(_:_:)`` away.
    package func finishCopy() async throws {
        try await execute("DELETE FROM schema_migrations WHERE position = \(unfinishedCopy.position)")
    }
}

/// Mark before the first step, so that programs which do not know it refuse the database, too.
private let unfinishedCopy = (position: -1, name: "unfinished copy")

private func makeHistory(_ connection: any Connection) throws {
    try connection.define(
        """
        CREATE TABLE IF NOT EXISTS schema_migrations (
            position INTEGER NOT NULL PRIMARY KEY,
            name TEXT NOT NULL
        ) STRICT
        """)
}

private func apply(_ migration: Migration, at position: Int, _ connection: any Connection) throws {
    try migration.body(connection)
    try connection.execute(
        "INSERT INTO schema_migrations (position, name) VALUES (\(position), \(migration.name))")
}

/// Number of `names` that the database has. Throws if its history is not a prefix of them.
private func appliedCount(_ connection: any Connection, expecting names: [String]) throws -> Int {
    let found = try connection.query("SELECT name FROM schema_migrations ORDER BY position") { try $0.text(0) }
    guard found.first != unfinishedCopy.name else { throw MigrationError.unfinishedCopy }
    for (found, expected) in zip(found, names) where found != expected {
        throw MigrationError.differentHistory(found: found, expected: expected)
    }
    // Its last step is nearest to the version that wrote it.
    if found.count > names.count, let last = found.last { throw MigrationError.newerDatabase(step: last) }
    return found.count
}
