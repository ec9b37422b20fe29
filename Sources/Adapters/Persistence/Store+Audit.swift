public import Administration
public import AuthorizationCore
import Primitives
import SQL

extension Store {
    private static let lastEntry = StaticStatement("SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1")

    private static let count = StaticStatement(
        """
        INSERT INTO audit_daily (tenant, day, kind, count) VALUES ($1, $2, $3, 1)
        ON CONFLICT (tenant, day, kind) DO UPDATE SET count = audit_daily.count + 1
        """)

    /// Appends to the audit log within a transaction. The last entry is read in that transaction, because another
    /// process may have appended it, and no other can append before this one ends.
    func append(_ event: AuditEvent, _ connection: any Connection) throws {
        let last = try Self.head(connection)
        try AuditEntry(event, sequence: (last?.sequence ?? 0) + 1)
            .insert(after: last?.hash ?? AuditEntry.beginning, hashing, connection)
        if DailyStatistics.counts(event.kind) {
            try connection.execute(Self.count(event.tenant, event.at.milliseconds / 86_400_000, event.kind.rawValue))
        }
    }

    private static func head(_ connection: any Connection) throws -> AuditHead? {
        try connection.first(lastEntry()) { row in
            AuditHead(sequence: try row.int64(0), hash: Digest256(try row.blob(1)))
        }
    }

    /// Appends to the audit log.
    public func record(_ event: AuditEvent) async throws {
        try await database.write { try append(event, $0) }
    }
}

extension Store: AuditLogStore {
    public func auditHead() async throws -> AuditHead? { try await database.read { try Self.head($0) } }

    private static let chain = StaticStatement(
        "SELECT", AuditEntry.columns, ", hash FROM audit_log WHERE id > $1 ORDER BY id LIMIT $2")

    public func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry] {
        try await database.read { connection in
            try connection.query(Self.chain(sequence, limit)) { row in
                let hash = try? row.blob(AuditEntry.columnCount)
                return StoredAuditEntry(
                    sequence: try row.int64(0), entry: try? AuditEntry(row),
                    hash: hash.flatMap { $0.count == Digest256.size ? Digest256($0) : nil })
            }
        }
    }
}

extension AuditEntry {
    static let columns: StaticString = """
        id, kind, tenant, at, "user", client, device, consent, remote_address, user_agent, correlation_id, actor,
        object_kind, object, details
        """
    static let columnCount = 15

    private static let insertion = StaticStatement(
        "INSERT INTO audit_log (", columns,
        ", hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)")

    init(_ row: borrowing Row) throws {
        self.init(
            sequence: try row.int64(0), kind: try row.text(1), tenant: try row.text(2), at: try row.timestamp(3),
            details: try row.text(14))
        user = try row.optionalText(4)
        client = try row.optionalText(5)
        device = try row.optionalText(6)
        consent = try row.optionalText(7)
        remoteAddress = try row.optionalText(8)
        userAgent = try row.optionalText(9)
        correlationID = try row.optionalText(10)
        actor = try row.optionalText(11)
        objectKind = try row.optionalText(12)
        object = try row.optionalText(13)
    }

    /// - Returns: its hash.
    @discardableResult
    func insert(after previous: Digest256, _ hashing: any Hashing, _ connection: any Connection) throws -> Digest256 {
        let hash = hash(after: previous, hashing)
        try connection.execute(
            Self.insertion(
                sequence, kind, tenant, at, user, client, device, consent, remoteAddress, userAgent, correlationID,
                actor, objectKind, object, details, hash.bytes))
        return hash
    }
}
