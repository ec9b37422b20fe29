public import AuthorizationCore
public import Flows
public import Primitives
import SQL

extension Store: OutboxStore {
    private static let due = StaticStatement(
        """
        SELECT r.sequence, r.hash, r.tenant, r.client, r."user", r.scope, r.audience, r.binding_message,
            r.authorization_details, r.channel, r.created_at, r.expires_at, r.poll_interval, r.state, r.decided_at,
            r.decided_by, d.id, d.tenant, d."user", d.identifier, d.name, d.public_key, d.push_service, d.push_token,
            d.enrolled_at, o.id, o.kind, o.attempts
        FROM outbox o JOIN backchannel_request r ON r.sequence = o.request LEFT JOIN device d ON d.id = o.device
        WHERE o.due_at <= $1 AND o.id >= $2 AND o.id <= $3 ORDER BY o.id
        """)
    private static let dueIDs = StaticStatement("SELECT id FROM outbox WHERE due_at <= $1 ORDER BY id LIMIT $2")

    public func due(limit: Int, except inHand: Set<Int64>, now: Timestamp) async throws -> [OutboxEntry] {
        try await database.read { connection in
            // Numbers first: under load most entries are in hand, and need not be read again.
            let ids = try connection.query(Self.dueIDs(now, limit + inHand.count)) { try $0.int64(0) }
                .filter { !inHand.contains($0) }.prefix(limit)
            guard let first = ids.first, let last = ids.last else { return [] }
            var entries: [OutboxEntry] = []
            entries.reserveCapacity(ids.count)
            try connection.run(Self.due(now, first, last)) { row in
                let id = try row.int64(25)
                if inHand.contains(id) { return true }
                guard let kind = OutboxEntry.Kind(rawValue: try row.int(26)) else { throw CorruptRow(what: "outbox") }
                entries.append(
                    OutboxEntry(
                        id: id, kind: kind, request: try BackchannelRequest(row),
                        device: try row.isNull(16) ? nil : Device(row, at: 16), attempts: try row.int(27)))
                return true
            }
            return entries
        }
    }

    private static let delete = StaticStatement("DELETE FROM outbox WHERE id = $1")
    private static let postpone = StaticStatement(
        "UPDATE outbox SET attempts = attempts + 1, due_at = $2 WHERE id = $1")
    private static let bury = StaticStatement(
        """
        INSERT INTO outbox_dead (kind, request, device, reason, died_at)
        SELECT kind, request, device, $2, $3 FROM outbox WHERE id = $1
        """)

    public func settle(_ settlements: [OutboxSettlement], events: [AuditEvent], now: Timestamp) async throws {
        try await database.write { connection in
            for settlement in settlements {
                switch settlement {
                case .done(let id): try connection.execute(Self.delete(id))
                case .retry(let id, let due): try connection.execute(Self.postpone(id, due))
                case .dead(let id, let reason):
                    try connection.execute(Self.bury(id, reason, now))
                    try connection.execute(Self.delete(id))
                }
            }
            for event in events { try Self.append(event, connection) }
        }
    }
}
