import Foundation
import Persistence
import PostgreSQLCluster
import PostgreSQLDriver
import Primitives
import SQL
import SQLiteDriver
import TestSupport
import Testing

@Suite("Steps of the schema")
struct SchemaStepTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Upgrade")
    /// Databases of the first release, whose history begins every later one.
    private static let first = folder.appending(path: "0.1.0")

    // MARK: steps

    @Test("A step that was written down never changes, and every step is written down")
    func unchanged() async throws {
        let file = Self.folder.appending(path: "steps.txt")
        let isWriting = ProcessInfo.processInfo.environment["WRITE_STEPS"] != nil
        for driver in TemporaryStore.Driver.available where driver != .serverLike {
            var known = try Self.known(file)
            let steps = try await RecordedSteps(driver).digests
            for step in steps {
                let key = "\(driver.rawValue) \(step.name)"
                if known[key] == nil, isWriting {
                    let text = try String(contentsOf: file, encoding: .utf8) + "\(step.digest) \(key)\n"
                    try text.write(to: file, atomically: true, encoding: .utf8)
                    known = try Self.known(file)
                }
                let advice: Comment =
                    known[key] == nil
                    ? "the step is not written down: WRITE_STEPS=1 swift test --filter SchemaStepTests"
                    : "databases have this step already: take the change back, and append a step to Schema.migrations"
                #expect(known[key] == step.digest, advice)
            }
            let gone = known.keys.filter { $0.hasPrefix("\(driver.rawValue) ") }.count - steps.count
            #expect(gone == 0, "a step that was written down is missing")
        }
    }

    /// Digests by engine and step.
    private static func known(_ file: URL) throws -> [String: String] {
        var known: [String: String] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let parts = line.split(separator: " ", maxSplits: 1)
            if parts.count == 2 { known[String(parts[1])] = String(parts[0]) }
        }
        return known
    }

    @Test("A step's name has its number, a title and the version that brings it, so that older programs can say it")
    func names() throws {
        #expect(Schema.migrations.first?.name == "001 the tables", "the history of every database begins with it")
        for (index, name) in Schema.migrations.map(\.name).enumerated().dropFirst() {
            let parts = try #require(
                name.wholeMatch(of: /([0-9]{3}) .+ \(([0-9]+)\.([0-9]+)\.([0-9]+)\)/)?.output,
                "\(name): name it as in \"002 devices (\(Release.version))\"")
            #expect(Int(parts.1) == index + 1, "\(name)")
            let version = "\(parts.2).\(parts.3).\(parts.4)"
            let isLater = version.compare(Release.version, options: .numeric) == .orderedDescending
            #expect(!isLater, "\(name) is of a version after \(Release.version)")
        }
        let refusal = MigrationError.newerDatabase(step: "002 devices (99.1.0)").description
        #expect(refusal.contains("newer version of this program, 99.1.0 or later") && refusal.contains(Release.version))
    }

    // MARK: the first release's databases

    @Test("A SQLite database of the first release gets the schema of a new one, and keeps what older programs use")
    func sqlite() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upgrade-\(UUID().uuidString).db")
        defer {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        }
        let packed = Self.first.appending(path: "sqlite/data/countersign.db.gz")
        try await run(["-c", #"zcat "$0" > "$1""#, packed.path, file.path], of: "bash")
        let former = try SQLiteDatabase(SQLiteConfiguration(path: file.path))
        let before = try await Self.columns(former)
        try await former.migrate(Schema.migrations)
        let new = try await TemporaryStore(.sqlite)
        #expect(try await Self.definitions(former) == Self.definitions(new.database))
        try await expectOnlyMore(before, former)
        await former.close()
    }

    /// Tables, indexes and triggers by name.
    private static func definitions(_ database: any Database) async throws -> [String: String] {
        let rows = try await database.query("SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        {
            (try $0.text(0), RecordedSteps.bare(try $0.text(1)))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    @Test(
        "A PostgreSQL database of the first release gets the schema of a new one, and keeps what older programs use",
        .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
    func postgreSQL() async throws {
        let packed = Self.first.appending(path: "postgresql/database.sql.gz")
        let (old, fresh) = (
            try PostgreSQLCluster.started.makeDatabase(), try PostgreSQLCluster.started.makeDatabase()
        )
        try await run(
            ["-c", #"zcat "$0" | psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 "$1""#, packed.path, old.uri],
            of: "bash")
        let former = try PostgreSQLDatabase(old.configuration)
        let before = try await Self.columns(former)
        try await former.migrate(Schema.migrations)
        try await expectOnlyMore(before, former)
        await former.close()
        let new = try PostgreSQLDatabase(fresh.configuration)
        try await new.migrate(Schema.migrations)
        await new.close()
        #expect(try await Self.dump(old) == Self.dump(fresh))
    }

    /// Lines of everything but rows: columns with their types, orders and defaults, keys, indexes, triggers.
    private static func dump(_ database: PostgreSQLCluster.Database) async throws -> [Substring] {
        let dumped = try await Program.run(
            ["--schema-only", "--no-owner", "--no-privileges", database.uri], of: "pg_dump",
            in: FileManager.default.temporaryDirectory)
        try #require(dumped.status == 0, "\(dumped.errors)")
        // Each dump has a word of its own.
        return dumped.output.split(separator: "\n").filter { !$0.contains("restrict") }
    }

    // MARK: use by older programs

    private struct Column: Hashable {
        let table: String
        let name: String
        let type: String
        /// True if an insertion may leave it out.
        let isOptional: Bool
    }

    private static func columns(_ database: any Database) async throws -> Set<Column> {
        let isFile = database is SQLiteDatabase
        let statement: Statement =
            isFile
            ? """
            SELECT m.name, c.name, c.type, c."notnull" = 0 OR c.dflt_value IS NOT NULL OR c.hidden <> 0 OR c.pk > 0
            FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c WHERE m.type = 'table'
            """
            : """
            SELECT table_name::text, column_name::text, data_type::text, CASE WHEN is_nullable = 'YES' OR column_default IS NOT NULL
                OR is_identity = 'YES' OR is_generated <> 'NEVER' THEN 1::bigint ELSE 0::bigint END
            FROM information_schema.columns WHERE table_schema = current_schema()
            """
        return Set(
            try await database.query(statement) {
                Column(
                    table: try $0.text(0), name: try $0.text(1), type: try $0.text(2), isOptional: try $0.int(3) == 1)
            })
    }

    /// Nodes of the version before go on beside this schema.
    private func expectOnlyMore(_ before: Set<Column>, _ database: any Database) async throws {
        let after = try await Self.columns(database)
        #expect(before.subtracting(after).isEmpty, "a step removed or changed what older programs use")
        let tables = Set(before.map(\.table))
        let demanded = after.subtracting(before).filter { tables.contains($0.table) && !$0.isOptional }
        #expect(demanded.isEmpty, "older programs leave these out when they insert: give them a default")
    }

    private func run(_ arguments: [String], of name: String) async throws {
        let result = try await Program.run(arguments, of: name, in: FileManager.default.temporaryDirectory)
        try #require(result.status == 0, "\(result.errors)")
    }
}
