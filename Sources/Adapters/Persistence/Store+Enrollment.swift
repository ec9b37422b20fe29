package import Audit
package import AuthorizationCore
package import Flows
package import GuardianWire
import JOSE
package import Primitives
import SQL

extension Store: EnrollmentStore {
    private static let findDevice = StaticStatement(
        "SELECT", Device.columns,
        """
        , token_hash, EXISTS (SELECT 1 FROM "user" WHERE tenant = $2 AND id = device."user" AND blocked = 1)
        FROM device WHERE id = $1 AND tenant = $2
        """)
    private static let findDeviceToChange = StaticStatement { dialect in
        "\(findDevice.text(in: dialect)) \(dialect.holding(.changing))"
    }

    static func device(_ id: DeviceID, tenant: TenantID, _ connection: any Connection) throws -> EnrolledDevice? {
        try device(findDevice(id, tenant), connection)
    }

    private static func device(_ statement: Statement, _ connection: any Connection) throws -> EnrolledDevice? {
        try connection.first(statement) { row in
            EnrolledDevice(
                device: try Device(row), tokenHash: try row.blob(Device.columnCount),
                isUserBlocked: try row.bool(Device.columnCount + 1))
        }
    }

    package func device(_ id: DeviceID, tenant: TenantID) async throws -> EnrolledDevice? {
        try await database.read { try Self.device(id, tenant: tenant, $0) }
    }

    private static let devicesOfUser = StaticStatement(
        "SELECT", Device.columns,
        """
        , EXISTS (SELECT 1 FROM passkey WHERE passkey.device = device.id)
        FROM device WHERE tenant = $1 AND "user" = $2 ORDER BY enrolled_at, id
        """)

    package func devices(of user: UserID, tenant: TenantID) async throws -> [OwnedDevice] {
        try await database.query(Self.devicesOfUser(tenant, user)) { row in
            OwnedDevice(device: try Device(row), hasPasskey: try row.bool(Device.columnCount))
        }
    }

    package func createTicket(_ ticket: EnrollmentTicket, event: AuditEvent) async throws -> Bool {
        try await database.write { try create(ticket, event, $0) }
    }

    package func createTicket(
        _ ticket: EnrollmentTicket, confirmedBy passkey: PasskeyConfirmation?, event: AuditEvent
    ) async throws -> Bool {
        try await database.write { connection in
            guard let device = ticket.requestedBy,
                try connection.exists("SELECT 1 FROM device WHERE id = \(device) AND tenant = \(ticket.tenant)")
            else { return false }
            if let passkey {
                let (use, now) = (passkey.use, ticket.createdAt)
                guard try Self.use(passkey.challenge, tenant: ticket.tenant, now: now, connection),
                    try Self.allows(use, of: device, tenant: ticket.tenant, connection)
                else { return false }
                try connection.execute(Self.countPasskey(Int64(use.signCount), ticket.tenant, use.id, now))
            }
            return try create(ticket, event, connection)
        }
    }

    private func create(
        _ ticket: EnrollmentTicket, _ event: AuditEvent, _ connection: any Connection
    ) throws -> Bool {
        guard try Self.user(ticket.user, tenant: ticket.tenant, connection) != nil else { return false }
        try Self.insert(ticket, connection)
        try append(event, connection)
        return true
    }

    static func insert(_ ticket: EnrollmentTicket, _ connection: any Connection) throws {
        try connection.execute(
            """
            INSERT INTO enrollment_ticket (hash, tenant, "user", created_at, expires_at, access_endings, first_only,
                asked_by)
            VALUES (\(ticket.hash), \(ticket.tenant), \(ticket.user), \(ticket.createdAt), \(ticket.expiresAt),
                \(ticket.accessEndings), \(ticket.isForFirstDevice), \(ticket.requestedBy))
            """)
    }

    package func ticket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EnrollmentTicket? {
        try await database.first(
            """
            SELECT \(raw: EnrollmentTicket.columns.description) FROM enrollment_ticket
            WHERE hash = \(hash) AND tenant = \(tenant) AND \(Self.isUsable(now))
            """
        ) { try EnrollmentTicket($0) }
    }

    /// Condition for a row of `enrollment_ticket` that enrols a device now.
    static func isUsable(_ now: Timestamp) -> SQLFragment {
        """
        used_by IS NULL AND expires_at > \(now)
        AND (access_endings IS NULL OR EXISTS (
            SELECT 1 FROM "user" WHERE "user".tenant = enrollment_ticket.tenant AND "user".id = enrollment_ticket."user"
                AND "user".access_endings = enrollment_ticket.access_endings
                AND coalesce("user".factor_removed_at, 0) <= enrollment_ticket.created_at
        ))
        AND (first_only = 0 OR NOT EXISTS (
            SELECT 1 FROM device WHERE device.tenant = enrollment_ticket.tenant
                AND device."user" = enrollment_ticket."user"
        ) AND NOT EXISTS (
            SELECT 1 FROM authenticator WHERE authenticator.tenant = enrollment_ticket.tenant
                AND authenticator."user" = enrollment_ticket."user"
        ))
        AND (asked_by IS NULL OR EXISTS (
            SELECT 1 FROM device WHERE device.id = enrollment_ticket.asked_by
                AND device.tenant = enrollment_ticket.tenant AND device.key_lost_at IS NULL
        ))
        """
    }

    package func device(
        enrolledBy ticket: [UInt8], tenant: TenantID, now: Timestamp
    ) async throws -> Device? {
        try await database.first(
            """
            SELECT \(raw: Device.columns.description)
            FROM enrollment_ticket JOIN device ON device.id = used_by AND device.tenant = enrollment_ticket.tenant
            WHERE hash = \(ticket) AND enrollment_ticket.tenant = \(tenant) AND expires_at > \(now)
            """
        ) { try Device($0) }
    }

    package func enroll(_ new: NewEnrollment, now: Timestamp, event: AuditEvent) async throws -> Bool {
        let device = new.device
        // A code that was replaced or expired meanwhile stands for nothing.
        let isOfCode: SQLFragment =
            if let code = new.code { "AND code_hash = \(code) AND code_expires_at > \(now)" } else { "" }
        return try await database.write { connection in
            try connection.lock(device.user, in: device.tenant)
            let used = try connection.first(
                """
                UPDATE enrollment_ticket SET used_by = \(device.id), code_place = NULL, code_hash = NULL,
                    code_expires_at = NULL
                WHERE hash = \(new.ticket) AND tenant = \(device.tenant) AND "user" = \(device.user)
                    AND \(Self.isUsable(now)) \(isOfCode)
                RETURNING access_endings, asked_by
                """
                // `RETURNING access_endings IS NOT NULL` gives 1 for a null in SQLite 3.40.
            ) { (isOfLogin: try !$0.isNull(0), requestedBy: try $0.optionalID(1, of: Device.self)) }
            guard let used else { return false }
            // A phone's ticket proves no more than what enrolled that phone.
            let isOfLogin =
                try used.requestedBy.map { id in
                    try connection.first("SELECT enrolled_at_login FROM device WHERE id = \(id)") { try $0.bool(0) }
                        ?? true
                } ?? used.isOfLogin
            try removeOthers(like: device, event, connection)
            let count = try connection.first(
                #"SELECT count(*) FROM device WHERE tenant = \#(device.tenant) AND "user" = \#(device.user)"#
            ) { try $0.int(0) }
            guard (count ?? 0) < OwnedDevice.limit else { throw DeviceFailure.tooManyDevices }
            try connection.execute(
                """
                INSERT INTO device (id, tenant, "user", identifier, name, public_key, push_service, push_token,
                    token_hash, farewell_hash, enrolled_at, enrolled_at_login, capabilities, push_registered_at)
                VALUES (\(device.id), \(device.tenant), \(device.user), \(device.identifier), \(device.name),
                    \(JSONWriter.string(device.publicKey.json)), \(device.push?.service.rawValue),
                    \(device.push?.token), \(new.tokenHash), \(new.farewellHash), \(device.enrolledAt), \(isOfLogin),
                    \(device.capabilities.stored), \(device.pushRegisteredAt))
                """)
            if let sealedTOTP = new.sealedTOTP {
                try connection.execute(
                    """
                    INSERT INTO one_time_password (device, tenant, sealed_secret, last_step)
                    VALUES (\(device.id), \(device.tenant), \(sealedTOTP), -1)
                    """)
            }
            if let notice = new.notice { try insert(notice, connection) }
            try append(event, connection)
            return true
        }
    }

    package func loseKey(
        of id: DeviceID, farewell: [UInt8], tenant: TenantID, event: AuditEvent
    ) async throws -> Bool {
        try await database.write { connection in
            let user = try connection.first(
                """
                UPDATE device SET key_lost_at = \(event.at), farewell_hash = NULL, push_service = NULL, push_token = NULL,
                    push_ended_at = NULL, push_problem = NULL
                WHERE id = \(id) AND tenant = \(tenant) AND farewell_hash = \(farewell)
                RETURNING "user"
                """
            ) { try $0.id(0, of: User.self) }
            guard let user else { return false }
            var event = event
            event.user = user
            try append(event, connection)
            return true
        }
    }

    package func regainKey(of id: DeviceID, tenant: TenantID, event: AuditEvent) async throws -> Bool {
        try await execute(
            "UPDATE device SET key_lost_at = NULL WHERE id = \(id) AND tenant = \(tenant) AND key_lost_at IS NOT NULL",
            recording: event)
    }

    /// Deletes devices. Their earlier proofs count no more: a session that a stolen phone confirmed must not outlive it.
    /// Every removal of a device goes through here.
    static func removeDevices(
        where condition: SQLFragment, tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws -> [(id: DeviceID, name: String, user: UserID)] {
        let removed = try connection.query(
            #"DELETE FROM device WHERE tenant = \#(tenant) AND \#(condition) RETURNING id, name, "user""#
        ) { (id: try $0.id(0, of: Device.self), name: try $0.text(1), user: try $0.id(2, of: User.self)) }
        for user in Set(removed.map(\.user)) { try voidFactors(of: user, tenant: tenant, now: now, connection) }
        return removed
    }

    /// Voids the second factors that the user gave before `now`, because one of the factors is gone.
    static func voidFactors(
        of user: UserID, tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws {
        try connection.execute(
            #"UPDATE "user" SET factor_removed_at = \#(now) WHERE tenant = \#(tenant) AND id = \#(user)"#)
    }

    /// Removes and logs the user's other devices of the same identifier: that phone is now `device`.
    private func removeOthers(like device: Device, _ event: AuditEvent, _ connection: any Connection) throws {
        let removed = try Self.removeDevices(
            where: #""user" = \#(device.user) AND identifier = \#(device.identifier) AND id <> \#(device.id)"#,
            tenant: device.tenant, now: event.at, connection)
        for id in removed.map(\.id) {
            try append(
                event.beside(
                    .unenrolled, user: device.user, device: id, details: ["replaced_by": .string(device.id.rawValue)]),
                connection)
        }
    }

    package func update(
        _ id: DeviceID, tenant: TenantID, with update: DeviceAccountUpdate, event: AuditEvent
    ) async throws -> DeviceUpdateOutcome {
        try await database.write { connection in
            guard let enrolled = try Self.device(Self.findDeviceToChange(id, tenant), connection),
                !enrolled.isUserBlocked
            else {
                return .gone
            }
            var device = enrolled.device
            device.identifier = update.identifier ?? device.identifier
            device.name = update.name ?? device.name
            device.push = update.push(after: device.push)
            if update.push != nil { device.endedPush = nil }
            if update.pushCredentials != nil { device.pushRegisteredAt = event.at }
            device.capabilities = update.capabilities ?? device.capabilities
            let changed = try connection.execute(
                """
                UPDATE device SET identifier = \(device.identifier), name = \(device.name),
                    push_service = \((device.push?.service ?? device.endedPush?.service)?.rawValue),
                    push_token = \(device.push?.token), push_registered_at = \(device.pushRegisteredAt),
                    push_ended_at = \(device.endedPush?.at), push_problem = \(device.endedPush?.reason),
                    capabilities = \(device.capabilities.stored)
                WHERE id = \(id) AND tenant = \(tenant) AND NOT EXISTS (
                    SELECT 1 FROM device AS other WHERE other.tenant = \(tenant) AND other."user" = device."user"
                        AND other.identifier = \(device.identifier) AND other.id <> device.id
                )
                """)
            guard changed == 1 else { return .identifierTaken }
            try append(event, connection)
            return .updated(device)
        }
    }

    package func remove(_ id: DeviceID, tenant: TenantID, event: AuditEvent) async throws -> Bool {
        try await database.write { connection in
            let removed = try Self.removeDevices(where: "id = \(id)", tenant: tenant, now: event.at, connection)
            guard !removed.isEmpty else { return false }
            try append(event, connection)
            return true
        }
    }
}
