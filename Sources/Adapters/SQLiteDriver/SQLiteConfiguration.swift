/// Options for opening a ``SQLiteDatabase``. The defaults suit a server with a few threads and little memory.
package struct SQLiteConfiguration: Sendable {
    /// The database's file. Made with mode 0600 when missing, its folder with mode 0700.
    package var path: String

    /// Wait for another process that is writing, in milliseconds.
    package var busyTimeout = 5_000

    /// Changes that may wait for the writer; one more is refused with `SQLError.overloaded`.
    package var queueLimit = 10_000
    /// Changes that may share one commit.
    package var batchLimit = 256

    /// The writer's page cache, in KiB.
    package var writerCache = 16_384
    /// Each reading connection's page cache, in KiB.
    package var readerCache = 2_048
    /// Bytes of the file each connection may map into memory. A mapping spares copies when the cache is cold, but its
    /// pages count as resident memory once for every connection.
    package var mappedBytes = 0
    /// Reading connections kept open when nobody uses them. More are opened when more threads read at once.
    package var idleReaders = 4

    /// Threads for scans, so as many run at once.
    package var scanners = 2
    /// Scans that may wait for a thread; one more is refused with `SQLError.overloaded`.
    package var scanQueueLimit = 64

    /// Pages of the write-ahead log from which an idle writer moves them into the database.
    package var checkpointWhenIdle = 1_000
    /// Milliseconds without a change after which the writer is idle. A busy one, too, finds nothing to do now and then.
    package var idleAfter = 50
    /// Pages of the write-ahead log from which the writer does so even when it is busy. A page that changes often is moved
    /// once, so the later the fewer; but a start after a crash reads the whole log.
    package var checkpointAlways = 12_000

    /// Overwrites everything that is deleted, even if that costs extra writes.
    package var overwritesDeleted = false

    /// Nobody changes the file while it is open, so it is read without what SQLite needs to share it.
    var isImmutable = false

    package init(path: String) { self.path = path }
}
