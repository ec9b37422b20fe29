package import Audit
package import AuthorizationCore
package import Flows
package import GuardianWire
package import Primitives
import SQL
import Tracing

/// Conditions on `delivery`. States are constants and not parameters, as the indices need.
enum DeliverySQL {
    static let isWaiting: StaticString = "state = 0"
    /// The same for a statement that finds entries by their keys. The index of waiting entries does not fit these words.
    /// PostgreSQL would read all of it for up to a minute, by a plan that it made while few entries waited.
    static let isStillWaiting: StaticString = "state < 1"
    /// Given up, kept for operators.
    static let isDead: StaticString = "state = 1"
    static let isSent: StaticString = "state = 2"
    /// Undeliverable, but no fault to repair.
    static let isEnded: StaticString = "state = 3"
    /// Dead, ended or skipped, in the words of its index.
    static let hasFailed: StaticString = "(delivery.state > 0 AND delivery.state <> 2)"
    /// Not sent, because the tenant has no credentials.
    static let isSkipped: StaticString = "state = 4"
    /// Columns of an insertion, in the order of its values.
    static let columns: StaticString = """
        tenant, queue, recipient, request, payload, sealed, created_at, due_at, expires_at, attempts, state
        """
}

extension Store: DeliveryStore, MailStore, NotificationSource {
    // MARK: entries of flows

    private static let insertDelivery = StaticStatement(
        "INSERT INTO delivery (", DeliverySQL.columns,
        #", "user", trace) VALUES ($1, $2, $3, $8, $4, $5, $6, $6, $7, 0, 0, $9, $10)"#)

    func insert(_ delivery: Delivery, _ connection: any Connection) throws {
        let notes = ChangeNotes.of(connection)
        notes.note(delivery.queue)
        try connection.perform(
            Self.insertDelivery(
                delivery.tenant, delivery.queue.rawValue, delivery.recipient, delivery.payload, delivery.sealed,
                delivery.createdAt, delivery.expiresAt, delivery.request, delivery.user, notes.trace?.traceparent))
    }

    /// An entry for a device's push service. Reads the index alone, instead of the device's row, which SQLite's planner would
    /// choose. A service without a queue would fail at the column, which takes no null.
    private static func pushes(_ dialect: any Dialect) -> String {
        let queues = DeliveryQueue.allCases.compactMap { queue in
            queue.pushService.map { "WHEN '\($0.rawValue)' THEN '\(queue.rawValue)'" }
        }
        return """
            SELECT $1, CASE push_service \(queues.joined(separator: " ")) END, id, CAST($6 AS BIGINT), $3, $7, $4, $4, $5, 0,
                0, $8
            FROM device \(dialect.reading(index: "device_by_push_service")) WHERE id = $2 AND push_service IS NOT NULL
            """
    }

    private static let insertPush = StaticStatement { dialect in
        "INSERT INTO delivery (\(DeliverySQL.columns), trace) \(pushes(dialect))"
    }
    /// The device channel's entry, and its push behind it. One statement, because PostgreSQL prepares all indices for each.
    private static let insertNotifications = StaticStatement { dialect in
        """
        INSERT INTO delivery (\(DeliverySQL.columns), trace)
        SELECT $1, '\(DeliveryQueue.notifications.rawValue)', $2, CAST($6 AS BIGINT), $3, $7, $4, $4, $5, 0, 0, $8
        UNION ALL \(pushes(dialect))
        """
    }

    /// One entry for each device, and one more for its push service. A withdrawal is pushed only after a push that may have
    /// arrived. An open device channel shows every request, and so learns of every end.
    func insert(
        _ notice: DeviceNotice, to devices: [DeviceID], tenant: TenantID, now: Timestamp, expiresAt: Timestamp,
        _ connection: any Connection
    ) throws {
        let payload = notice.payload
        let notes = ChangeNotes.of(connection)
        if !devices.isEmpty { notes.note(.notifications) }
        switch notice.kind {
        case .notification:
            for device in devices {
                try connection.perform(
                    Self.insertNotifications(
                        tenant, device, payload, now, expiresAt, notice.request, [UInt8](), notes.trace?.traceparent))
            }
        case .withdrawal:
            for device in devices {
                try insert(
                    Delivery(
                        tenant: tenant, queue: .notifications, recipient: device.rawValue, payload: payload,
                        createdAt: now, expiresAt: expiresAt), connection)
                guard try Self.wasPushed(notice.request, to: device, connection) else { continue }
                try connection.perform(
                    Self.insertPush(
                        tenant, device, payload, now, expiresAt, nil as Int64?, [UInt8](), notes.trace?.traceparent))
            }
        }
    }

    private static let push = StaticStatement(
        "SELECT 1 FROM delivery WHERE request = $1 AND recipient = $2 AND queue <> 'notifications' AND (",
        DeliverySQL.isSent, "OR", DeliverySQL.isWaiting, "AND (attempts > 0 OR leased_until IS NOT NULL)",
        // An end counts its own try, so that there was one before.
        "OR attempts > 1) LIMIT 1")

    private static func wasPushed(
        _ request: Int64, to device: DeviceID, _ connection: any Connection
    ) throws -> Bool {
        try connection.first(push(request, device)) { try $0.int(0) } != nil
    }

    /// Notifies the person of a new or rerouted request in its channel.
    func insert(
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

    func insert(_ mail: SealedMail, _ connection: any Connection) throws {
        try insert(Delivery(mail), connection)
    }

    package func watchEntries(_ announce: @escaping @Sendable (DeliveryQueue) -> Void) { newEntries.watch(announce) }

    package func enqueue(_ mail: SealedMail) async throws { try await database.write { try insert(mail, $0) } }

    /// Enqueues logout notices for sessions that the same transaction ends next. The payload is `LogoutNotice`'s.
    func enqueueLogouts(ofSessions condition: SQLFragment, now: Timestamp, _ connection: any Connection) throws {
        // Two ends at once notify once.
        try connection.hold("session", by: "sequence", where: condition)
        let notice = connection.dialect.object([
            "user": #"session."user""#, "sid": "session.id", "host": "session_client.host",
        ])
        let added = try connection.execute(
            """
            INSERT INTO delivery (\(raw: DeliverySQL.columns.description), trace)
            SELECT session.tenant, \(DeliveryQueue.logoutNotices.rawValue), session_client.client, NULL,
                \(notice), \([UInt8]()), \(now), \(now), \(now + LogoutNotice.life), 0, 0,
                \(ChangeNotes.of(connection).trace?.traceparent)
            FROM session JOIN session_client ON session_client.session = session.id WHERE \(condition)
            """)
        if added > 0 { ChangeNotes.of(connection).note(.logoutNotices) }
    }

    // MARK: worker

    private static let dueOfLane = StaticStatement(
        "SELECT", DeliveryEntry.columns, "FROM delivery WHERE", DeliverySQL.isWaiting,
        """
        AND queue = $1 AND lane = $2 AND due_at <= $3 AND (leased_until IS NULL OR leased_until <= $3)
        ORDER BY due_at, id LIMIT $4
        """)
    /// Each step seeks the next lane in the index, whatever the number of entries between.
    private static let waitingLanes = StaticStatement(
        """
        WITH RECURSIVE waiting (lane) AS (
            SELECT min(lane) FROM delivery WHERE state = 0 AND queue = $1
            UNION ALL
            SELECT (SELECT min(lane) FROM delivery WHERE state = 0 AND queue = $1 AND lane > waiting.lane)
            FROM waiting WHERE waiting.lane IS NOT NULL)
        SELECT lane FROM waiting WHERE lane IS NOT NULL
        """)

    package func dueDeliveries(
        _ queue: DeliveryQueue, perLane: Int, limit: Int, now: Timestamp
    ) async throws -> [DeliveryEntry] {
        try await database.read { connection in
            let lanes = try connection.query(Self.waitingLanes(queue.rawValue)) { try $0.text(0) }
            // Not less, because the first ones of a lane may be for a recipient that has to wait.
            let share = min(perLane, max(limit / max(lanes.count, 1), 4))
            var due: [(place: Int, entry: DeliveryEntry)] = []
            // If not all find room, others are left out the next time.
            for lane in lanes.count > limit ? lanes.shuffled() : lanes {
                let entries = try connection.query(Self.dueOfLane(queue.rawValue, lane, now, share)) {
                    try DeliveryEntry($0)
                }
                due += entries.enumerated().map { ($0.offset, $0.element) }
            }
            // Sorting is stable, so that equal places keep the order of the lanes. Then tenants take turns, whatever the
            // number of their lanes.
            var places: [TenantID: Int] = [:]
            let turns = due.sorted { $0.place < $1.place }.map { turn in
                places[turn.entry.delivery.tenant, default: 0] += 1
                return (place: places[turn.entry.delivery.tenant, default: 0], entry: turn.entry)
            }
            return turns.sorted { $0.place < $1.place }.prefix(limit).map(\.entry)
        }
    }

    package func lease(
        _ entries: [DeliveryEntry], to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Set<Int64> {
        try await database.write { connection in
            var leased: Set<Int64> = []
            // A settlement that counts changes `attempts`, so an entry settled since it was read is not leased.
            for (attempts, entries) in Dictionary(grouping: entries, by: \.attempts) {
                let waiting: SQLFragment = """
                    id IN (\(Self.padded(entries.map(\.id)))) AND attempts = \(attempts)
                        AND (leased_until IS NULL OR leased_until <= \(now)) AND \(raw: DeliverySQL.isStillWaiting.description)
                    """
                let ids = try connection.query(
                    """
                    UPDATE delivery SET lease_owner = \(owner), leased_until = \(end) WHERE id IN (
                        SELECT id FROM delivery WHERE \(waiting) \(raw: connection.dialect.holding(.skipping)))
                    RETURNING id
                    """
                ) { try $0.int64(0) }
                leased.formUnion(ids)
            }
            return leased
        }
    }

    /// A list of keys for `IN`, whose last one repeats up to a power of two, so that few texts are prepared.
    static func padded(_ keys: [some SQLBindable]) -> SQLFragment {
        var size = 1
        while size < keys.count { size *= 2 }
        let rest = keys.last.map { Array(repeating: $0, count: size - keys.count) } ?? []
        return .joined((keys + rest).map { "\($0)" }, by: ", ")
    }

    package func releaseLeases(of owner: String) async throws {
        try await database.execute(
            """
            UPDATE delivery SET lease_owner = NULL, leased_until = NULL
            WHERE \(raw: DeliverySQL.isWaiting.description) AND lease_owner = \(owner)
            """)
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
    private static let requestOfSequence = StaticStatement(
        "SELECT", SealedRequest.columns, "FROM backchannel_request WHERE sequence = $1")

    package func request(_ sequence: Int64) async throws -> SealedRequest? {
        try await database.first(Self.requestOfSequence(sequence)) { try SealedRequest($0) }
    }

    package func noteSent(
        _ requests: [BackchannelRequest], to device: DeviceID, events: [AuditEvent], now: Timestamp
    ) async throws {
        let entries = events.map(UnchainedAuditEntry.init)
        try await database.write { connection in
            for request in requests {
                try connection.perform(
                    Self.insertSent(
                        request.tenant, DeliveryQueue.notifications.rawValue, device, request.sequence,
                        DeviceNotice(.notification, request: request.sequence).payload, now, request.expiresAt,
                        [UInt8]()))
            }
            for entry in entries { try append(entry, connection) }
        }
    }

    private static let insertSent = StaticStatement(
        "INSERT INTO delivery (", DeliverySQL.columns, ") VALUES ($1, $2, $3, $4, $5, $8, $6, $6, $7, 1, 2)")

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
    ) async throws -> Bool {
        let entry = UnchainedAuditEntry(event)
        return try await database.write { connection in
            let retired = try connection.execute(
                """
                UPDATE device SET push_token = NULL, push_ended_at = \(event.at),
                    push_problem = \(event.details["reason"]?.stringValue)
                WHERE id = \(device) AND tenant = \(tenant) AND push_service = \(push.service.rawValue)
                    AND push_token = \(push.token)
                """)
            if retired == 1 { try append(entry, connection) }
            return retired == 1
        }
    }
}

extension DeliveryEntry {
    static let columns: StaticString =
        #"id, tenant, queue, recipient, payload, sealed, created_at, expires_at, attempts, problem, request, "user", trace"#
    static let columnCount = 13

    init(_ row: borrowing Row) throws {
        guard let queue = DeliveryQueue(rawValue: try row.text(2)) else { throw CorruptRow(what: "queue") }
        self.init(
            id: try row.int64(0),
            delivery: Delivery(
                tenant: try row.id(1), queue: queue, recipient: try row.text(3), user: try row.optionalID(11),
                request: try row.optionalInt64(10), payload: try row.text(4), sealed: try row.blob(5),
                createdAt: try row.timestamp(6),
                expiresAt: try row.timestamp(7)),
            attempts: try row.int(8), problem: try row.optionalText(9),
            trace: try row.optionalText(12).flatMap { TraceContext(traceparent: $0) })
    }
}
