package import Audit
import Primitives
import SQL

extension Store {
    private static let lastEntry = StaticStatement("SELECT id, hash FROM audit_log ORDER BY id DESC LIMIT 1")

    /// Last entry, with the hash of entry `$1`.
    private static let lastEntryAndHash = StaticStatement(
        "SELECT id, hash, (SELECT hash FROM audit_log WHERE id = $1) FROM audit_log ORDER BY id DESC LIMIT 1")

    private static let count = StaticStatement(
        """
        INSERT INTO audit_daily (tenant, day, kind, count) VALUES ($1, $2, $3, 1)
        ON CONFLICT (tenant, day, kind) DO UPDATE SET count = audit_daily.count + 1
        """)

    @discardableResult
    func append(_ event: AuditEvent, _ connection: any Connection) throws -> AuditHead {
        try append(UnchainedAuditEntry(event), connection)
    }

    /// Appends to the audit log within a transaction. Reads the last entry in that transaction, because another process
    /// may have appended it, and none can append before this transaction ends.
    ///
    /// - Returns: the entry's place in the chain.
    @discardableResult
    func append(_ unchained: UnchainedAuditEntry, _ connection: any Connection) throws -> AuditHead {
        let notes = ChangeNotes.of(connection)
        let last = try notes.noted.head ?? lockedHead(connection)
        var entry = unchained.entry
        entry.sequence = (last?.sequence ?? 0) + 1
        let hash = try entry.insert(after: last?.hash ?? AuditEntry.beginning, hashing, connection)
        let head = AuditHead(sequence: entry.sequence, hash: hash)
        notes.append(head, unchained.kind)
        if unchained.isCounted {
            try connection.execute(Self.count(entry.tenant, entry.at.milliseconds / 86_400_000, entry.kind))
        }
        return head
    }

    private func lockedHead(_ connection: any Connection) throws -> AuditHead? {
        try connection.lock(.auditLog)
        return try lastHead(connection)
    }

    /// Last entry. Reports to the watch if the known entry is gone.
    private func lastHead(_ connection: any Connection) throws -> AuditHead? {
        guard let known = auditWatch.known else { return try Self.head(connection) }
        let found = try connection.first(Self.lastEntryAndHash(known.sequence)) { row in
            (
                head: AuditHead(sequence: try row.int64(0), hash: Digest256(try row.blob(1))),
                hash: try row.optionalBlob(2)
            )
        }
        if found?.hash != known.hash.bytes, try found?.hash != nil || !Self.isArchived(known, connection) {
            auditWatch.lose(known, found: found?.head)
        }
        return found?.head
    }

    /// True if another process may have archived the entry.
    private static func isArchived(_ head: AuditHead, _ connection: any Connection) throws -> Bool {
        try connection.exists("SELECT 1 FROM audit_archive WHERE sequence >= \(head.sequence)")
    }

    static func head(_ connection: any Connection) throws -> AuditHead? {
        try connection.first(lastEntry()) { row in
            AuditHead(sequence: try row.int64(0), hash: Digest256(try row.blob(1)))
        }
    }

    /// Appends to the audit log.
    package func record(_ events: [AuditEvent]) async throws {
        let entries = events.map(UnchainedAuditEntry.init)
        try await database.write { connection in
            for entry in entries { try append(entry, connection) }
        }
    }
}

/// Audit entry without its place in the chain. Busy flows make it before the change, because the database runs changes
/// one at a time and all wait for that work.
struct UnchainedAuditEntry: Sendable {
    /// `sequence` is not set.
    let entry: AuditEntry
    let isCounted: Bool
    let kind: AuditEvent.Kind

    init(_ event: AuditEvent) {
        kind = event.kind
        entry = AuditEntry(event, sequence: 0)
        isCounted = DailyStatistics.counts(event.kind)
    }
}

extension Store: AuditLogStore {
    package func auditHead() async throws -> AuditHead? {
        let head = try await database.read { try lastHead($0) }
        if let head { auditWatch.know(head) }
        return head
    }

    package func auditLogState() async throws -> AuditLogState {
        try await database.read { connection in
            let columns = try connection.columns(of: "audit_log")
            // The database may be a copy of an older version.
            let hasArchive = try !connection.columns(of: "audit_archive").isEmpty
            let (archived, isArchived) = hasArchive ? try Self.archivedHead(connection) : (nil, false)
            return AuditLogState(
                isThere: AuditEntry.columnNames.allSatisfy(columns.contains) && columns.contains("hash"),
                missingGuards: try Schema.missingAuditGuards(connection),
                tenants: try connection.first("SELECT count(*) FROM tenant") { try $0.int(0) } ?? 0,
                archived: archived, hasUnreadableArchive: isArchived && archived == nil)
        }
    }

    private static let chain = StaticStatement(
        "SELECT", AuditEntry.columns, ", hash FROM audit_log WHERE id > $1 ORDER BY id LIMIT $2")

    package func chain(after sequence: Int64, limit: Int) async throws -> [StoredAuditEntry] {
        try await database.query(Self.chain(sequence, limit)) { row in
            let hash = try? row.blob(AuditEntry.columnCount)
            return StoredAuditEntry(
                sequence: try row.int64(0), entry: try? AuditEntry(row),
                hash: hash.flatMap { $0.count == Digest256.size ? Digest256($0) : nil })
        }
    }
}

extension AuditEntry {
    static let columns: StaticString = """
        id, kind, tenant, at, "user", client, device, consent, remote_address, user_agent, correlation_id, actor,
        object_kind, object, details
        """
    static let columnCount = 15
    static let columnNames = ["id", "kind", "tenant", "at"] + optionalColumns.map(\.name) + ["details"]

    private static let insertion = StaticStatement(
        "INSERT INTO audit_log (", columns,
        ", hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)")

    init(_ row: borrowing Row) throws {
        self.init(
            sequence: try row.int64(0), kind: try row.text(1), tenant: try row.text(2), at: try row.timestamp(3),
            details: try row.text(14))
        for (index, (_, column)) in Self.optionalColumns.enumerated() {
            self[keyPath: column] = try row.optionalText(4 + index)
        }
    }

    /// - Returns: the hash.
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
