import Glibc
import Workbench

/// A primary and its streaming replica, without which it acknowledges nothing.
final class PostgreSQLPair {
    private(set) var primary: PostgreSQLServer
    private(set) var standby: PostgreSQLServer

    private static let settings = [
        "max_connections=100", "shared_buffers=64MB",
        "fsync=on", "full_page_writes=on", "synchronous_commit=remote_apply", "wal_level=replica",
        "max_wal_senders=4", "hot_standby=on", "wal_retrieve_retry_interval=100ms", "wal_receiver_timeout=5s",
        "wal_sender_timeout=5s", "max_wal_size=32MB", "min_wal_size=8MB", "wal_keep_size=16MB",
        "restart_after_crash=on",
    ]

    /// - Parameter disks: folders, of which each server gets one.
    init(disks: [String]) throws {
        primary = try PostgreSQLServer("alpha", folder: disks[0], settings: Self.settings)
        standby = try PostgreSQLServer("beta", folder: disks[1], settings: Self.settings)
        try primary.initialize(["--wal-segsize=1"])
        try primary.start()
        try primary.query("CREATE DATABASE \(PostgreSQLServer.database)")
        try attach()
    }

    /// Ports of both, in a fixed order.
    var ports: [UInt16] { [primary, standby].sorted { $0.name < $1.name }.map(\.port) }

    /// Makes the standby a replica of the primary, which from then on waits for it.
    func attach() throws {
        try standby.copy(of: primary)
        try standby.start()
        try primary.query("ALTER SYSTEM SET synchronous_standby_names = '\(standby.name)'")
        try primary.query("SELECT pg_reload_conf()")
        try awaitStandby()
    }

    /// Returns once the standby has all that the primary acknowledges.
    func awaitStandby() throws {
        let end = ContinuousClock.now + .seconds(30)
        while try primary.query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").first != "1" {
            guard ContinuousClock.now < end else { throw Failure("the replica does not follow") }
            usleep(50_000)
        }
    }

    /// The primary dies, and the standby takes over, alone.
    func failOver() throws {
        primary.kill()
        try standby.promote()
        (primary, standby) = (standby, primary)
        try primary.query("ALTER SYSTEM SET synchronous_standby_names = ''")
        try primary.query("SELECT pg_reload_conf()")
    }

    func stop() {
        primary.stop()
        standby.stop()
    }
}
