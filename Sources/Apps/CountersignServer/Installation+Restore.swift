import Audit
import Files
import Glibc
import OpenSSLCrypto
import Persistence
package import Primitives
import SQL
import SQLiteDriver

/// A backup that replaced a database.
package struct RestoredDatabase: Sendable {
    package let backup: Backup
    /// Number of audit entries, all verified.
    package let auditEntries: Int64
    /// The previous database under its new name. Nil means that there was none.
    package let kept: String?
    /// The file with the backup's master key. Nil if the environment gives the key.
    package let masterKeyFile: String?
    /// True if the next start has to migrate the database.
    package let isOlder: Bool
}

extension Installation {
    /// A step of a restoration, for progress messages.
    package enum RestoreStage: Sendable, Equatable {
        case copying(bytes: Int64)
        case verifying
        case verifyingAuditLog(entries: Int64)
    }

    /// Replaces a data folder's database with the backup `file`. No server and no command may be using the folder. At
    /// any interruption either the whole backup is in place or nothing has changed. With `replacing`, an existing
    /// database is kept under another name. Only with `creating`, the folder may lack a database.
    /// - Throws: `InstallationRefusal`, `MasterKeyFailure`, `FileFailure` or `SQLError`.
    package static func restore(
        _ file: String, into settings: ServerSettings, _ opening: DataFolder.Opening, replacing: Bool, now: Timestamp,
        progress: @escaping @Sendable (RestoreStage) -> Void
    ) async throws -> RestoredDatabase {
        guard settings.store.isFile else { throw InstallationRefusal.onServer }
        let path = databaseFile(folder: settings.dataFolder)
        try refuse(source: file, database: path, replacing: replacing)
        let folder = try DataFolder(settings.dataFolder, opening)
        let lock = try ServingLock(folder, refusal: InstallationRefusal.besideServer)
        defer { withExtendedLifetime(lock) {} }
        let partial = try partial(path)
        try readPieces(of: file) { piece in
            try partial.append(piece)
            progress(.copying(bytes: partial.size))
            return true
        }
        // Verifies the copy, because the file itself may change meanwhile.
        progress(.verifying)
        let (facts, entries) = try await examine(partial.path, settings, of: file, progress)
        let bytes = partial.size
        let kept = try await setAside(path, now: now)
        try partial.keep(replacing: true)
        return RestoredDatabase(
            backup: Backup(
                file: file, bytes: bytes, auditHeads: facts.auditHeads, tenants: facts.tenants,
                schema: facts.migrations.last ?? ""),
            auditEntries: entries, kept: kept,
            masterKeyFile: settings.masterKey == nil ? masterKeyFile(settings) : nil,
            isOlder: facts.migrations.count < migrationNames.count)
    }

    private static var migrationNames: [String] { Schema.migrations.map(\.name) }

    private static func refuse(source file: String, database path: String, replacing: Bool) throws {
        var status = stat()
        guard stat(file, &status) == 0 else { throw FileFailure("cannot open \(file)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw InstallationRefusal("\(file) is not a file") }
        try refuseLog(beside: file)
        var own = stat()
        guard lstat(path, &own) == 0 else { return }
        if own.st_ino == status.st_ino, own.st_dev == status.st_dev {
            throw InstallationRefusal("\(file) is the data folder's database itself")
        }
        guard replacing else {
            throw InstallationRefusal(
                "\(path) already exists", hint: "--force replaces it with the backup and keeps it under another name")
        }
    }

    private static func examine(
        _ copy: String, _ settings: ServerSettings, of file: String,
        _ progress: @escaping @Sendable (RestoreStage) -> Void
    ) async throws -> (DatabaseFacts, entries: Int64) {
        let facts: DatabaseFacts
        do {
            facts = try await verified(copy)
        } catch let error as SQLError {
            throw InstallationRefusal("\(file) cannot be restored: \(error)", hint: "try another backup")
        }
        let known = migrationNames
        guard facts.migrations.elementsEqual(known.prefix(facts.migrations.count)) else {
            throw InstallationRefusal(
                "\(file) was made by a newer version of countersign, or by another program",
                hint: "restore it with the version that made it")
        }
        let entries = try await withUnshared(copy) { database in
            var made: [String] = []
            let key = try masterKey(settings, &made)
            let store = Store(database: database, hashing: OpenSSLHashing(), rows: key.vault)
            guard key.vault.isOpen else { throw MasterKeyFailure.missing(file: masterKeyFile(settings)) }
            _ = try await key.matching(store)
            guard facts.auditHeads != AuditHeads() else { return Int64(0) }
            let report = try await VerifyAuditLog(
                store: store, hashing: OpenSSLHashing(), verifier: OpenSSLVerifier()
            ).verify { progress(.verifyingAuditLog(entries: $0)) }
            guard report.finding == nil else {
                throw InstallationRefusal(
                    "the audit log in \(file) does not verify after \(report.entries) entries",
                    hint:
                        "put it into an empty folder as countersign.db and run countersign log verify there for details"
                )
            }
            return report.entries
        }
        return (facts, entries)
    }

    /// Links the database at `path` to another name, and moves its log there. The database keeps its name until the
    /// caller gives that name to another file.
    private static func setAside(_ path: String, now: Timestamp) async throws -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            // Closing a sound database writes its log into it.
            try await SQLiteDatabase.closeForGood(SQLiteConfiguration(path: path))
        } catch SQLError.busy {
            throw InstallationRefusal(
                "another program has \(path) open", hint: "end the commands that work on it first")
        } catch is SQLError {
            // A broken database may be the reason for the restoration, so it is kept as it is.
        }
        let aside = "\(path).replaced-\(now.compact)"
        guard link(path, aside) == 0 else { throw FileFailure("cannot create \(aside)") }
        if access(path + "-wal", F_OK) == 0, Glibc.rename(path + "-wal", aside + "-wal") != 0 {
            throw FileFailure("cannot create \(aside)-wal")
        }
        unlink(path + "-shm")
        try Folder(of: path).synchronize()
        return aside
    }
}

extension Timestamp {
    /// Date and time in UTC for a file name: `20261123T034500Z`.
    var compact: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }
}
