public import AuthorizationCore
public import Flows
import GuardianWire
public import Primitives
import SQL

extension Store: OutboxStore {
    private static let entries: StaticString = """
        SELECT r.sequence, r.hash, r.tenant, r.client, r."user", r.scope, r.audience, r.binding_message,
            r.authorization_details, r.channel, r.created_at, r.expires_at, r.poll_interval, r.state, r.decided_at,
            r.decided_by, d.id, d.tenant, d."user", d.identifier, d.name, d.public_key, d.push_service, d.push_token,
            d.enrolled_at, o.id, o.kind, o.attempts
        FROM outbox o JOIN backchannel_request r ON r.sequence = o.request LEFT JOIN device d ON d.id = o.device
        """

    private static func due(_ lane: OutboxLane, limit: Int, now: Timestamp) -> Statement {
        let ofLane: SQLFragment =
            switch lane {
            case .pushed(let services): isPushed(by: services)
            case .all(let others): "NOT \(isPushed(by: others))"
            }
        return "\(raw: entries.description) WHERE o.due_at <= \(now) AND \(ofLane) ORDER BY o.id LIMIT \(limit)"
    }

    private static func isPushed(by services: Set<PushCredentials.Service>) -> SQLFragment {
        if services.isEmpty { return "FALSE" }
        return "coalesce(d.push_service, '') IN (\(SQLFragment.joined(services.map { "\($0.rawValue)" }, by: ", ")))"
    }

    public func due(_ lane: OutboxLane, limit: Int, now: Timestamp) async throws -> [OutboxEntry] {
        try await database.read { connection in
            try connection.query(Self.due(lane, limit: limit, now: now)) { row in
                guard let kind = OutboxEntry.Kind(rawValue: try row.int(26)) else { throw CorruptRow(what: "outbox") }
                return OutboxEntry(
                    id: try row.int64(25), kind: kind, request: try BackchannelRequest(row),
                    device: try row.isNull(16) ? nil : Device(row, at: 16), attempts: try row.int(27))
            }
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
            for event in events { try append(event, connection) }
        }
    }
}
