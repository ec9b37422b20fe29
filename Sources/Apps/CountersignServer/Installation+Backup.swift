package import Audit
import Files
import Glibc
import Persistence
import SQL
import SQLiteDriver

/// A verified copy of a database.
package struct Backup: Sendable {
    package let file: String
    package let bytes: Int64
    /// None means that the audit log has no entry yet.
    package let auditHeads: AuditHeads
    package let tenants: Int
    /// Name of the last applied migration.
    package let schema: String
}

extension Installation {
    /// A step of a backup, for progress messages.
    package enum BackupStage: Sendable, Equatable {
        case copying(percent: Int)
        case verifying
    }

    /// Copies the database while it is in use, and verifies the copy. The file has mode 0600 and gets its name once it
    /// is complete. `replacing` allows it to replace another file.
    /// - Throws: `InstallationRefusal`, `FileFailure` or `SQLError`.
    package func backUp(
        to file: String, replacing: Bool, progress: @escaping @Sendable (BackupStage) -> Void
    ) async throws -> Backup {
        let database = try self.file()
        try refuse(target: file, replacing: replacing)
        let partial = try Self.partial(file)
        let seen = try await database.copy(to: partial.path) {
            progress(.copying(percent: $0.total == 0 ? 0 : $0.copied * 100 / $0.total))
        } seeing: {
            try DatabaseFacts($0)
        }
        try partial.synchronize()
        progress(.verifying)
        guard try await Self.verified(partial.path) == seen else {
            throw InstallationRefusal("the copy differs from the database; nothing was kept")
        }
        let bytes = partial.size
        try Self.keep(partial, replacing: replacing, orRefuse: .exists(file))
        return Backup(
            file: file, bytes: bytes, auditHeads: seen.auditHeads, tenants: seen.tenants,
            schema: seen.migrations.last ?? "")
    }

    private func refuse(target file: String, replacing: Bool) throws {
        var status = stat()
        guard lstat(file, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFREG else { throw InstallationRefusal("\(file) exists and is not a file") }
        var own = stat()
        if stat(Self.databaseFile(folder: dataFolder), &own) == 0, own.st_ino == status.st_ino,
            own.st_dev == status.st_dev
        {
            throw InstallationRefusal("\(file) is the database itself", hint: "name another file")
        }
        guard replacing else { throw InstallationRefusal.exists(file) }
        try Self.refuseLog(beside: file)
    }

    /// Refuses a file with a write-ahead log beside it: SQLite would apply that log to the new database.
    static func refuseLog(beside file: String) throws {
        guard access(file + "-wal", F_OK) == 0 else { return }
        throw InstallationRefusal(
            "\(file)-wal exists: a program has \(file) open, or did not close it",
            hint: "make a copy of it with countersign backup, or name another file")
    }

    static func partial(_ file: String) throws -> NewFile {
        do {
            return try NewFile(alone: file)
        } catch is NewFile.InUse {
            throw InstallationRefusal("another process is writing \(file)", hint: "wait for it to end")
        }
    }

    /// Gives a complete file its name, or refuses if another file has it.
    static func keep(_ file: NewFile, replacing: Bool = false, orRefuse refusal: InstallationRefusal) throws {
        do throws(FileFailure) { try file.keep(replacing: replacing) } catch {
            throw error.number == EEXIST ? refusal as any Error : error
        }
    }

    /// Reads a whole database that nobody else changes, and checks its structure, indexes and constraints.
    static func verified(_ path: String) async throws -> DatabaseFacts {
        try await withUnshared(path) { database in
            try await database.scan(within: .seconds(86_400)) { connection in
                let problem = try connection.first("PRAGMA integrity_check(1)") { try $0.text(0) }
                guard problem == "ok" else { throw SQLError.corrupt }
                return try DatabaseFacts(connection)
            }
        }
    }

    static func withUnshared<Result: Sendable>(
        _ path: String, _ body: (SQLiteDatabase) async throws -> Result
    ) async throws -> Result {
        let database = try SQLiteDatabase(unshared: SQLiteConfiguration(path: path))
        return try await ending {
            try await body(database)
        } with: {
            await database.close()
        }
    }

    /// Does `work`, and then `end` whether or not it failed.
    static func ending<Result>(_ work: () async throws -> Result, with end: () async -> Void) async throws -> Result {
        do {
            let result = try await work()
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }
}

extension InstallationRefusal {
    static func exists(_ file: String) -> InstallationRefusal {
        InstallationRefusal("\(file) already exists", hint: "name another file, or replace it with --force")
    }
}
