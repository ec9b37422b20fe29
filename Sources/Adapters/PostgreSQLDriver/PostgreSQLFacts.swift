package import SQL

/// Facts about a server by which an operator's check judges it.
package struct PostgreSQLFacts: Sendable, Equatable {
    /// For example `15.4`.
    package let version: String
    /// Settings that decide whether an acknowledged change may be lost, by name.
    package let durability: [String: String]
    package let maximumConnections: Int
    /// Connections of all programs.
    package let connections: Int
    /// Milliseconds since 1970 of the server's clock.
    package let time: Int64

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
        version = try setting("server_version")
        durability = try Dictionary(
            uniqueKeysWithValues: ["fsync", "full_page_writes", "synchronous_commit"].map { ($0, try setting($0)) })
        maximumConnections = Int(try setting("max_connections")) ?? 0
        connections =
            try connection.first("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'") {
                try $0.int(0)
            } ?? 0
        time =
            try connection.first("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)") {
                try $0.int64(0)
            } ?? 0
    }
}
