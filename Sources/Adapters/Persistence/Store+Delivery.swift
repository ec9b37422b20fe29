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
}

extension Store: DeliveryStore, MailStore, NotificationSource {
    // MARK: entries of flows

    private static let insertDelivery = StaticStatement(
        """
        INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts, state)
        VALUES ($1, $2, $3, $4, $5, $6, $6, $7, 0, 0)
        """)

    static func insert(_ delivery: Delivery, _ connection: any Connection) throws {
        try connection.execute(
            insertDelivery(
                delivery.tenant, delivery.queue.rawValue, delivery.recipient, delivery.payload, delivery.sealed,
                delivery.createdAt, delivery.expiresAt))
    }

    /// Reads the index alone, where SQLite's planner would read the device's row.
    private static let insertPush = StaticStatement(
        """
        INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts, state)
        SELECT $1, $2, id, $4, x'', $5, $5, $6, 0, 0 FROM device INDEXED BY device_by_push_service
        WHERE id = $3 AND push_service = $7
        """)
    private static let pushes = DeliveryQueue.allCases.compactMap { queue in
        queue.pushService.map { (queue: queue.rawValue, service: $0.rawValue) }
    }

    /// One entry for each device, and one more for its push service unless the request was never pushed: an open
    /// device channel shows it, too.
    static func insert(
        _ notice: DeviceNotice, to devices: [DeviceID], tenant: TenantID, wasPushed: Bool = true, now: Timestamp,
        expiresAt: Timestamp, _ connection: any Connection
    ) throws {
        let payload = notice.payload
        for device in devices {
            try insert(
                Delivery(
                    tenant: tenant, queue: .notifications, recipient: device.rawValue, payload: payload, createdAt: now,
                    expiresAt: expiresAt), connection)
            for push in pushes where wasPushed {
                try connection.execute(
                    insertPush(tenant, push.queue, device, payload, now, expiresAt, push.service))
            }
        }
    }

    static func insert(_ mail: SealedMail, _ connection: any Connection) throws {
        try insert(Delivery(mail), connection)
    }

    package func enqueue(_ mail: SealedMail) async throws { try await database.write { try Self.insert(mail, $0) } }

    /// Enqueues logout notices for sessions that the same transaction ends next. The payload is `LogoutNotice`'s.
    static func enqueueLogouts(ofSessions condition: SQLFragment, now: Timestamp, _ connection: any Connection) throws {
        try connection.execute(
            """
            INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                state)
            SELECT session.tenant, \(DeliveryQueue.logoutNotices.rawValue), session_client.client,
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
                        PARTITION BY d.tenant, d.recipient ORDER BY d.due_at, d.id) AS place
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
    /// A dead letter keeps its reason and payload, but not the sealed message.
    private static let buryDelivery = StaticStatement(
        "UPDATE delivery SET", DeliverySQL.isDead,
        """
        , sealed = x'', attempts = attempts + 1, due_at = $3, problem = $4, lease_owner = NULL, leased_until = NULL
        WHERE id = $1 AND coalesce(lease_owner, $2) = $2 AND
        """, DeliverySQL.isWaiting)

    package func settle(_ settlements: [DeliverySettlement], by owner: String, now: Timestamp) async throws {
        let entries = settlements.map { settlement in
            (settlement.id, settlement.step, settlement.event.map(UnchainedAuditEntry.init))
        }
        try await database.write { connection in
            var quiet: [Int64] = []
            for (id, step, entry) in entries {
                let changed: Int
                switch step {
                case .done where entry == nil:
                    quiet.append(id)
                    continue
                case .done: changed = try connection.execute(Self.deleteDelivery(id))
                case .retry(let due, let problem, let isTried):
                    try connection.execute(Self.retryDelivery(id, owner, due, problem, isTried ? 1 : 0))
                    continue
                case .dead(let problem): changed = try connection.execute(Self.buryDelivery(id, owner, now, problem))
                }
                if changed == 1, let entry { try append(entry, connection) }
            }
            for run in Self.runs(of: quiet) {
                try connection.execute(Self.deleteDeliveries(run.lowerBound, run.upperBound))
            }
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
                UPDATE device SET push_service = NULL, push_token = NULL
                WHERE id = \(device) AND tenant = \(tenant) AND push_service = \(push.service.rawValue)
                    AND push_token = \(push.token)
                """)
            if retired == 1 { try append(entry, connection) }
        }
    }
}

extension DeliveryEntry {
    static let columns: SQLFragment = """
        id, tenant, queue, recipient, payload, sealed, created_at, expires_at, attempts, problem
        """

    init(_ row: borrowing Row) throws {
        guard let queue = DeliveryQueue(rawValue: try row.text(2)) else { throw CorruptRow(what: "queue") }
        self.init(
            id: try row.int64(0),
            delivery: Delivery(
                tenant: try row.id(1), queue: queue, recipient: try row.text(3), payload: try row.text(4),
                sealed: try row.blob(5), createdAt: try row.timestamp(6), expiresAt: try row.timestamp(7)),
            attempts: try row.int(8), problem: try row.optionalText(9))
    }
}
