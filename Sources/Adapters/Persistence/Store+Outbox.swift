public import AuthorizationCore
public import Flows
import GuardianWire
public import Primitives
import SQL

extension Store: OutboxStore {
    private static let entries = """
        SELECT \(BackchannelRequest.columns), d.id, d.tenant, d."user", d.identifier, d.name, d.public_key,
            d.push_service, d.push_token, d.enrolled_at, o.id, o.kind, o.attempts
        FROM outbox o JOIN backchannel_request ON backchannel_request.sequence = o.request
            LEFT JOIN device d ON d.id = o.device
        """

    private static func due(_ lane: OutboxLane, limit: Int, now: Timestamp) -> Statement {
        let ofLane: SQLFragment =
            switch lane {
            case .pushed(let services): isPushed(by: services)
            case .all(let others): "NOT \(isPushed(by: others))"
            }
        return "\(raw: entries) WHERE o.due_at <= \(now) AND \(ofLane) ORDER BY o.id LIMIT \(limit)"
    }

    private static func isPushed(by services: Set<PushCredentials.Service>) -> SQLFragment {
        if services.isEmpty { return "FALSE" }
        return "coalesce(d.push_service, '') IN (\(SQLFragment.joined(services.map { "\($0.rawValue)" }, by: ", ")))"
    }

    public func due(
        _ lane: OutboxLane, limit: Int, now: Timestamp, reaches: @Sendable (DeviceID) -> Bool
    ) async throws -> DueEntries {
        var due = DueEntries()
        try await database.read(Self.due(lane, limit: limit, now: now)) { row in
            let id = try row.int64(25)
            if let device = try row.optionalID(16, of: DeviceTag.self), !reaches(device) {
                due.unreachable.append(id)
                return true
            }
            guard let kind = OutboxEntry.Kind(rawValue: try row.int(26)) else { throw CorruptRow(what: "outbox") }
            due.entries.append(
                OutboxEntry(
                    id: id, kind: kind, request: try BackchannelRequest(row),
                    device: try row.isNull(16) ? nil : Device(row, at: 16), attempts: try row.int(27)))
            return true
        }
        return due
    }

    private static let delete = StaticStatement("DELETE FROM outbox WHERE id BETWEEN $1 AND $2")
    private static let postpone = StaticStatement(
        "UPDATE outbox SET attempts = attempts + 1, due_at = $2 WHERE id = $1")
    private static let bury = StaticStatement(
        """
        INSERT INTO outbox_dead (kind, request, device, reason, died_at)
        SELECT kind, request, device, $2, $3 FROM outbox WHERE id = $1
        """)

    public func settle(_ settlements: [OutboxSettlement], events: [AuditEvent], now: Timestamp) async throws {
        try await database.write { connection in
            var done: [Int64] = []
            for settlement in settlements {
                switch settlement {
                case .done(let id): done.append(id)
                case .retry(let id, let due): try connection.execute(Self.postpone(id, due))
                case .dead(let id, let reason):
                    try connection.execute(Self.bury(id, reason, now))
                    done.append(id)
                }
            }
            for run in Self.runs(of: done) { try connection.execute(Self.delete(run.lowerBound, run.upperBound)) }
            for event in events { try append(event, connection) }
        }
    }

    /// Ids as ranges that hold no other.
    private static func runs(of ids: [Int64]) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for id in ids.sorted() {
            if let last = runs.last, id <= last.upperBound + 1 {
                runs[runs.count - 1] = last.lowerBound...id
            } else {
                runs.append(id...id)
            }
        }
        return runs
    }
}
