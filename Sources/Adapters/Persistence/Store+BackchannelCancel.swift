import Audit
import AuthorizationCore
package import Flows
import Primitives
import SQL

extension Store: BackchannelCancelStore {
    /// Denies the request. `decided_by` stays null: no device decided.
    private static let cancel = StaticStatement(
        "UPDATE backchannel_request SET", RequestSQL.becomesDenied,
        ", sealed_outcome = $5 WHERE hash = $2 AND tenant = $3 AND client = $4 AND expires_at > $1 AND",
        RequestSQL.isOfClient, "AND", RequestSQL.isPending, "RETURNING", SealedRequest.columns)
    static let devices = StaticStatement(#"SELECT id FROM device WHERE tenant = $1 AND "user" = $2"#)

    package func cancel(_ cancellation: BackchannelCancellation) async throws -> Bool {
        let cancelled = try await database.write { connection in
            let ended = try connection.first(
                Self.cancel(
                    cancellation.now, cancellation.hash.bytes, cancellation.tenant, cancellation.client,
                    cancellation.outcome)
            ) { try SealedRequest($0) }
            guard let ended else { return false }
            let devices = try connection.query(Self.devices(cancellation.tenant, ended.user)) {
                try $0.id(0, of: Device.self)
            }
            try insert(
                DeviceNotice(.withdrawal, request: ended.sequence), to: devices, tenant: cancellation.tenant,
                now: cancellation.now, expiresAt: cancellation.now + DeviceNotice.withdrawalLife, connection)
            var event = cancellation.event
            event.user = ended.user
            let place = try append(UnchainedAuditEntry(event), connection)
            try Self.keep(ended, .withdrawn, at: cancellation.now, until: cancellation.keptUntil, place, connection)
            return true
        }
        if cancelled { gauge.add(-1, to: cancellation.tenant) }
        return cancelled
    }
}
