package import Audit
package import AuthorizationCore
package import Flows
package import GuardianWire
package import Primitives
import SQL

/// Conditions on `delivery`. States are constants and not parameters, as the indices need.
enum DeliverySQL {
    static let isWaiting: StaticString = "state = 0"
    /// Given up, kept for operators.
    static let isDead: StaticString = "state = 1"
    static let isSent: StaticString = "state = 2"
    /// Undeliverable, by nobody's fault.
    static let isEnded: StaticString = "state = 3"
    /// Not sent, because the tenant has no credentials.
    static let isSkipped: StaticString = "state = 4"
    /// Values of the columns `sealed`, `due_at` and so on that follow `recipient` and `request` at an insertion.
    static let columns: StaticString = """
        tenant, queue, recipient, request, payload, sealed, created_at, due_at, expires_at, attempts, state
        """
}

extension Store: DeliveryStore, MailStore, NotificationSource {
    // MARK: entries of flows

    private static let insertDelivery = StaticStatement(
        "INSERT INTO delivery (", DeliverySQL.columns, ") VALUES ($1, $2, $3, $8, $4, $5, $6, $6, $7, 0, 0)")

    static func insert(_ delivery: Delivery, _ connection: any Connection) throws {
        try connection.execute(
            insertDelivery(
                delivery.tenant, delivery.queue.rawValue, delivery.recipient, delivery.payload, delivery.sealed,
                delivery.createdAt, delivery.expiresAt, delivery.request))
    }

    /// Reads the index alone, where SQLite's planner would read the device's row.
    private static let insertPush = StaticStatement(
        "INSERT INTO delivery (", DeliverySQL.columns,
        """
        ) SELECT $1, CASE push_service WHEN 'WEBPUSH' THEN 'web_pushes' WHEN 'APNS' THEN 'apns' ELSE 'fcm' END,
            id, $6, $3, x'', $4, $4, $5, 0, 0
        FROM device INDEXED BY device_by_push_service WHERE id = $2 AND push_service IS NOT NULL
        """)

    /// One entry for each device, and one more for its push service unless the request was never pushed: an open
    /// device channel shows it, too.
    static func insert(
        _ notice: DeviceNotice, to devices: [DeviceID], tenant: TenantID, wasPushed: Bool = true, now: Timestamp,
        expiresAt: Timestamp, _ connection: any Connection
    ) throws {
        let payload = notice.payload
        let request = notice.kind == .notification ? notice.request : nil
        for device in devices {
            try insert(
                Delivery(
                    tenant: tenant, queue: .notifications, recipient: device.rawValue, request: request,
                    payload: payload, createdAt: now, expiresAt: expiresAt), connection)
            if wasPushed { try connection.execute(insertPush(tenant, device, payload, now, expiresAt, request)) }
        }
    }

    /// Notifies the person of a new or rerouted request in its channel.
    static func insert(
        _ request: SealedRequest, sequence: Int64, devices: [DeviceID], now: Timestamp, _ connection: any Connection
    ) throws {
        let notice = DeviceNotice(.notification, request: sequence)
        if request.channel == .email {
            try insert(
                Delivery(
                    tenant: request.tenant, queue: .mail, recipient: request.user.rawValue, request: sequence,
                    payload: notice.payload, createdAt: now, expiresAt: request.expiresAt), connection)
        }
        try insert(
            notice, to: devices, tenant: request.tenant, now: now, expiresAt: request.expiresAt, connection)
    }

    static func insert(_ mail: SealedMail, _ connection: any Connection) throws {
        try insert(Delivery(mail), connection)
    }

    package func enqueue(_ mail: SealedMail) async throws { try await database.write { try Self.insert(mail, $0) } }

    /// Enqueues logout notices for sessions that the same transaction ends next. The payload is `LogoutNotice`'s.
    static func enqueueLogouts(ofSessions condition: SQLFragment, now: Timestamp, _ connection: any Connection) throws {
        try connection.execute(
            """
            INSERT INTO delivery (\(raw: DeliverySQL.columns.description))
            SELECT session.tenant, \(DeliveryQueue.logoutNotices.rawValue), session_client.client, NULL,
                json_object('user', session."user", 'sid', session.id, 'host', session_client.host), x'', \(now), \(now),
                \(now + LogoutNotice.life), 0, 0
            FROM session JOIN session_client ON session_client.session = session.id WHERE \(condition)
            """)
    }

    // MARK: worker

    package func dueDeliveries(
        _ queue: DeliveryQueue, perRecipient: Int?, limit: Int, now: Timestamp
    ) async throws -> [DeliveryEntry] {
        let isDue: SQLFragment = """
            d.\(raw: DeliverySQL.isWaiting.description) AND d.queue = \(queue.rawValue) AND d.due_at <= \(now)
                AND (d.leased_until IS NULL OR d.leased_until <= \(now))
            """
        let statement: Statement =
            if let perRecipient {
                """
                SELECT \(DeliveryEntry.columns) FROM (
                    SELECT d.*, row_number() OVER (
                        PARTITION BY d.tenant, CASE d.queue WHEN 'mail' THEN '' ELSE d.recipient END
                        ORDER BY d.due_at, d.id) AS place
                    FROM delivery d WHERE \(isDue)) AS d
                WHERE d.place <= \(perRecipient) ORDER BY d.due_at, d.id LIMIT \(limit)
                """
            } else {
                "SELECT \(DeliveryEntry.columns) FROM delivery d WHERE \(isDue) ORDER BY d.due_at, d.id LIMIT \(limit)"
            }
        return try await database.query(statement) { try DeliveryEntry($0) }
    }

    /// A settlement that counts changes `attempts`, so an entry settled since it was read is not leased.
    private static let leaseDelivery = StaticStatement(
        """
        UPDATE delivery SET lease_owner = $3, leased_until = $4
        WHERE id = $1 AND attempts = $2 AND (leased_until IS NULL OR leased_until <= $5) AND
        """, DeliverySQL.isWaiting)

    package func lease(
        _ entries: [DeliveryEntry], to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Set<Int64> {
        try await database.write { connection in
            var leased: Set<Int64> = []
            for entry in entries
            where try connection.execute(Self.leaseDelivery(entry.id, entry.attempts, owner, end, now)) == 1 {
                leased.insert(entry.id)
            }
            return leased
        }
    }

    package func releaseLeases(of owner: String) async throws {
        try await database.execute(
            """
            UPDATE delivery SET lease_owner = NULL, leased_until = NULL
            WHERE \(raw: DeliverySQL.isWaiting.description) AND lease_owner = \(owner)
            """)
    }

    private static let deleteDelivery = StaticStatement("DELETE FROM delivery WHERE id = $1 AND", DeliverySQL.isWaiting)
    private static let deleteDeliveries = StaticStatement(
        "DELETE FROM delivery WHERE id BETWEEN $1 AND $2 AND", DeliverySQL.isWaiting)
    private static let retryDelivery = StaticStatement(
        """
        UPDATE delivery SET attempts = attempts + $5, due_at = $3, problem = $4, lease_owner = NULL, leased_until = NULL
        WHERE id = $1 AND coalesce(lease_owner, $2) = $2 AND
        """, DeliverySQL.isWaiting)
    /// The entry keeps its reason and payload, but not the sealed message.
    private static func endDelivery(_ becomes: StaticString) -> StaticStatement {
        StaticStatement(
            "UPDATE delivery SET", becomes,
            """
            , sealed = x'', attempts = attempts + 1, due_at = $3, problem = $4, lease_owner = NULL,
                leased_until = NULL
            WHERE id = $1 AND coalesce(lease_owner, $2) = $2 AND
            """, DeliverySQL.isWaiting)
    }
    private static let buryDelivery = endDelivery(DeliverySQL.isDead)
    /// Applies whatever node has the lease: the message arrived.
    private static let keepDelivery = StaticStatement(
        "UPDATE delivery SET", DeliverySQL.isSent,
        """
        , sealed = x'', attempts = attempts + 1, due_at = $2, lease_owner = NULL, leased_until = NULL WHERE id = $1 AND
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
                if let consequence = settlement.consequence,
                    try Self.waitsForChannel(consequence.request.sequence, connection)
                {
                    try connection.execute(
                        Self.retryDelivery(id, owner, now + .seconds(1), settlement.step.problem, 0))
                    continue
                }
                let changed: Int
                switch settlement.step {
                case .done where entry == nil:
                    quiet.append(id)
                    continue
                case .done: changed = try connection.execute(Self.deleteDelivery(id))
                case .sent: changed = try connection.execute(Self.keepDelivery(id, now))
                case .retry(let due, let problem, let isTried):
                    try connection.execute(Self.retryDelivery(id, owner, due, problem, isTried ? 1 : 0))
                    continue
                case .dead(let problem): changed = try connection.execute(Self.buryDelivery(id, owner, now, problem))
                case .ended(let problem):
                    changed = try connection.execute(Self.retireDelivery(id, owner, now, problem))
                case .skipped(let problem):
                    changed = try connection.execute(Self.skipDelivery(id, owner, now, problem))
                }
                guard changed == 1 else { continue }
                if let entry { try append(entry, connection) }
                if let consequence = settlement.consequence, try carryOut(consequence, now, connection) {
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

    // MARK: undelivered requests

    private static let channelEntry = StaticStatement(
        "SELECT 1 FROM delivery WHERE request = $1 AND queue = 'notifications' AND", DeliverySQL.isWaiting, "LIMIT 1")
    private static let otherDelivery = StaticStatement(
        "SELECT 1 FROM delivery WHERE request = $1 AND (", DeliverySQL.isWaiting, "OR", DeliverySQL.isSent, ") LIMIT 1")
    /// A push that timed out may have arrived. Uses the partial index, which needs the kind as a constant.
    private static let reading = StaticStatement(
        "SELECT 1 FROM audit_log WHERE kind = 'rich_consents_access' AND at >= $1 AND consent = $2 LIMIT 1")
    /// A phone without push, or whose push service the tenant does not use, fetches requests by itself.
    private static let phonesThatFetch = StaticStatement(
        #"SELECT id FROM device WHERE tenant = $1 AND "user" = $2 AND push_service IS NULL"#,
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
        _ consequence: DeliveryConsequence, _ now: Timestamp, _ connection: any Connection
    ) throws -> Bool {
        let request = consequence.request
        guard try connection.first(Self.otherDelivery(request.sequence), { try $0.int(0) }) == nil,
            try connection.first(Self.reading(request.createdAt, request.consentID), { try $0.int(0) }) == nil
        else { return false }
        let channel = consequence.channel.rawValue
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

    // MARK: notifications

    /// A blocked user's device gets nothing, like a removed one.
    private static let requestAndDevice = StaticStatement(
        "SELECT", SealedRequest.columns, ",", Device.columns,
        """
        FROM backchannel_request LEFT JOIN device ON device.id = $2 AND NOT EXISTS (
            SELECT 1 FROM "user" WHERE "user".tenant = device.tenant AND "user".id = device."user" AND blocked = 1)
        WHERE backchannel_request.sequence = $1
        """)

    package func noteSent(
        _ requests: [BackchannelRequest], to device: DeviceID, events: [AuditEvent], now: Timestamp
    ) async throws {
        let entries = events.map(UnchainedAuditEntry.init)
        try await database.write { connection in
            for request in requests {
                try connection.execute(
                    Self.insertSent(
                        request.tenant, DeliveryQueue.notifications.rawValue, device, request.sequence,
                        DeviceNotice(.notification, request: request.sequence).payload, now, request.expiresAt))
            }
            for entry in entries { try append(entry, connection) }
        }
    }

    private static let insertSent = StaticStatement(
        "INSERT INTO delivery (", DeliverySQL.columns, ") VALUES ($1, $2, $3, $4, $5, x'', $6, $6, $7, 1, 2)")

    package func notification(
        of request: Int64, to device: DeviceID
    ) async throws -> (request: SealedRequest, device: Device?)? {
        try await database.first(Self.requestAndDevice(request, device)) { row in
            (
                try SealedRequest(row),
                try row.isNull(SealedRequest.columnCount) ? nil : Device(row, at: SealedRequest.columnCount)
            )
        }
    }
}

extension Store {
    package func retire(
        _ push: PushCredentials, of device: DeviceID, tenant: TenantID, event: AuditEvent
    ) async throws {
        let entry = UnchainedAuditEntry(event)
        try await database.write { connection in
            let retired = try connection.execute(
                """
                UPDATE device SET push_token = NULL, push_ended_at = \(event.at),
                    push_problem = \(event.details["reason"]?.stringValue)
                WHERE id = \(device) AND tenant = \(tenant) AND push_service = \(push.service.rawValue)
                    AND push_token = \(push.token)
                """)
            if retired == 1 { try append(entry, connection) }
        }
    }
}

extension Store: DeliveryLog {
    package func deliveries(
        _ filter: DeliveryFilter, of tenant: TenantID, before id: Int64?, limit: Int
    ) async throws -> [DeliveryRecord] {
        let condition: SQLFragment
        switch filter {
        case .request(let consent):
            guard let bounds = Self.bounds(consent) else { return [] }
            condition = """
                d.request = (SELECT sequence FROM backchannel_request
                    WHERE hash >= \(bounds.low) AND hash <= \(bounds.high) AND tenant = \(tenant))
                """
        case .user(let user):
            condition = """
                d.request IN (SELECT sequence FROM backchannel_request WHERE "user" = \(user) AND tenant = \(tenant))
                """
        case .failed: condition = "d.state IN (1, 3)"
        }
        return try await database.query(
            """
            SELECT d.id, d.queue, d.state, d.attempts, d.problem, d.recipient, d.created_at, d.due_at, d.expires_at,
                r.hash, r.client, r."user"
            FROM delivery d LEFT JOIN backchannel_request r ON r.sequence = d.request
            WHERE d.tenant = \(tenant) AND d.id < \(id ?? .max) AND \(condition) ORDER BY d.id DESC LIMIT \(limit)
            """
        ) { try DeliveryRecord($0) }
    }
}

extension DeliveryRecord {
    fileprivate init(_ row: borrowing Row) throws {
        guard let queue = DeliveryQueue(rawValue: try row.text(1)), let state = State(stored: try row.int(2)) else {
            throw CorruptRow(what: "delivery")
        }
        let recipient = try row.text(5)
        let isOfDevice = queue == .notifications || queue.pushService != nil
        self.init(
            id: try row.int64(0), queue: queue, state: state, attempts: try row.int(3),
            problem: try row.optionalText(4), device: isOfDevice ? DeviceID(recipient) : nil,
            user: try row.optionalID(11),
            client: queue == .logoutNotices ? ClientID(recipient) : try row.optionalID(10),
            consent: try row.optionalBlob(9).map { AuthReqIDHash(stored: $0).consentID },
            createdAt: try row.timestamp(6), changedAt: try row.timestamp(7), expiresAt: try row.timestamp(8))
    }
}

extension DeliveryRecord.State {
    /// Numbers of `DeliverySQL`.
    fileprivate init?(stored number: Int) {
        switch number {
        case 0: self = .waiting
        case 1: self = .failed
        case 2: self = .sent
        case 3: self = .undeliverable
        case 4: self = .skipped
        default: return nil
        }
    }
}

extension DeliveryEntry {
    static let columns: SQLFragment = """
        id, tenant, queue, recipient, payload, sealed, created_at, expires_at, attempts, problem, request
        """

    init(_ row: borrowing Row) throws {
        guard let queue = DeliveryQueue(rawValue: try row.text(2)) else { throw CorruptRow(what: "queue") }
        self.init(
            id: try row.int64(0),
            delivery: Delivery(
                tenant: try row.id(1), queue: queue, recipient: try row.text(3), request: try row.optionalInt64(10),
                payload: try row.text(4), sealed: try row.blob(5), createdAt: try row.timestamp(6),
                expiresAt: try row.timestamp(7)),
            attempts: try row.int(8), problem: try row.optionalText(9))
    }
}
