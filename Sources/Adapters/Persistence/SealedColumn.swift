import AuthorizationCore
import Configuration
import Flows
import Primitives
import SQL

/// A column sealed under the master key. Every such column is here, so that a key exchange misses none.
package struct SealedColumn: Sendable {
    package let table: String
    package let column: String
    /// Columns that identify a row.
    let key: [String]
    /// Further columns of the context, read after the key's.
    var bound: [String] = []
    /// True if the next start or archive recreates a missing row. Such a row is never left empty, because the program
    /// needs its value.
    var isMadeAnew = false
    /// Reads the values of `key` from column 1 on, and the sealing context.
    let row: @Sendable (borrowing Row) throws -> (key: [SQLValue], context: String)

    private static func keyed(
        _ table: String, _ column: String, by key: [String], isMadeAnew: Bool = false,
        _ context: @escaping @Sendable ([String]) -> String
    ) -> SealedColumn {
        SealedColumn(table: table, column: column, key: key, isMadeAnew: isMadeAnew) { row in
            var values: [String] = []
            for index in key.indices { values.append(try row.text(index + 1)) }
            return (values.map(SQLValue.text), context(values))
        }
    }

    package static let all = [
        keyed("signing_key", "sealed_private_key", by: ["tenant", "id"]) {
            SigningKey.sealingContext(tenant: TenantID($0[0]), id: SigningKeyID($0[1]))
        },
        keyed("web_push_key", "sealed_private_key", by: ["tenant"], isMadeAnew: true) {
            WebPushKey.sealingContext(tenant: TenantID($0[0]))
        },
        // Without a row, the tenant uses the installation's key.
        keyed(RefreshTokenKey.table, "sealed_key", by: ["tenant"], isMadeAnew: true) {
            RefreshTokenKey.sealingContext(tenant: TenantID($0[0]))
        },
        SealedColumn(table: "delivery", column: "sealed", key: ["id", "tenant"]) { row in
            let tenant: TenantID = try row.id(2)
            return ([.integer(try row.int64(1)), tenant.sqlValue], Delivery.sealingContext(tenant: tenant))
        },
        keyed("one_time_password", "sealed_secret", by: ["tenant", "device"]) {
            KeptOneTimePassword.sealingContext(tenant: TenantID($0[0]), device: DeviceID($0[1]))
        },
        SealedColumn(table: "authenticator", column: "sealed_secret", key: ["tenant", "id"], bound: ["user"]) { row in
            let (tenant, id, user) = (try row.text(1), try row.text(2), try row.text(3))
            return (
                [.text(tenant), .text(id)],
                Authenticator.sealingContext(
                    tenant: TenantID(tenant), user: UserID(user), id: AuthenticatorID(id))
            )
        },
        SealedColumn(table: "configuration_object", column: "sealed", key: ["tenant", "kind", "id"]) { row in
            let kind = try row.text(2)
            guard let known = TenantDocument.Kind(rawValue: kind) else {
                throw SQLError.mismatch("there is no kind of object \(kind)")
            }
            return (
                [.text(try row.text(1)), .text(kind), .text(try row.text(3))],
                TenantDocument.sealingContext(tenant: try row.id(1), kind: known, id: try row.text(3))
            )
        },
        SealedColumn(table: "audit_key", column: "sealed_private_key", key: ["id"], isMadeAnew: true) { row in
            ([.integer(try row.int64(1))], Store.auditKeyContext)
        },
        SealedColumn(
            table: "backchannel_request", column: "sealed_record", key: ["sequence"], bound: SealedRequest.boundColumns
        ) { row in
            // The row may hold values that no request has.
            var columns: [String] = []
            for index in SealedRequest.boundColumns.indices {
                let column =
                    switch try row.value(index + 2) {
                    case .null: ""
                    case .integer(let number): String(number)
                    case .real(let number): String(number)
                    case .text(let text): text
                    case .blob(let bytes): Hex.encode(bytes)
                    }
                columns.append(column)
            }
            return ([.integer(try row.int64(1))], SealedRequest.recordContext(columns))
        },
        SealedColumn(
            table: "backchannel_request", column: "sealed_outcome", key: ["sequence"], bound: ["hash", "tenant"]
        ) { row in
            let hash = AuthReqIDHash(stored: try row.blob(2))
            return ([.integer(try row.int64(1))], SealedRequest.outcomeContext(hash, tenant: try row.id(3)))
        },
        keyed("approval", "sealed_evidence", by: ["id", "tenant"]) {
            StoredApproval.sealingContext(ConsentID($0[0]), tenant: TenantID($0[1]))
        },
        SealedColumn(
            table: "unanswered_request", column: "sealed_record", key: ["id", "tenant"], bound: ["record_context"]
        ) { row in
            ([.text(try row.text(1)), .text(try row.text(2))], try row.text(3))
        },
        keyed("user_job", "sealed_order", by: ["tenant", "id"]) {
            UserJob.orderContext(tenant: TenantID($0[0]), id: $0[1])
        },
        SealedColumn(table: "user_job_part", column: "sealed", key: ["tenant", "job", "number"]) { row in
            let (tenant, job, number) = (try row.text(1), try row.text(2), try row.int64(3))
            return (
                [.text(tenant), .text(job), .integer(number)],
                UserJob.partContext(tenant: TenantID(tenant), id: job, number: Int(number))
            )
        },
        keyed("derivation_key", "sealed", by: ["label"], isMadeAnew: true) { Store.derivationContext($0[0]) },
    ]

    /// Rows with a sealed value inside a document that expire in minutes. A key exchange deletes them: logins that show
    /// the QR code of a first phone begin again.
    static let shortLived = [(table: "authorization_transaction", condition: #"progress LIKE '%"enrollment"%'"#)]
}
