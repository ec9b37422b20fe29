package import Audit
package import AuthorizationCore
package import Flows
import Primitives
import SQL

extension Store: DeliveryLog {
    package func deliveries(
        _ filter: DeliveryFilter, of tenant: TenantID, before id: Int64?, limit: Int
    ) async throws -> [DeliveryRecord] {
        let condition: SQLFragment
        switch filter {
        case .request(let consent):
            guard let bounds = Self.bounds(consent) else { return [] }
            condition = """
                id IN (SELECT id FROM delivery WHERE request IN (SELECT sequence FROM backchannel_request
                        WHERE hash >= \(bounds.low) AND hash <= \(bounds.high) AND \(raw: RequestSQL.tenantBesideIndex.description) = \(tenant))
                    UNION SELECT id FROM delivery WHERE request_hash >= \(bounds.low) AND request_hash <= \(bounds.high))
                """
        case .user(let user):
            condition = """
                id IN (SELECT id FROM delivery WHERE request IN (SELECT sequence FROM backchannel_request
                        WHERE "user" = \(user) AND tenant = \(tenant))
                    UNION SELECT id FROM delivery WHERE tenant = \(tenant) AND "user" = \(user))
                """
        case .one(let id): condition = "delivery.id = \(id)"
        case .failed: condition = "\(raw: DeliverySQL.hasFailed.description)"
        }
        return try await database.query(
            """
            SELECT id, queue, delivery.state, attempts, problem, recipient, delivery.created_at, due_at, delivery.expires_at,
                coalesce(r.hash, request_hash), coalesce(r.client, request_client), coalesce(r."user", delivery."user")
            FROM delivery LEFT JOIN backchannel_request r ON r.sequence = delivery.request
            WHERE delivery.tenant = \(tenant) AND id < \(id ?? .max) AND \(condition) ORDER BY id DESC LIMIT \(limit)
            """
        ) { try DeliveryRecord($0) }
    }

    /// A mail that tells of no request had its only text in the message, which is gone.
    private static let retryFailed = StaticStatement(
        "UPDATE delivery SET state = 0, due_at = $3, lease_owner = NULL, leased_until = NULL",
        "WHERE id = $1 AND tenant = $2 AND", DeliverySQL.hasFailed,
        "AND expires_at > $3 AND (queue <> 'mail' OR request IS NOT NULL) RETURNING queue")

    package func retry(_ id: Int64, of tenant: TenantID, event: AuditEvent) async throws -> Bool {
        try await database.write { connection in
            let queue = try connection.first(Self.retryFailed(id, tenant, event.at)) { try $0.text(0) }
            guard let queue else { return false }
            if let queue = DeliveryQueue(rawValue: queue) { ChangeNotes.of(connection).note(queue) }
            try append(event, connection)
            return true
        }
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
