/// Options for opening a ``SQLiteDatabase``. The defaults suit a server with a few threads and little memory.
package struct SQLiteConfiguration: Sendable {
    /// Database file. Created with mode 0600 if missing, its folder with mode 0700.
    package var path: String

    /// Wait for another writing process, in milliseconds.
    package var busyTimeout = 5_000

    /// Maximum waiting changes. One more is refused with `SQLError.overloaded`.
    package var queueLimit = 10_000
    /// Maximum changes in one commit.
    package var batchLimit = 256

    /// The writer's page cache, in KiB.
    package var writerCache = 16_384
    /// Each reading connection's page cache, in KiB.
    package var readerCache = 2_048
    /// Bytes of the file that each connection may map. A mapping spares copies when the cache is cold, but its pages
    /// count as resident memory once for every connection.
    package var mappedBytes = 0
    /// Idle reading connections kept open. More are opened if more threads read at once.
    package var idleReaders = 4

    /// Threads for scans: as many run at once.
    package var scanners = 2
    /// Maximum waiting scans. One more is refused with `SQLError.overloaded`.
    package var scanQueueLimit = 64

    /// Pages of the write-ahead log at which an idle writer moves them into the database.
    package var checkpointWhenIdle = 1_000
    /// Milliseconds without a change after which the writer is idle. Even a busy one has such pauses.
    package var idleAfter = 50
    /// Pages of the write-ahead log at which even a busy writer moves them. A page that changes often moves once, so a
    /// late move is cheaper. But a start after a crash reads the whole log.
    package var checkpointAlways = 12_000

    /// Overwrites deleted data, even if that costs extra writes.
    package var overwritesDeleted = false

    /// The file does not change while it is open, so SQLite needs no files to share it.
    var isImmutable = false

    package init(path: String) { self.path = path }
}
