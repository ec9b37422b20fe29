import Administration
import Glibc
import OpenSSLCrypto
import Persistence
package import Primitives
import SQL
import SQLiteDriver

/// A backup that was put in a database's place.
package struct RestoredDatabase: Sendable {
    package let backup: Backup
    /// Entries of the audit log, all of which fit.
    package let auditEntries: Int64
    /// The database that was there before; nil where there was none.
    package let kept: String?
    /// True if the next start brings the database up to date.
    package let isOlder: Bool
}

extension Installation {
    /// A stage of a restoration, for people.
    package enum RestoreStage: Sendable, Equatable {
        case copying(bytes: Int64)
        case verifying
        case verifyingAuditLog(entries: Int64)
    }

    /// Puts the backup `file` in the place of a data folder's database, which no server and no command may be using.
    /// Either all of it is in place afterwards or nothing was changed, whenever the process ends. With `replacing`, a
    /// database that is there is kept beside it under another name.
    /// - Throws: `InstallationRefusal`, `FolderInUse`, `MasterKeyFailure`, `FileFailure` or `SQLError`.
    package static func restore(
        _ file: String, into settings: ServerSettings, replacing: Bool, now: Timestamp,
        progress: @escaping @Sendable (RestoreStage) -> Void
    ) async throws -> RestoredDatabase {
        let path = databaseFile(folder: settings.dataFolder)
        try refuse(source: file, database: path, replacing: replacing)
        _ = try makeFolder(settings.dataFolder)
        try refuseForeignFolder(settings.dataFolder)
        let lock = try lock(settings.dataFolder, FolderInUse.byRunningServer)
        defer { withExtendedLifetime(lock) {} }
        let partial = try partial(path)
        try partial.append(contentsOf: file) { progress(.copying(bytes: $0)) }
        // Verifies the copy that goes into place, because the file may change meanwhile.
        progress(.verifying)
        let (facts, entries) = try await examine(partial.path, settings, of: file, progress)
        let bytes = partial.size
        let kept = try await setAside(path, now: now)
        try partial.keep(replacing: true)
        return RestoredDatabase(
            backup: Backup(
                file: file, bytes: bytes, auditHead: facts.auditHead, tenants: facts.tenants,
                schema: facts.migrations.last ?? ""),
            auditEntries: entries, kept: kept, isOlder: facts.migrations.count < migrationNames.count)
    }

    private static var migrationNames: [String] { Schema.migrations.map(\.name) }

    private static func refuse(source file: String, database path: String, replacing: Bool) throws {
        var status = stat()
        guard stat(file, &status) == 0 else { throw FileFailure(what: "cannot open \(file)", number: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw InstallationRefusal("\(file) is no file") }
        try refuseLog(beside: file)
        var own = stat()
        guard lstat(path, &own) == 0 else { return }
        if own.st_ino == status.st_ino, own.st_dev == status.st_dev {
            throw InstallationRefusal("\(file) is the data folder's database itself")
        }
        guard replacing else {
            throw InstallationRefusal(
                "\(path) is there already", hint: "--force puts the backup in its place and keeps it beside it")
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
            let store = Store(database: database, hashing: OpenSSLHashing())
            var made: [String] = []
            let key = try masterKey(settings, forNewDatabase: false, &made)
            guard key.vault.isOpen else { throw MasterKeyFailure.missing(file: masterKeyFile(settings)) }
            _ = try await key.matching(store)
            guard facts.auditHead != nil else { return Int64(0) }
            let report = try await VerifyAuditLog(
                store: store, hashing: OpenSSLHashing(), verifier: OpenSSLVerifier()
            ).verify {
                progress(.verifyingAuditLog(entries: $0))
            }
            guard report.finding == nil else {
                throw InstallationRefusal(
                    "the audit log in \(file) does not verify after \(report.entries) entries",
                    hint: "countersign log verify says more, on a folder with the file as its countersign.db")
            }
            return report.entries
        }
        return (facts, entries)
    }

    /// Keeps the database at `path` under another name as well, and moves its log there. Until the caller gives the name
    /// to another file, it is still the database.
    private static func setAside(_ path: String, now: Timestamp) async throws -> String? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            // A database that is sound is closed with all that its log held.
            try await SQLiteDatabase.closeForGood(SQLiteConfiguration(path: path))
        } catch SQLError.busy {
            throw InstallationRefusal(
                "another program has \(path) open", hint: "end the commands that work on it first")
        } catch is SQLError {
            // That it cannot be opened may be why a backup is restored: it is kept as it is.
        }
        let aside = "\(path).replaced-\(now.compact)"
        guard link(path, aside) == 0 else { throw FileFailure(what: "cannot make \(aside)", number: errno) }
        if access(path + "-wal", F_OK) == 0, Glibc.rename(path + "-wal", aside + "-wal") != 0 {
            throw FileFailure(what: "cannot make \(aside)-wal", number: errno)
        }
        unlink(path + "-shm")
        try PartialFile.synchronizeFolder(of: path)
        return aside
    }
}

extension Timestamp {
    /// Date and time in UTC for the name of a file: `20261123T034500Z`.
    var compact: String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))T"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }
}
