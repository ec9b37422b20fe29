package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: BackchannelResolveStore, ConsentStore, PendingRequestStore {
    /// The consent id is a prefix of the hash, so the index by hash finds it as a range.
    private static let byConsent = StaticStatement(
        "SELECT", SealedRequest.columns,
        "FROM backchannel_request WHERE hash >= $1 AND hash <= $2 AND", RequestSQL.tenantBesideIndex, "= $3")

    static func bounds(_ consent: ConsentID) -> (low: [UInt8], high: [UInt8])? {
        guard let prefix = AuthReqIDHash.prefix(of: consent) else { return nil }
        let rest = 32 - prefix.count
        return (prefix + [UInt8](repeating: 0, count: rest), prefix + [UInt8](repeating: 0xFF, count: rest))
    }

    package func request(of consent: ConsentID, tenant: TenantID) async throws -> SealedRequest? {
        guard let bounds = Self.bounds(consent) else { return nil }
        return try await database.first(Self.byConsent(bounds.low, bounds.high, tenant)) { try SealedRequest($0) }
    }

    package func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: SealedRequest?, device: EnrolledDevice?) {
        let bounds = Self.bounds(consent)
        return try await database.read { connection in
            let request = try bounds.flatMap { bounds in
                try connection.first(Self.byConsent(bounds.low, bounds.high, tenant)) { try SealedRequest($0) }
            }
            return (request, try Self.device(device, tenant: tenant, connection))
        }
    }

    /// Uses the partial index, which needs the kind as a constant.
    private static let reading = StaticStatement(
        "SELECT 1 FROM audit_log WHERE kind = 'rich_consents_access' AND consent = $1 AND device = $2 LIMIT 1")

    package func read(_ consent: ConsentID, with proof: UsedProof, event: AuditEvent) async throws -> Bool {
        let entry = UnchainedAuditEntry(event)
        return try await database.write { connection in
            // Two first readings at once are recorded as one.
            if let person = event.user { try connection.lock(person, in: event.tenant) }
            guard try Self.use(proof, tenant: event.tenant, now: event.at, connection) else { return false }
            if try !connection.exists(Self.reading(consent, event.device)) { try append(entry, connection) }
            return true
        }
    }

    /// `column` takes the decider's id, and `condition` has the decider belong to the person now.
    private static func resolve(settingDecider column: StaticString, if condition: StaticString) -> StaticStatement {
        StaticStatement(
            "UPDATE backchannel_request SET state = $1,", column,
            """
            = $3, sealed_outcome = $7 WHERE hash >= $4 AND hash <= $5 AND
            """, RequestSQL.tenantBesideIndex, "= $6 AND expires_at > $2 AND sealed_outcome IS NULL AND",
            RequestSQL.isPending, "AND NOT EXISTS (SELECT 1 FROM approval WHERE approval.id = $8) AND", condition,
            """
            AND EXISTS (SELECT 1 FROM "user"
                WHERE tenant = $6 AND id = backchannel_request."user" AND blocked = 0)
            RETURNING sequence, hash, "user"
            """)
    }

    private static let resolveByDevice = resolve(
        settingDecider: "decided_by",
        if: """
            EXISTS (SELECT 1 FROM device
                WHERE device.id = $3 AND device.tenant = $6 AND device."user" = backchannel_request."user")
            """)
    /// The cookie's hash changes when somebody logs in again, so that the evidence is of the login that decides. A
    /// login's own request is not decided by a session.
    private static let resolveInSession = resolve(
        settingDecider: "decided_in",
        if: """
            login IS NULL AND EXISTS (SELECT 1 FROM session
                WHERE session.id = $3 AND session.hash = $9 AND session.tenant = $6
                    AND session."user" = backchannel_request."user"
                    AND session.expires_at > $2 AND session.idle_expires_at > $2)
            """)

    private static func statement(_ resolution: Resolution, _ bounds: (low: [UInt8], high: [UInt8])) -> Statement {
        let state = resolution.decision.state.rawValue
        return switch resolution.decider {
        case .device(let id):
            resolveByDevice(
                state, resolution.now, id, bounds.low, bounds.high, resolution.tenant, resolution.outcome,
                resolution.consent)
        case .session(let id, let cookie):
            resolveInSession(
                state, resolution.now, id, bounds.low, bounds.high, resolution.tenant, resolution.outcome,
                resolution.consent, cookie)
        }
    }

    /// `$3` is the device that decided. Null finds all devices.
    private static let otherDevices = StaticStatement(
        #"SELECT id FROM device WHERE tenant = $1 AND "user" = $2 AND id IS DISTINCT FROM $3"#)

    package func resolve(_ resolution: Resolution) async throws -> ResolveOutcome {
        guard let bounds = Self.bounds(resolution.consent) else { return .notPending }
        let entry = UnchainedAuditEntry(resolution.event)
        let outcome = try await database.write { connection in
            if let use = resolution.passkey, try !Self.allows(use, of: resolution, connection) {
                // A second copy of the answer that decided the request does not mean a copied authenticator.
                let state = try connection.first(Self.byConsent(bounds.low, bounds.high, resolution.tenant)) {
                    try SealedRequest($0).state
                }
                return state == .pending ? ResolveOutcome.passkeyUsed : .notPending
            }
            let decided = try connection.first(Self.statement(resolution, bounds)) { row in
                (sequence: try row.int64(0), hash: try row.blob(1), user: try row.id(2, of: User.self))
            }
            guard let decided else { return .notPending }
            if let use = resolution.passkey {
                try connection.execute(
                    Self.countPasskey(Int64(use.signCount), resolution.tenant, use.id, resolution.now))
            }
            let others = try connection.query(
                Self.otherDevices(resolution.tenant, decided.user, resolution.decider.device)
            ) { try $0.id(0, of: Device.self) }
            try insert(
                DeviceNotice(.withdrawal, request: decided.sequence), to: others, tenant: resolution.tenant,
                now: resolution.now, expiresAt: resolution.now + DeviceNotice.withdrawalLife, connection)
            try change(resolution, of: decided.user, connection)
            let place = try append(entry, connection)
            if let evidence = resolution.evidence {
                try Self.insert(evidence, of: resolution, to: decided.user, place, connection)
            }
            return .resolved(AuthReqIDHash(stored: decided.hash))
        }
        if case .resolved = outcome { gauge.add(-1, to: resolution.tenant) }
        return outcome
    }

    private static let pendingOfUser = StaticStatement(
        "SELECT", SealedRequest.columns,
        #"FROM backchannel_request WHERE "user" = $1 AND"#, RequestSQL.tenantBesideIndex,
        "= $2 AND expires_at > $3 AND sequence > $4 AND", RequestSQL.isPending, "ORDER BY sequence LIMIT $5")

    package func pending(
        user: UserID, tenant: TenantID, after sequence: Int64, now: Timestamp, limit: Int
    ) async throws -> [SealedRequest] {
        try await database.query(
            Self.pendingOfUser(user, tenant, now, sequence, limit)
        ) { try SealedRequest($0) }
    }

    private static let newest = StaticStatement("SELECT coalesce(max(sequence), 0) FROM backchannel_request")

    package func newestSequence() async throws -> Int64 {
        try await database.first(Self.newest()) { try $0.int64(0) } ?? 0
    }
}
