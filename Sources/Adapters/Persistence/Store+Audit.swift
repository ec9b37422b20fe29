package import Audit
import Primitives
import SQL

/// An entry's number, and its place with its hash.
struct LoggedPlace: Sendable {
    let number: Int64
    let head: AuditHead
}

extension Store {
    /// Last entry of lane `$1`, and a new number.
    private static let lastEntry = StaticStatement { dialect in
        "SELECT lane, place, hash, \(newNumber(dialect)) FROM audit_log WHERE lane = $1 ORDER BY place DESC LIMIT 1"
    }

    /// Last entry of all, and its number. It is the lane's own where changes follow each other, and one look at the table's
    /// end costs less than the index and the highest number.
    private static let newestEntry = StaticStatement(
        "SELECT lane, place, hash, id FROM audit_log ORDER BY id DESC LIMIT 1")

    private static let nextNumber = StaticStatement { dialect in "SELECT \(newNumber(dialect))" }

    private static func newNumber(_ dialect: any Dialect) -> String { dialect.newNumber(of: "id", in: "audit_log") }

    private static let count = StaticStatement(
        """
        INSERT INTO audit_daily (tenant, day, kind, lane, count) VALUES ($1, $2, $3, $4, 1)
        ON CONFLICT (tenant, day, kind, lane) DO UPDATE SET count = audit_daily.count + 1
        """)

    @discardableResult
    func append(_ event: AuditEvent, _ connection: any Connection) throws -> LoggedPlace {
        try append(UnchainedAuditEntry(event), connection)
    }

    /// Appends to the connection's lane of the audit log within a transaction. Reads the lane's last entry in that
    /// transaction, because another process may have appended it, and none can append before this transaction ends.
    @discardableResult
    func append(_ unchained: UnchainedAuditEntry, _ connection: any Connection) throws -> LoggedPlace {
        let notes = ChangeNotes.of(connection)
        let lane = connection.lane
        let next = try notes.noted.last.map { try nextEntry(after: $0, connection) } ?? nextEntry(in: lane, connection)
        var entry = unchained.entry
        entry.sequence = next.number
        entry.place = AuditPlace(lane: lane, (next.last?.place.number ?? 0) + 1)
        let hash = try entry.insert(after: next.last?.hash ?? AuditEntry.beginning, hashing, connection)
        let logged = LoggedPlace(number: entry.sequence, head: AuditHead(place: entry.place, hash: hash))
        notes.append(logged, unchained.kind)
        if unchained.isCounted {
            try connection.perform(Self.count(entry.tenant, entry.at.milliseconds / 86_400_000, entry.kind, lane))
        }
        return logged
    }

    /// The number of the next entry, and the one before in its lane.
    private typealias NextEntry = (number: Int64, last: AuditHead?)

    private func nextEntry(after last: LoggedPlace, _ connection: any Connection) throws -> NextEntry {
        // Nobody else writes beside lane 0.
        guard connection.lane != 0 else { return (last.number + 1, last.head) }
        return (try newNumber(connection), last.head)
    }

    private func newNumber(_ connection: any Connection) throws -> Int64 {
        try connection.first(Self.nextNumber()) { try $0.int64(0) } ?? 1
    }

    /// Reports to the watch if the known entry is gone.
    private func nextEntry(in lane: Int64, _ connection: any Connection) throws -> NextEntry {
        if lane == 0 { try connection.lock(.auditLog) }
        let found = try lastEntry(in: lane, connection)
        if let known = auditWatch.known(in: lane) {
            let stored =
                found?.last.place == known.place
                ? found?.last
                : try connection.first(Self.hashAt(lane, known.place.number), Self.head)
            if stored != known, try stored != nil || !Self.isArchived(known, connection) {
                auditWatch.lose(known, found: found?.last)
            }
        }
        if let found { return (found.number, found.last) }
        return (try newNumber(connection), try Self.archived(lane, connection))
    }

    /// Nil for a lane without entries, or whose entries are all archived.
    private func lastEntry(
        in lane: Int64, _ connection: any Connection
    ) throws -> (number: Int64, last: AuditHead)? {
        if connection.dialect.changingLanes == nil {
            let newest = try connection.first(Self.newestEntry()) { row in
                (number: try row.int64(3) + 1, last: try Self.head(row))
            }
            if newest?.last.place.lane == lane { return newest }
        }
        return try connection.first(Self.lastEntry(lane)) { (try $0.int64(3), try Self.head($0)) }
    }

    /// True if another process may have archived the entry.
    private static func isArchived(_ head: AuditHead, _ connection: any Connection) throws -> Bool {
        try archived(head.place.lane, connection).map { $0.place >= head.place } ?? false
    }

    /// Last entry of a lane, which may be archived.
    static func head(of lane: Int64, _ connection: any Connection) throws -> AuditHead? {
        try connection.first(lastOfLane(lane), head) ?? archived(lane, connection)
    }

    /// Takes no number, so that it may be read.
    private static let lastOfLane = StaticStatement(
        "SELECT lane, place, hash FROM audit_log WHERE lane = $1 ORDER BY place DESC LIMIT 1")

    /// Last entries of lanes, each found by the index.
    private static let lastEntries: Statement = """
        WITH RECURSIVE found (lane) AS (
            SELECT min(lane) FROM audit_log
            UNION ALL
            SELECT (SELECT min(lane) FROM audit_log WHERE lane > found.lane) FROM found WHERE found.lane IS NOT NULL)
        SELECT entry.lane, entry.place, entry.hash FROM found JOIN audit_log entry ON entry.lane = found.lane
            AND entry.place = (SELECT max(place) FROM audit_log WHERE lane = found.lane)
        """

    static func heads(_ connection: any Connection) throws -> AuditHeads {
        AuditHeads(try connection.query(lastEntries, head))
    }

    /// Reads lane, place and hash.
    static func head(_ row: borrowing Row) throws -> AuditHead {
        let hash = try row.blob(2)
        // An unreadable one, which the verification names, does not keep others from being read.
        let digest = hash.count == Digest256.size ? Digest256(hash) : AuditEntry.beginning
        return AuditHead(place: AuditPlace(lane: try row.int64(0), try row.int64(1)), hash: digest)
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
    /// `sequence` and `place` are not set.
    let entry: AuditEntry
    let isCounted: Bool
    let kind: AuditEvent.Kind

    init(_ event: AuditEvent) {
        kind = event.kind
        entry = AuditEntry(event, sequence: 0, place: AuditPlace(lane: 0, 0))
        isCounted = DailyStatistics.counts(event.kind)
    }
}

extension Store: AuditLogStore {
    package func auditHeads() async throws -> AuditHeads {
        let heads = try await database.read { try Self.heads($0) }
        heads.all.forEach(auditWatch.know)
        return heads
    }

    package func auditLogState() async throws -> AuditLogState {
        try await database.read { connection in
            let columns = try connection.columns(of: "audit_log")
            // The database may be a copy of an older version.
            let hasArchive = try !connection.columns(of: "audit_archive_lane").isEmpty
            let (archived, isArchived) = hasArchive ? try Self.archivedHead(connection) : (nil, false)
            return AuditLogState(
                isThere: AuditEntry.columnNames.allSatisfy(columns.contains) && columns.contains("hash"),
                missingGuards: try Schema.missingAuditGuards(connection),
                tenants: try connection.first("SELECT count(*) FROM tenant") { try $0.int(0) } ?? 0,
                archived: archived, hasUnreadableArchive: isArchived && archived == nil)
        }
    }

    private static let chain = StaticStatement(
        "SELECT", AuditEntry.columns, ", hash FROM audit_log WHERE lane = $1 AND place > $2 ORDER BY place LIMIT $3")
    private static let numbered = StaticStatement(
        "SELECT", AuditEntry.columns, ", hash FROM audit_log WHERE id > $1 ORDER BY id LIMIT $2")
    private static let newest = StaticStatement(
        "SELECT", AuditEntry.columns, ", hash FROM audit_log ORDER BY id DESC LIMIT $1")

    package func chain(of lane: Int64, after place: Int64, limit: Int) async throws -> [StoredAuditEntry] {
        try await entries(Self.chain(lane, place, limit))
    }

    /// Entries of all lanes after a number, in the order of their numbers, unverified.
    package func entries(after number: Int64, limit: Int) async throws -> [StoredAuditEntry] {
        try await entries(Self.numbered(number, limit))
    }

    package func lastEntries(_ count: Int) async throws -> [StoredAuditEntry] {
        try await entries(Self.newest(count)).reversed()
    }

    private func entries(_ statement: Statement) async throws -> [StoredAuditEntry] {
        try await database.query(statement) { row in
            let hash = try? row.blob(AuditEntry.columnCount)
            return StoredAuditEntry(
                sequence: try row.int64(0), place: AuditPlace(lane: try row.int64(15), try row.int64(16)),
                entry: try? AuditEntry(row), hash: hash.flatMap { $0.count == Digest256.size ? Digest256($0) : nil })
        }
    }
}

extension AuditEntry {
    static let columns: StaticString = """
        id, kind, tenant, at, "user", client, device, consent, remote_address, user_agent, correlation_id, actor,
        object_kind, object, details, lane, place
        """
    static let columnCount = 17
    static let columnNames =
        ["id", "kind", "tenant", "at"] + optionalColumns.map(\.name) + ["details", "lane", "place"]

    private static let insertion = StaticStatement(
        "INSERT INTO audit_log (", columns,
        ", hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)")

    init(_ row: borrowing Row) throws {
        self.init(
            sequence: try row.int64(0), place: AuditPlace(lane: try row.int64(15), try row.int64(16)),
            kind: try row.text(1), tenant: try row.text(2), at: try row.timestamp(3),
            details: try row.text(14))
        for (index, (_, column)) in Self.optionalColumns.enumerated() {
            self[keyPath: column] = try row.optionalText(4 + index)
        }
    }

    /// - Returns: the hash.
    @discardableResult
    func insert(after previous: Digest256, _ hashing: any Hashing, _ connection: any Connection) throws -> Digest256 {
        let hash = hash(after: previous, hashing)
        try connection.perform(
            Self.insertion(
                sequence, kind, tenant, at, user, client, device, consent, remoteAddress, userAgent, correlationID,
                actor, objectKind, object, details, place.lane, place.number, hash.bytes))
        return hash
    }
}
