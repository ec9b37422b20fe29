package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: BackchannelStartStore, SupersessionStore {
    private static let findUser = StaticStatement("SELECT", User.columns, #"FROM "user" WHERE tenant = $1 AND id = $2"#)
    /// One row for each device, or one for a user without devices.
    private static let findApprover = StaticStatement(
        "SELECT", User.columns, #", device.id, device.capabilities, device.key_lost_at, "user".factor_removed_at"#,
        """
        FROM "user" LEFT JOIN device ON device.tenant = "user".tenant AND device."user" = "user".id
        WHERE "user".tenant = $1 AND "user".id = $2
        """)

    /// Finds users by address or number. Reads at most two, enough to detect ambiguity.
    private static func findApprovers(by column: StaticString, verified: StaticString) -> StaticStatement {
        StaticStatement(
            "SELECT", User.columns, #", device.id, device.capabilities, device.key_lost_at, "user".factor_removed_at"#,
            """
            FROM "user" LEFT JOIN device ON device.tenant = "user".tenant AND device."user" = "user".id
            WHERE "user".tenant = $1 AND "user".id IN (SELECT user_profile."user" FROM user_profile
            """,
            "WHERE tenant = $1 AND", column, "= $2 AND", verified, "= 1 LIMIT 2)")
    }
    private static let findByEmail = findApprovers(by: "email", verified: "email_verified")
    private static let findByPhoneNumber = findApprovers(by: "phone_number", verified: "phone_verified")

    private static func find(_ user: UserReference, tenant: TenantID) -> Statement {
        switch user {
        case .id(let id): findApprover(tenant, id)
        case .email(let address): findByEmail(tenant, address.description)
        case .phoneNumber(let number): findByPhoneNumber(tenant, number)
        }
    }

    static func user(_ id: UserID, tenant: TenantID, _ connection: any Connection) throws -> User? {
        try connection.first(findUser(tenant, id)) { try User($0) }
    }

    package func approver(_ user: UserReference, tenant: TenantID) async throws -> Approver? {
        try await database.reduce(Self.find(user, tenant: tenant), into: FoundApprover()) { try $0.add($1) }.approver
    }

    /// Counts all requests for the user, whatever they are, by the index alone, and reads the end of client `$5`'s pause.
    private static let standing = StaticStatement(
        "SELECT count(*) FILTER (WHERE created_at > $3), count(*) FILTER (WHERE", RequestSQL.isPending,
        "AND expires_at > $4), (SELECT paused_until FROM rejection_pause",
        #"WHERE tenant = $2 AND "user" = $1 AND client = $5 AND paused_until > $4)"#,
        #"FROM backchannel_request WHERE "user" = $1 AND tenant = $2"#)
    /// `StartCounts` of client `$5`. Reads rows beside the index, so only if a limit may be reached.
    private static let countByClient = StaticStatement(
        """
        SELECT count(*) FILTER (WHERE created_at > $3), min(created_at) FILTER (WHERE created_at > $3),
            count(*) FILTER (WHERE created_at > $3 AND client = $5),
            min(created_at) FILTER (WHERE created_at > $3 AND client = $5),
            count(DISTINCT client) FILTER (WHERE created_at > $3 AND client <> $5),
            count(*) FILTER (WHERE waits AND is_brief), count(*) FILTER (WHERE waits AND is_brief AND client = $5),
            count(DISTINCT client) FILTER (WHERE waits AND is_brief AND client <> $5),
            count(*) FILTER (WHERE waits AND client = $5)
        FROM (SELECT client, created_at,
        """, RequestSQL.isPending, "AND expires_at > $4 AS waits,", RequestSQL.isBrief,
        #"AS is_brief FROM backchannel_request WHERE "user" = $1 AND tenant = $2 AND"#, RequestSQL.isOfClient,
        "AND (created_at > $3 OR (", RequestSQL.isPending, "AND expires_at > $4))) AS counted")
    private static let insertRequest = StaticStatement(
        """
        INSERT INTO backchannel_request (hash, tenant, client, "user", audience, channel, created_at, expires_at,
            poll_interval, wants_receipt, login, sealed_record, state, idempotency_key, body_digest, browser)
        SELECT $1, $2, $3, "user".id, $5, $6, $7, $8, $9, $10, $11, $12, 0, $14, $15, $16
        FROM "user" WHERE "user".tenant = $2 AND "user".id = $4 AND "user".blocked = 0
            AND ($13 = 0 OR EXISTS (SELECT 1 FROM device WHERE device.tenant = $2 AND device."user" = $4
                AND device.key_lost_at IS NULL))
        """)

    package func start(_ new: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome {
        let outcome = try await database.write { try start(new, limits, $0) }
        switch outcome {
        case .started: gauge.add(1, to: new.request.tenant)
        case .superseding(let older): gauge.add(1 - older.count, to: new.request.tenant)
        case .repeated, .paused, .rateLimited, .tooManyPendingForUser, .tooManyPendingForTenant, .approverChanged: break
        }
        return outcome
    }

    private func start(
        _ new: NewBackchannelRequest, _ limits: StartLimits, _ connection: any Connection
    ) throws -> StartOutcome {
        let request = new.request
        try connection.lock(request.user, in: request.tenant)
        if let key = new.key,
            let earlier = try Self.earlierStart(
                key.hash, tenant: request.tenant, now: request.createdAt, connection)
        {
            return .repeated(earlier)
        }
        let standing = try Self.standing(of: request, limits, connection)
        if let end = standing?.pausedUntil { return .paused(until: end) }
        guard gauge.count(of: request.tenant) < limits.pendingPerTenant else { return .tooManyPendingForTenant }
        if let standing, let refusal = try Self.refusal(of: request, standing, limits, connection) { return refusal }
        guard
            let sequence = try connection.insert(
                Self.insertRequest(
                    request.hash.bytes, request.tenant, request.client, request.user, request.audience,
                    request.channel.rawValue, request.createdAt, request.expiresAt, request.interval,
                    request.wantsReceipt, request.login,
                    request.record, !new.devices.isEmpty, new.key?.hash, new.key?.body, request.browser),
                key: "sequence")
        else { return .approverChanged }
        try insert(
            request, sequence: sequence, devices: new.devices, now: request.createdAt, connection)
        try append(new.event, connection)
        let older = try supersede(by: new, sequence, connection)
        return older.isEmpty ? .started : .superseding(older)
    }

    /// Supersedes the pending requests of a user that fit a condition.
    private static func superseding(_ condition: StaticString) -> StaticStatement {
        StaticStatement(
            "UPDATE backchannel_request SET", RequestSQL.becomesSuperseded,
            #"WHERE "user" = $1 AND tenant = $2 AND expires_at > $3 AND"#, condition, "AND", RequestSQL.isPending,
            "RETURNING sequence, hash")
    }

    private static let supersedeOlder = superseding("browser = $4 AND sequence <> $5")
    private static let supersedeOne = superseding("hash = $4 AND login IS NOT NULL")

    /// Ends the requests that a login's takes the place of. A client's request costs no statement.
    private func supersede(
        by new: NewBackchannelRequest, _ sequence: Int64, _ connection: any Connection
    ) throws -> [AuthReqIDHash] {
        let request = new.request
        guard let browser = request.browser, let event = new.supersession else { return [] }
        return try supersede(
            Self.supersedeOlder(request.user, request.tenant, request.createdAt, browser, sequence),
            of: request.user, tenant: request.tenant, now: request.createdAt, event: event, connection)
    }

    package func supersede(
        _ request: AuthReqIDHash, of user: UserID, tenant: TenantID, now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        let ended = try await database.write { connection in
            try supersede(
                Self.supersedeOne(user, tenant, now, request.bytes), of: user, tenant: tenant, now: now, event: event,
                connection)
        }
        gauge.add(-ended.count, to: tenant)
        return !ended.isEmpty
    }

    private func supersede(
        _ statement: Statement, of user: UserID, tenant: TenantID, now: Timestamp, event: AuditEvent,
        _ connection: any Connection
    ) throws -> [AuthReqIDHash] {
        let ended = try connection.query(statement) {
            (sequence: try $0.int64(0), hash: AuthReqIDHash(stored: try $0.blob(1)))
        }
        guard !ended.isEmpty else { return [] }
        let devices = try connection.query(Self.devices(tenant, user)) { try $0.id(0, of: Device.self) }
        for one in ended {
            try insert(
                DeviceNotice(.withdrawal, request: one.sequence), to: devices, tenant: tenant, now: now,
                expiresAt: now + DeviceNotice.withdrawalLife, connection)
            var event = event
            event.consent = one.hash.consentID
            try append(event, connection)
        }
        return ended.map(\.hash)
    }

    /// Facts about a client's earlier requests for a person.
    private typealias Standing = (recent: Int, pending: Int, pausedUntil: Timestamp?)

    /// Nil for a request of a login, which has no limit, and which no client's pause delays.
    private static func standing(
        of request: SealedRequest, _ limits: StartLimits, _ connection: any Connection
    ) throws -> Standing? {
        guard request.login == nil else { return nil }
        return try connection.first(
            standing(request.user, request.tenant, limits.windowStart, request.createdAt, request.client)
        ) { (try $0.int(0), try $0.int(1), try $0.optionalTimestamp(2)) }
    }

    /// The user's limit that the request would break.
    private static func refusal(
        of request: SealedRequest, _ all: Standing, _ limits: StartLimits, _ connection: any Connection
    ) throws -> StartOutcome? {
        guard all.recent >= limits.perMinute || all.pending >= limits.pendingPerUser else { return nil }
        let counts = try connection.first(
            countByClient(request.user, request.tenant, limits.windowStart, request.createdAt, request.client)
        ) { row in
            StartCounts(
                recent: StartCounts.Group(
                    ofAll: try row.int(0), ofClient: try row.int(2), otherClients: try row.int(4)),
                oldest: try row.optionalTimestamp(1), oldestOfClient: try row.optionalTimestamp(3),
                brief: StartCounts.Group(
                    ofAll: try row.int(5), ofClient: try row.int(6), otherClients: try row.int(7)),
                pendingOfClient: try row.int(8))
        }
        return counts?.refusal(of: request.isBrief, limits)
    }
}

/// Result of `findApprover`.
private struct FoundApprover {
    private var user: User?
    private var phones: [Approver.Phone] = []
    private var isAmbiguous = false
    private var factorRemovedAt: Timestamp?

    var approver: Approver? {
        isAmbiguous ? nil : user.map { Approver(user: $0, phones: phones, factorRemovedAt: factorRemovedAt) }
    }

    /// Returns false if the row is of a second user.
    mutating func add(_ row: borrowing Row) throws -> Bool {
        if let user {
            isAmbiguous = try row.id(0, of: User.self) != user.id
            guard !isAmbiguous else { return false }
        } else {
            user = try User(row)
            factorRemovedAt = try row.optionalTimestamp(User.columnCount + 3)
        }
        if let device = try row.optionalID(User.columnCount, of: Device.self) {
            phones.append(
                Approver.Phone(
                    id: device, capabilities: Set(stored: try row.int64(User.columnCount + 1)),
                    isLost: try !row.isNull(User.columnCount + 2)))
        }
        return true
    }
}
