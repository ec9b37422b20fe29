public import AuthorizationCore
import Primitives
import SQL

extension Store {
    private static let insertEvent = StaticStatement(
        """
        INSERT INTO audit_log (kind, tenant, at, "user", client, device, consent, remote_address, details)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)

    /// Appends to the audit log within a transaction.
    static func append(_ event: AuditEvent, _ connection: any Connection) throws {
        try connection.execute(
            insertEvent(
                event.kind.rawValue, event.tenant, event.at, event.user, event.client, event.device, event.consent,
                event.remoteAddress, JSONWriter.string(.object(event.details))))
    }

    /// Appends to the audit log.
    public func record(_ event: AuditEvent) async throws {
        try await database.write { try Self.append(event, $0) }
    }
}
