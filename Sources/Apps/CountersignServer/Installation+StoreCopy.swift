import Audit
import Files
import Glibc
import OpenSSLCrypto
import Persistence
package import PostgreSQLDriver
import Primitives
import SQL
import SQLiteDriver

/// Place that a store is copied from or to.
package enum StorePlace: Sendable, CustomStringConvertible {
    /// A data folder with `countersign.db`.
    case folder(String)
    case postgreSQL(PostgreSQLAddress)

    /// Reads the path of a folder, or a connection URI of libpq.
    package init(parsing text: String) throws(PostgreSQLAddress.Failure) {
        let isAddress = text.hasPrefix("postgres:") || text.hasPrefix("postgresql:")
        self = isAddress ? .postgreSQL(try PostgreSQLAddress(parsing: text)) : .folder(text)
    }

    /// Without the user and the password of a server.
    package var description: String {
        switch self {
        case .folder(let path): Installation.databaseFile(folder: path)
        case .postgreSQL(let address): "\(address)"
        }
    }
}

/// A store that was copied to another place.
package struct CopiedStore: Sendable {
    /// A table with the number and the hash of the rows that both places have.
    package struct Table: Sendable {
        package let name: String
        package let rows: Int64
        package let hash: String
    }

    /// By name.
    package let tables: [Table]
    package let auditEntries: Int64
    /// Last entries of the copied audit log, in words. Nil without an entry.
    package let auditHead: String?
    /// Fault of the audit log, which the source has, too. Nil if the log verifies.
    package let auditFinding: String?
}

extension Installation {
    /// A step of a copy, for progress messages.
    package enum CopyStage: Sendable, Equatable {
        /// Rows of all tables so far.
        case copying(table: String, rows: Int64)
        case comparing(table: String)
        case verifyingAuditLog(entries: Int64)
    }

    /// Copies all tables to an empty place, compares both, and verifies the copied audit log. No server may use either
    /// place. The master key stays the same, and is not needed.
    ///
    /// After an interruption, a folder has no database, and programs refuse the database of a server.
    /// - Throws: `InstallationRefusal`, `FileFailure`, or an error of a database.
    package static func copyStore(
        from source: StorePlace, to target: StorePlace, progress: @escaping @Sendable (CopyStage) -> Void
    ) async throws -> CopiedStore {
        try await withSource(source) { original in
            switch target {
            case .folder(let path):
                try await withNewFile(in: path) { try await copy(original, to: $0, progress) }
            case .postgreSQL(let address):
                try await withServer(address) { server in
                    try await requireEmpty(server, target)
                    return try await copy(original, to: server, progress)
                }
            }
        }
    }

    private static func copy(
        _ source: any Database, to target: any Database, _ progress: @escaping @Sendable (CopyStage) -> Void
    ) async throws -> CopiedStore {
        let copy = StoreCopy(from: source, to: target, hashing: OpenSSLHashing())
        let tables: [TableDigest]
        do {
            tables = try await copy.run { stage in
                switch stage {
                case .copying(let table, let rows): progress(.copying(table: table, rows: rows))
                case .comparing(let table): progress(.comparing(table: table))
                }
            }
        } catch let failure as StoreCopy.Failure {
            throw InstallationRefusal(failure.description, hint: failure.hint)
        }
        let store = Store(
            database: target, hashing: OpenSSLHashing(), rows: Vault(closedBy: .missing(file: "master.key")))
        var report: VerifyAuditLog.Report?
        if try await store.auditHeads() != AuditHeads() {
            report = try await VerifyAuditLog(store: store, hashing: OpenSSLHashing(), verifier: OpenSSLVerifier())
                .verify { progress(.verifyingAuditLog(entries: $0)) }
        }
        try await copy.finish()
        return CopiedStore(
            tables: tables.map { CopiedStore.Table(name: $0.table, rows: $0.rows, hash: $0.hash) },
            auditEntries: report?.entries ?? 0, auditHead: report.map { "\($0.heads)" },
            auditFinding: report?.finding?.description)
    }

    private static func withSource<Result>(
        _ place: StorePlace, _ body: (any Database) async throws -> Result
    ) async throws -> Result {
        switch place {
        case .folder(let path):
            try DataFolder.requireDatabase(path)
            let lock = try ServingLock(try DataFolder(path, .existing), refusal: InstallationRefusal.besideServer)
            defer { withExtendedLifetime(lock) {} }
            let file = try naming(place.description) {
                try SQLiteDatabase(reading: SQLiteConfiguration(path: databaseFile(folder: path)))
            }
            return try await using(file) {
                try await requireVersion(file, place)
                return try await body(file)
            }
        case .postgreSQL(let address):
            return try await withServer(address) { server in
                try await requireVersion(server, place)
                return try await body(server)
            }
        }
    }

    private static func withServer<Result>(
        _ address: PostgreSQLAddress, _ body: (PostgreSQLDatabase) async throws -> Result
    ) async throws -> Result {
        let place = StorePlace.postgreSQL(address).description
        let server = try naming(place) { try PostgreSQLDatabase(PostgreSQLConfiguration(address.alone)) }
        return try await using(server) {
            try await requireAlone(server, place)
            return try await body(server)
        }
    }

    private static func using<Result>(
        _ database: any ServedDatabase, _ body: () async throws -> Result
    ) async throws -> Result {
        try await ending(body) { await database.close() }
    }

    /// Gives the file its name once `body` has filled it.
    private static func withNewFile<Result>(
        in path: String, _ body: (any Database) async throws -> Result
    ) async throws -> Result {
        let name = databaseFile(folder: path)
        guard try !DataFolder.hasDatabase(path) else {
            throw InstallationRefusal(
                "\(name) already exists", hint: "name another folder; a copy never replaces a database")
        }
        let lock = try ServingLock(try DataFolder(path, .creating), refusal: InstallationRefusal.besideServer)
        defer { withExtendedLifetime(lock) {} }
        let partial = try partial(name)
        // Those of an interrupted copy would be taken for changes of this one.
        for suffix in ["-wal", "-shm"] { unlink(partial.path + suffix) }
        let file = try naming(name) { try SQLiteDatabase(SQLiteConfiguration(path: partial.path)) }
        let result = try await using(file) { try await body(file) }
        try keep(partial, orRefuse: .exists(name))
        return result
    }

    private static func requireVersion(_ database: any Database, _ place: StorePlace) async throws {
        guard try await database.hasTables else {
            throw InstallationRefusal(
                "\(place) has no tables of an installation", hint: "name the place of an installation with --from")
        }
        do { try await database.requireMigrated(Schema.migrations) } catch let error as MigrationError {
            throw InstallationRefusal(
                "\(place): \(error)",
                hint: "copy with the version of the database, or start this version with it first")
        }
    }

    private static func requireEmpty(_ database: any Database, _ place: StorePlace) async throws {
        let tables = try await database.query(database.dialect.tables) { try $0.text(0) }
        guard !tables.isEmpty else { return }
        do { try await database.requireMigrated(Schema.migrations) } catch MigrationError.unfinishedCopy {
            throw InstallationRefusal(
                "\(place) has a copy that was interrupted, or is still under way",
                hint: "drop the database and make it anew (dropdb, createdb), then copy again")
        } catch {}
        throw InstallationRefusal(
            "\(place) is not empty: it has the table \(tables.sorted()[0])",
            hint: "name an empty database, such as one that createdb has just made")
    }
}

extension StoreCopy.Failure {
    fileprivate var hint: String {
        switch self {
        case .differentSchema: "start the server with this version of the program, which brings its database up to date"
        case .refused: "correct the row, or ask the makers of this program; the target is left unfinished"
        case .different: "stop every server and command of the source, and copy to an empty place again"
        }
    }
}
