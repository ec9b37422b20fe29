/// Options for opening a ``PostgreSQLDatabase``. The defaults suit a server with a few threads.
package struct PostgreSQLConfiguration: Sendable {
    package var address: PostgreSQLAddress
    /// Schema that holds the tables. Nil takes the account's `search_path`.
    package var schema: String?
    /// Refuses every change (`SQLError.readOnly`), and takes a standby, too.
    package var isReadOnly = false

    /// Connections for reads: as many run at once.
    package var readers = 6
    /// Maximum waiting reads. One more is refused with `SQLError.overloaded`.
    package var readQueueLimit = 10_000
    /// Connections for changes.
    package var writers = 4
    /// Maximum waiting changes. One more is refused with `SQLError.overloaded`.
    package var queueLimit = 10_000
    /// Maximum changes in one transaction.
    package var batchLimit = 64
    /// Connections for scans.
    package var scanners = 2
    /// Maximum waiting scans. One more is refused with `SQLError.overloaded`.
    package var scanQueueLimit = 64

    /// Milliseconds that a statement may take, before the server ends it.
    package var statementTimeout = 30_000
    /// Milliseconds that a statement may wait for a lock.
    package var lockTimeout = 5_000
    /// Longest age of a change that begins. Older ones are refused as overload.
    package var patience = Duration.seconds(10)
    /// Milliseconds that a transaction may wait for its next statement. A node that froze keeps no locks.
    package var idleTransactionTimeout = 30_000
    /// Milliseconds after which an unused connection is closed.
    package var idleAfter = 600_000
    /// Longest age of a statement's plan. The server plans a prepared statement once, for the sizes that tables then have, and
    /// again when it has counted their rows (autovacuum). For empty tables the server may take an index that all rows of a tenant
    /// share.
    package var planLife = Duration.seconds(60)
    /// Runs of a change that lost against others, before it fails with `SQLError.conflict`.
    package var attempts = 10

    package init(_ address: PostgreSQLAddress) { self.address = address }

    /// Connections of one process at most, with that of ``PostgreSQLNotifications``.
    package var connections: Int { readers + writers + scanners + 1 }
}
