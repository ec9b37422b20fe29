import Audit
import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store {
    private static let deleteDelivery = StaticStatement("DELETE FROM delivery WHERE id = $1 AND", DeliverySQL.isWaiting)
    private static let deleteDeliveries = StaticStatement(
        "DELETE FROM delivery WHERE id BETWEEN $1 AND $2 AND", DeliverySQL.isWaiting)
    private static let retryDelivery = StaticStatement(
        """
        UPDATE delivery SET attempts = attempts + $5, due_at = $3, problem = $4, lease_owner = NULL, leased_until = NULL
        WHERE id = $1 AND coalesce(lease_owner, $2) = $2 AND
        """, DeliverySQL.isWaiting)
    /// The entry keeps its reason and payload, but not the sealed message. It outlives its request, so it gets the
    /// request's facts.
    private static func endDelivery(_ becomes: StaticString) -> StaticStatement {
        StaticStatement(
            "UPDATE delivery SET", becomes,
            """
            , sealed = $5, attempts = attempts + 1, due_at = $3, problem = $4, lease_owner = NULL,
                leased_until = NULL,
                "user" = coalesce("user", (SELECT r."user" FROM backchannel_request r WHERE r.sequence = request)),
                request_hash = (SELECT r.hash FROM backchannel_request r WHERE r.sequence = request),
                request_client = (SELECT r.client FROM backchannel_request r WHERE r.sequence = request)
            WHERE id = $1 AND coalesce(lease_owner, $2) = $2 AND
            """, DeliverySQL.isWaiting)
    }
    private static let buryDelivery = endDelivery(DeliverySQL.isDead)
    /// Applies whatever node has the lease: the message arrived.
    private static let keepDelivery = StaticStatement(
        "UPDATE delivery SET", DeliverySQL.isSent,
        """
        , sealed = $3, attempts = attempts + 1, due_at = $2, lease_owner = NULL, leased_until = NULL WHERE id = $1 AND
        """, DeliverySQL.isWaiting)
    private static let retireDelivery = endDelivery(DeliverySQL.isEnded)
    private static let skipDelivery = endDelivery(DeliverySQL.isSkipped)

    @discardableResult
    package func settle(
        _ settlements: [DeliverySettlement], by owner: String, now: Timestamp
    ) async throws -> [AuthReqIDHash] {
        let entries = settlements.map { ($0, $0.event.map(UnchainedAuditEntry.init)) }
        let ended = try await database.write { connection in
            var quiet: [Int64] = []
            var ended: [SealedRequest] = []
            for (settlement, entry) in entries {
                let id = settlement.id
                if case .done = settlement.step, entry == nil {
                    quiet.append(id)
                    continue
                }
                var (step, consequence) = (settlement.step, settlement.consequence)
                if let waiting = consequence, try Self.waitsForChannel(waiting.request.sequence, connection) {
                    consequence = nil
                    if !step.isRetry {
                        step = .retry(at: now + .seconds(1), problem: step.problem ?? "", isTried: false)
                    }
                }
                guard try Self.take(step, id, owner, now, connection) == 1 else { continue }
                if !step.isRetry, let entry { try append(entry, connection) }
                if let consequence, try carryOut(consequence, after: step, now, connection) {
                    ended.append(consequence.request)
                }
            }
            for run in Self.runs(of: quiet) {
                try connection.execute(Self.deleteDeliveries(run.lowerBound, run.upperBound))
            }
            return ended
        }
        for request in ended { gauge.add(-1, to: request.tenant) }
        return ended.map(\.hash)
    }

    /// Returns 1, or 0 if the entry was settled before or another node has leased it.
    private static func take(
        _ step: DeliveryStep, _ id: Int64, _ owner: String, _ now: Timestamp, _ connection: any Connection
    ) throws -> Int {
        switch step {
        case .done: try connection.execute(deleteDelivery(id))
        case .sent: try connection.execute(keepDelivery(id, now, [UInt8]()))
        case .retry(let due, let problem, let isTried):
            try connection.execute(retryDelivery(id, owner, due, problem, isTried ? 1 : 0))
        case .dead(let problem): try connection.execute(buryDelivery(id, owner, now, problem, [UInt8]()))
        case .ended(let problem): try connection.execute(retireDelivery(id, owner, now, problem, [UInt8]()))
        case .skipped(let problem): try connection.execute(skipDelivery(id, owner, now, problem, [UInt8]()))
        }
    }

    // MARK: undelivered requests

    private static let channelEntry = StaticStatement(
        "SELECT 1 FROM delivery WHERE request = $1 AND queue = 'notifications' AND", DeliverySQL.isWaiting, "LIMIT 1")
    /// `$2` is true if entries that failed before count as waiting.
    private static let otherDelivery = StaticStatement(
        "SELECT 1 FROM delivery WHERE request = $1 AND (", DeliverySQL.isWaiting,
        "AND (problem IS NULL OR $2 = 1) OR", DeliverySQL.isSent, ") LIMIT 1")
    /// A push that timed out may have arrived. Uses the partial index, which needs the kind as a constant.
    private static let reading = StaticStatement(
        "SELECT 1 FROM audit_log WHERE kind = 'rich_consents_access' AND consent = $1 LIMIT 1")
    /// A phone without push, or whose push service the tenant does not use, fetches requests by itself.
    private static let phonesThatFetch = StaticStatement(
        #"SELECT id FROM device WHERE tenant = $1 AND "user" = $2 AND push_service IS NULL AND key_lost_at IS NULL"#,
        "UNION ALL SELECT recipient FROM delivery WHERE request = $3 AND", DeliverySQL.isSkipped)
    private static let reroute = StaticStatement(
        "UPDATE backchannel_request SET channel = $3, sealed_record = $4",
        "WHERE sequence = $1 AND channel = $2 AND expires_at > $5 AND", RequestSQL.isPending)
    private static let giveUp = StaticStatement(
        "UPDATE backchannel_request SET", RequestSQL.becomesUndelivered,
        "WHERE sequence = $1 AND channel = $2 AND expires_at > $3 AND", RequestSQL.isPending)

    /// True while the device channel has not tried to reach an open phone.
    private static func waitsForChannel(_ request: Int64, _ connection: any Connection) throws -> Bool {
        try connection.first(channelEntry(request)) { try $0.int(0) } != nil
    }

    /// Returns true if the request ended.
    private func carryOut(
        _ consequence: DeliveryConsequence, after step: DeliveryStep, _ now: Timestamp, _ connection: any Connection
    ) throws -> Bool {
        let request = consequence.request
        guard try connection.first(Self.otherDelivery(request.sequence, !step.isRetry), { try $0.int(0) }) == nil,
            try connection.first(Self.reading(request.consentID), { try $0.int(0) }) == nil
        else { return false }
        let channel = request.channel.rawValue
        switch consequence.change {
        case .rerouted(let new, let devices):
            let changed = try connection.execute(
                Self.reroute(request.sequence, channel, new.channel.rawValue, new.record, now))
            guard changed == 1 else { return false }
            try Self.insert(new, sequence: request.sequence, devices: devices, now: now, connection)
            try append(consequence.event, connection)
            return false
        case .undelivered(let phones):
            let fetching = try connection.query(
                Self.phonesThatFetch(request.tenant, request.user, request.sequence)
            ) { DeviceID(try $0.text(0)) }
            guard !fetching.contains(where: phones.contains),
                try connection.execute(Self.giveUp(request.sequence, channel, now)) == 1
            else { return false }
            try append(consequence.event, connection)
            return true
        }
    }

    /// Groups ids into contiguous ranges.
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
