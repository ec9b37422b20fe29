import CSQLite
package import SQL

/// Copied pages of a database.
package struct CopyProgress: Sendable, Equatable {
    package let copied: Int
    package let total: Int
}

extension SQLiteDatabase {
    /// Copies one snapshot into the empty file at `path` with SQLite's online backup, on a thread of its own.
    ///
    /// Writers of all processes continue, because a reader's snapshot blocks none. The write-ahead log keeps everything
    /// since the snapshot until the copy is done, so it grows meanwhile.
    /// - Parameters:
    ///   - pagesPerStep: pages copied between two calls of `progress`.
    ///   - seeing: reads the same snapshot, before the copy begins.
    package func copy<Seen: Sendable>(
        to path: String, pagesPerStep: Int = 1024, progress: @escaping @Sendable (CopyProgress) -> Void,
        seeing: @escaping @Sendable (any Connection) throws -> Seen
    ) async throws -> Seen {
        try await onScanner { readers in
            try readers.withConnection { source in
                // Within a transaction no step begins a new snapshot, which would restart the copy after a write by
                // another process.
                try source.read { connection in
                    let seen = try seeing(connection)
                    try source.copy(to: path, pagesPerStep: pagesPerStep, progress)
                    return seen
                }
            }
        }
    }
}

extension SQLiteConnection {
    fileprivate func copy(to path: String, pagesPerStep: Int, _ progress: (CopyProgress) -> Void) throws(SQLError) {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        defer { sqlite3_close_v2(opened) }
        guard code == SQLITE_OK, let destination = opened else { throw .last(code, of: opened) }
        // Half a copy is worthless and is deleted: it needs no journal, and its owner syncs it once at the end.
        let prepared = sqlite3_exec(destination, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", nil, nil, nil)
        guard prepared == SQLITE_OK else { throw .last(prepared, of: destination) }
        guard let backup = sqlite3_backup_init(destination, "main", handle, "main") else {
            throw .last(sqlite3_errcode(destination), of: destination)
        }
        var status = SQLITE_OK
        while status == SQLITE_OK {
            status = sqlite3_backup_step(backup, Int32(clamping: max(1, pagesPerStep)))
            let total = Int(sqlite3_backup_pagecount(backup))
            progress(CopyProgress(copied: total - Int(sqlite3_backup_remaining(backup)), total: total))
        }
        let finished = sqlite3_backup_finish(backup)
        guard status == SQLITE_DONE, finished == SQLITE_OK else {
            throw .last(finished == SQLITE_OK ? status : finished, of: destination)
        }
    }
}
