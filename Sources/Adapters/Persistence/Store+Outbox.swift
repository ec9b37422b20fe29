package import Audit
package import AuthorizationCore
package import Flows
import GuardianWire
package import Primitives
import SQL

extension Store: OutboxStore {
    /// Without the request and the device, which are read of those alone that somebody can be told of.
    private static func due(_ lane: OutboxLane, limit: Int, now: Timestamp) -> Statement {
        let ofLane: SQLFragment =
            switch lane {
            case .pushed(let services): isPushed(by: services)
            case .all(let others): "NOT \(isPushed(by: others))"
            }
        return """
            SELECT o.id, o.kind, o.request, o.device, o.attempts FROM outbox o
            WHERE o.due_at <= \(now) AND \(ofLane) ORDER BY o.id LIMIT \(limit)
            """
    }

    private static func isPushed(by services: Set<PushCredentials.Service>) -> SQLFragment {
        if services.isEmpty { return "FALSE" }
        let names = SQLFragment.joined(services.map { "\($0.rawValue)" }, by: ", ")
        return "EXISTS (SELECT 1 FROM device d WHERE d.id = o.device AND d.push_service IN (\(names)))"
    }

    /// The device of a blocked user is told nothing, like one that was removed.
    private static let requestAndDevice = StaticStatement(
        "SELECT", BackchannelRequest.columns, ",", Device.columns,
        """
        FROM backchannel_request LEFT JOIN device ON device.id = $2 AND NOT EXISTS (
            SELECT 1 FROM "user" WHERE "user".tenant = device.tenant AND "user".id = device."user" AND blocked = 1)
        WHERE backchannel_request.sequence = $1
        """)

    package func due(
        _ lane: OutboxLane, limit: Int, now: Timestamp, reaches: @Sendable (DeviceID) -> Bool
    ) async throws -> DueEntries {
        try await database.read { connection in
            var due = DueEntries()
            var reachable: [(id: Int64, kind: Int, request: Int64, device: DeviceID, attempts: Int)] = []
            try connection.run(Self.due(lane, limit: limit, now: now)) { row in
                let (id, device) = (try row.int64(0), try row.id(3, of: DeviceTag.self))
                if reaches(device) {
                    reachable.append((id, try row.int(1), try row.int64(2), device, try row.int(4)))
                } else {
                    due.unreachable.append(id)
                }
                return true
            }
            for (id, kind, request, device, attempts) in reachable {
                guard let kind = OutboxEntry.Kind(rawValue: kind) else { throw CorruptRow(what: "outbox") }
                // Where the request is gone, the sweep takes the entry away.
                let entry = try connection.first(Self.requestAndDevice(request, device)) { row in
                    OutboxEntry(
                        id: id, kind: kind, request: try BackchannelRequest(row),
                        device: try row.isNull(BackchannelRequest.columnCount)
                            ? nil : Device(row, at: BackchannelRequest.columnCount),
                        attempts: attempts)
                }
                if let entry { due.entries.append(entry) }
            }
            return due
        }
    }

    private static let delete = StaticStatement("DELETE FROM outbox WHERE id BETWEEN $1 AND $2")
    private static let postpone = StaticStatement(
        "UPDATE outbox SET attempts = attempts + 1, due_at = $2 WHERE id = $1")
    private static let bury = StaticStatement(
        """
        INSERT INTO outbox_dead (kind, request, device, reason, died_at)
        SELECT kind, request, device, $2, $3 FROM outbox WHERE id = $1
        """)

    package func settle(_ settlements: [OutboxSettlement], events: [AuditEvent], now: Timestamp) async throws {
        let entries = events.map(UnchainedAuditEntry.init)
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
            for entry in entries { try append(entry, connection) }
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
