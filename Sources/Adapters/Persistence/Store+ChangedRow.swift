package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: ChangedRowStore {
    package func end(
        _ row: ChangedRow, hash: [UInt8], tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent
    ) async throws {
        try await database.write { connection in
            let condition: SQLFragment = "hash = \(hash) AND tenant = \(tenant)"
            if row.table == RowSeal.session.table {
                guard try end(where: condition, now: event.at, connection) != nil else { return }
            } else {
                guard try connection.execute("DELETE FROM \(raw: row.table) WHERE \(condition)") > 0 else { return }
            }
            if let id = row.authorization {
                try connection.execute(
                    "DELETE FROM refresh_token_family WHERE authorization_id = \(id) AND tenant = \(tenant)")
                try Self.revokeAccessTokens(of: id, tenant: tenant, until: tokensExpireAt, connection)
            }
            try append(event, connection)
        }
    }
}
