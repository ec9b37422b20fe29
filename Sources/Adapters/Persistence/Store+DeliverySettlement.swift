import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store {
    private static let deleteDelivery = StaticStatement(
        "DELETE FROM delivery WHERE id = $1 AND", DeliverySQL.isStillWaiting)
    /// Two nodes may have shown the same entries to phones. One deletes them, and the other does not wait.
    private static let deleteDeliveries = StaticStatement { dialect in
        let theirs = "id BETWEEN $1 AND $2 AND \(DeliverySQL.isStillWaiting)"
        let words = dialect.holding(.skipping)
        return "DELETE FROM delivery WHERE "
            + (words.isEmpty ? theirs : "id IN (SELECT id FROM delivery WHERE \(theirs) \(words))")
    }
    private static let retryDelivery = StaticStatement(
        """
        UPDATE delivery SET attempts = attempts + $5, due_at = $3, problem = $4, lease_owner = NULL, leased_until = NULL
        WHERE id = $1 AND coalesce(lease_owner, $2) = $2 AND
        """, DeliverySQL.isStillWaiting)
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
            """, DeliverySQL.isStillWaiting)
    }
    private static let giveUpDelivery = endDelivery(DeliverySQL.isDead)
    /// Applies whatever node has the lease: the message arrived.
    private static let keepDelivery = StaticStatement(
        "UPDATE delivery SET", DeliverySQL.isSent,
        """
        , sealed = $3, attempts = attempts + 1, due_at = $2, lease_owner = NULL, leased_until = NULL WHERE id = $1 AND
        """, DeliverySQL.isStillWaiting)
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
            // If the last two entries of a request fail at once, one must see the other's end.
            for request in Set(settlements.compactMap(\.consequence?.request.sequence)).sorted() {
                try connection.hold("backchannel_request", by: "sequence", where: "sequence = \(request)")
            }
            for (settlement, entry) in entries {
                if settlement.isQuiet {
                    quiet.append(settlement.id)
                    continue
                }
                var settlement = settlement
                if let consequence = settlement.consequence {
                    let reach = try Self.reach(of: consequence, without: settlement.id, connection)
                    settlement = settlement.decided(by: reach, now: now)
                }
                guard try Self.take(settlement.step, settlement.id, owner, now, connection) == 1 else { continue }
                if !settlement.step.isRetry, let entry { try append(entry, connection) }
                if let consequence = settlement.consequence, try carryOut(consequence, now, connection) {
                    ended.append(consequence.request)
                }
            }
            for run in Self.runs(of: quiet) {
                try connection.perform(Self.deleteDeliveries(run.lowerBound, run.upperBound))
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
        case .dead(let problem): try connection.execute(giveUpDelivery(id, owner, now, problem, [UInt8]()))
        case .ended(let problem): try connection.execute(retireDelivery(id, owner, now, problem, [UInt8]()))
        case .skipped(let problem): try connection.execute(skipDelivery(id, owner, now, problem, [UInt8]()))
        }
    }

    // MARK: undelivered requests

    private static let otherDeliveries = StaticStatement(
        "SELECT queue, max(CASE WHEN problem IS NULL THEN 1 ELSE 0 END) FROM delivery",
        "WHERE request = $1 AND id <> $2 AND", DeliverySQL.isStillWaiting, "GROUP BY queue")
    private static let sentDelivery = StaticStatement(
        "SELECT 1 FROM delivery WHERE request = $1 AND", DeliverySQL.isSent, "LIMIT 1")
    /// Uses the partial index, which needs the kind as a constant.
    private static let reading = StaticStatement(
        "SELECT 1 FROM audit_log WHERE kind = 'rich_consents_access' AND consent = $1 LIMIT 1")
    private static let phonesThatFetch = StaticStatement(
        #"SELECT id, 0 FROM device WHERE tenant = $1 AND "user" = $2 AND push_service IS NULL AND key_lost_at IS NULL"#,
        "UNION ALL SELECT recipient, CASE WHEN id = $4 THEN 1 ELSE 0 END FROM delivery WHERE request = $3 AND (id = $4 OR",
        DeliverySQL.isSkipped,
        ")")
    private static let reroute = StaticStatement(
        "UPDATE backchannel_request SET channel = $3, sealed_record = $4",
        "WHERE sequence = $1 AND channel = $2 AND expires_at > $5 AND", RequestSQL.isPending)
    private static let giveUp = StaticStatement(
        "UPDATE backchannel_request SET", RequestSQL.becomesUndelivered,
        "WHERE sequence = $1 AND channel = $2 AND expires_at > $3 AND", RequestSQL.isPending)

    /// Facts of the request, besides the entry that failed.
    private static func reach(
        of consequence: DeliveryConsequence, without failed: Int64, _ connection: any Connection
    ) throws -> Reach {
        let request = consequence.request
        var reach = Reach()
        for (queue, isUntried) in try connection.query(
            otherDeliveries(request.sequence, failed), { (try $0.text(0), try $0.int(1) == 1) })
        {
            guard let queue = DeliveryQueue(rawValue: queue) else { throw CorruptRow(what: "queue") }
            reach.waiting[queue] = isUntried ? .untried : .failing
        }
        reach.isSent = try connection.first(sentDelivery(request.sequence)) { try $0.int(0) } != nil
        reach.isRead = try connection.first(reading(request.consentID)) { try $0.int(0) } != nil
        if case .undelivered = consequence.change {
            let phones = try connection.query(
                phonesThatFetch(request.tenant, request.user, request.sequence, failed)
            ) { (id: DeviceID(try $0.text(0)), hasFailed: try $0.int(1) == 1) }
            for phone in phones {
                if phone.hasFailed { reach.phone = phone.id } else { reach.fetching.insert(phone.id) }
            }
        }
        return reach
    }

    /// Returns true if the request ended.
    private func carryOut(
        _ consequence: DeliveryConsequence, _ now: Timestamp, _ connection: any Connection
    ) throws -> Bool {
        let request = consequence.request
        let channel = request.channel.rawValue
        switch consequence.change {
        case .rerouted(let new, let devices):
            let changed = try connection.execute(
                Self.reroute(request.sequence, channel, new.channel.rawValue, new.record, now))
            guard changed == 1 else { return false }
            try insert(new, sequence: request.sequence, devices: devices, now: now, connection)
            try append(consequence.event, connection)
            return false
        case .undelivered:
            guard try connection.execute(Self.giveUp(request.sequence, channel, now)) == 1 else { return false }
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
