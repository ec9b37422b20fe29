package import SQL

/// Facts about a server by which an operator's check judges it.
package struct PostgreSQLFacts: Sendable, Equatable {
    /// A server that follows this one.
    package struct Standby: Sendable, Equatable {
        package let name: String
        /// Bytes of changes that it has not replayed yet.
        package let bytesBehind: Int64

        package init(name: String, bytesBehind: Int64) {
            self.name = name
            self.bytesBehind = bytesBehind
        }
    }

    /// Standbys whose confirmation a change waits for (`synchronous_standby_names`).
    package struct AwaitedStandbys: Sendable, Equatable {
        /// Number that has to confirm.
        package let needed: Int
        /// Number that may confirm.
        package let candidates: Int

        /// - Parameters:
        ///   - setting: `a, b`, `2 (a, b)`, `FIRST 2 (a, b)`, `ANY 1 (*)`.
        ///   - following: Standbys that are connected, for `*`.
        /// - Returns: Nil if no change waits.
        package init?(parsing setting: String, following: Int) {
            let parts = setting.split(separator: "(", maxSplits: 1)
            guard let last = parts.last else { return nil }
            let names = last.split(separator: ",").map { $0.filter { !" )\"".contains($0) } }.filter { !$0.isEmpty }
            guard !names.isEmpty else { return nil }
            needed = parts.count == 1 ? 1 : parts[0].split(separator: " ").last.flatMap { Int($0) } ?? 1
            candidates = names.contains("*") ? following : names.count
        }
    }

    /// For example `15.4`.
    package let version: String
    /// Settings that decide whether an acknowledged change may be lost, by name.
    package let durability: [String: String]
    package let maximumConnections: Int
    /// Connections of all programs.
    package let connections: Int
    /// Milliseconds since 1970 of the server's clock.
    package let time: Int64
    /// For example `UTF8`.
    package var encoding = "UTF8"
    /// True for a server that only repeats another one's changes.
    package var isStandby = false
    /// True for a connection over a network without TLS.
    package var isOpenToNetwork = false
    /// Transactions since the oldest one whose rows were not frozen yet. The server refuses changes at about 2,100,000,000.
    package var transactionAge: Int64 = 0
    /// True if the server counts rows and removes old ones itself (`autovacuum`).
    package var isVacuumed = true
    /// Those that this account may see.
    package var standbys: [Standby] = []
    /// Nil if changes wait for none.
    package var awaited: AwaitedStandbys?
    /// True if the server ends no connection of this account for being one too many.
    package var isAccountUnlimited = false
    /// True if every account of the server may connect to the database.
    package var isOpenToAll = false
    /// Other accounts that may connect, without those of administrators, monitoring and backups.
    package var others: [String] = []

    package init(
        version: String, durability: [String: String], maximumConnections: Int, connections: Int, time: Int64
    ) {
        self.version = version
        self.durability = durability
        self.maximumConnections = maximumConnections
        self.connections = connections
        self.time = time
    }

    /// Reads them. The session's own settings count, since an account or a database may have its own.
    package init(_ connection: any Connection) throws {
        func setting(_ name: String) throws -> String {
            try connection.first("SELECT current_setting(\(name))") { try $0.text(0) } ?? ""
        }
        func number(_ statement: Statement) throws -> Int64 { try connection.first(statement) { try $0.int64(0) } ?? 0 }
        version = try setting("server_version")
        durability = try Dictionary(
            uniqueKeysWithValues: ["fsync", "full_page_writes", "synchronous_commit"].map { ($0, try setting($0)) })
        maximumConnections = Int(try setting("max_connections")) ?? 0
        connections = Int(
            try number("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"))
        time = try number("SELECT \(raw: PostgreSQLDialect.time)")
        encoding = try setting("server_encoding")
        isStandby = try number("SELECT pg_is_in_recovery()") != 0
        isOpenToNetwork =
            try number(
                """
                SELECT NOT ssl AND coalesce(NOT inet_client_addr() <<= '127.0.0.0/8' AND inet_client_addr() <> '::1', false)
                FROM pg_stat_ssl WHERE pid = pg_backend_pid()
                """) != 0
        transactionAge = try number(
            "SELECT CAST(age(datfrozenxid) AS bigint) FROM pg_database WHERE datname = current_database()")
        isVacuumed = try setting("autovacuum") != "off" && setting("track_counts") != "off"
        isOpenToAll = try number("SELECT has_database_privilege('public', current_database(), 'CONNECT')") != 0
        others = try connection.query(Self.others) { try $0.text(0) }
        isAccountUnlimited =
            try number("SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolconnlimit < 0") != 0
        guard !isStandby else { return }
        if !["off", "local"].contains(durability["synchronous_commit"]) {
            awaited = AwaitedStandbys(
                parsing: try setting("synchronous_standby_names"),
                following: Int(try number("SELECT count(*) FROM pg_stat_replication")))
        }
        standbys = try connection.query(
            """
            SELECT application_name, CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) AS bigint)
            FROM pg_stat_replication WHERE replay_lsn IS NOT NULL ORDER BY 1
            """
        ) { Standby(name: try $0.text(0), bytesBehind: try $0.int64(1)) }
    }

    private static let others: Statement = """
        SELECT rolname FROM pg_roles
        WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user
            AND has_database_privilege(oid, current_database(), 'CONNECT')
            AND NOT pg_has_role(oid, (SELECT datdba FROM pg_database WHERE datname = current_database()), 'MEMBER')
            AND NOT pg_has_role(oid, 'pg_monitor', 'MEMBER') AND NOT pg_has_role(oid, 'pg_read_all_data', 'MEMBER')
        ORDER BY 1 LIMIT 100
        """
}
