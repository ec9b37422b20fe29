import CSQLite
import SQL
import Threads

extension SQLiteDatabase {
    /// Moves the log of the file at `path` into it and leaves no file beside it, so that it can be moved. Blocks no
    /// caller.
    /// - Throws: `SQLError.busy` if another process has it open; another `SQLError` if it cannot be read.
    package static func closeForGood(_ configuration: SQLiteConfiguration) async throws {
        let path = configuration.path
        try await Workers(threads: 1, queueLimit: 0).run {
            var opened: OpaquePointer?
            let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
            let code = sqlite3_open_v2(path, &opened, flags, nil)
            defer { sqlite3_close_v2(opened) }
            guard code == SQLITE_OK, let handle = opened else { throw SQLError.last(code, of: opened) }
            // First, before any read: every connection holds a shared lock on a file in WAL mode while it is open.
            let status = sqlite3_exec(
                handle,
                """
                PRAGMA locking_mode = EXCLUSIVE;
                BEGIN EXCLUSIVE;
                SELECT count(*) FROM sqlite_schema;
                COMMIT;
                PRAGMA wal_checkpoint(TRUNCATE);
                """, nil, nil, nil)
            guard status == SQLITE_OK else { throw SQLError.last(status, of: handle) }
        }
    }
}
