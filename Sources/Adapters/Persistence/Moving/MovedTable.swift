import AuthorizationCore
import SQL

/// A table's part in the move of one tenant to another installation.
///
/// Every table is here, so that none is forgotten: either its rows go along, or a reason says why they do not.
package struct MovedTable: Sendable {
    package enum Rows: Sendable {
        /// The rows with the tenant in this column. The file leaves it out, so that it cannot name another tenant.
        case of(column: String)
        /// Rows without the tenant in a column, by a condition on `$1`.
        case matching(String)
        /// None, for this reason.
        case none(String)
    }

    package let name: String
    package let rows: Rows

    package static let all = [
        MovedTable(name: "tenant", rows: .of(column: "id")),
        own("configuration_object"), own("signing_key"), own("web_push_key"), own("refresh_token_key"),
        own("user"), own("user_role"), own("identity"), own("device"), own("passkey"), own("one_time_password"),
        own("authenticator"), own("recovery_code"), own("phone_preference"), own("device_credential"),
        own("user_profile"),
        own("consent_grant"), own("session"),
        MovedTable(
            name: "session_client", rows: .matching("session IN (SELECT id FROM session WHERE tenant = $1)")),
        own("refresh_token_family"), own("ended_refresh_token"), own("revoked_authorization"), own("used_token"),
        own("approval"), own("unanswered_request"), own("rejection_pause"),

        none("user_attribute", "made anew of the profile"),
        none("backchannel_request", pending), none("delivery", pending), none("authorization_transaction", pending),
        none("pushed_request", pending), none("authorization_code", pending), none("enrollment_ticket", pending),
        none("user_job", pending), none("user_job_part", pending), none("user_job_error", pending),
        none("password_ticket", pending), none("email_ticket", pending), none("password_failure", pending),
        none("audit_log", log), none("audit_daily", log), none("audit_archive", log),
        none("audit_archive_lane", log), none("audit_tree_head", log), none("audit_key", log),
        none("configuration", installation), none("master_key_check", installation),
        none("derivation_key", installation), none("work_lease", installation),
    ]

    private static let pending = "ends within minutes or days, and is begun anew"
    private static let log = "entries of all tenants are chained, and the chain is the installation's"
    private static let installation = "the installation's"

    private static func own(_ name: String) -> MovedTable { MovedTable(name: name, rows: .of(column: "tenant")) }
    private static func none(_ name: String, _ reason: String) -> MovedTable {
        MovedTable(name: name, rows: .none(reason))
    }
}

/// A table whose rows go along, as the database describes it.
struct MovedRows {
    let table: StoredTable
    /// Column with the tenant, which the file leaves out.
    let owner: String?
    /// Columns of the file: neither the tenant, nor numbers that the engine counts, nor MACs of another master key.
    let columns: [String]
    let sealed: [SealedColumn]
    let seal: RowSeal?
    private let condition: SQLFragment

    /// Tables whose rows go along, behind those that their rows refer to.
    static func all(of tenant: TenantID, _ connection: any Connection) throws -> [MovedRows] {
        try StoredTable.all(connection).compactMap { table in
            guard let moved = MovedTable.all.first(where: { $0.name == table.name }) else {
                throw SQLError.mismatch("the table \(table.name) has no part in a tenant's move")
            }
            return MovedRows(table, moved, tenant)
        }
    }

    private init?(_ table: StoredTable, _ moved: MovedTable, _ tenant: TenantID) {
        var omitted = ["sequence", "seal"]
        switch moved.rows {
        case .none: return nil
        case .of(let column):
            owner = column
            omitted.append(column)
            condition = #""\#(raw: column)" = \#(tenant)"#
        case .matching(let text):
            owner = nil
            let parts = text.split(separator: "$1", maxSplits: 1, omittingEmptySubsequences: false)
            condition = "\(raw: String(parts[0]))\(tenant)\(raw: String(parts[1]))"
        }
        self.table = table
        columns = table.columns.filter { !omitted.contains($0) }
        sealed = SealedColumn.all.filter { $0.table == table.name }
        seal = RowSeal.all.first { $0.table == table.name }
    }

    /// All rows of the tenant, oldest first where the engine counts them.
    var selection: Statement {
        #"""
        SELECT \#(raw: StoredTable.list(table.columns)) FROM "\#(raw: table.name)" WHERE \#(condition)
        ORDER BY \#(raw: StoredTable.list(table.key))
        """#
    }

    /// Sealing context of a column of a row.
    func context(of column: SealedColumn, _ row: [String: SQLValue]) throws -> String {
        let names = column.key + column.bound
        return try column.row(Row(ValueColumns(values: [.null] + names.map { row[$0] ?? .null }))).context
    }
}

/// Columns of a row that is in memory.
private struct ValueColumns: ColumnSource {
    let values: [SQLValue]

    func value(_ column: Int) throws(SQLError) -> SQLValue {
        guard values.indices.contains(column) else { throw .mismatch("there is no column \(column)") }
        return values[column]
    }

    func isNull(_ column: Int) throws(SQLError) -> Bool { try value(column) == .null }

    func int64(_ column: Int) throws(SQLError) -> Int64 {
        guard case .integer(let number) = try value(column) else { throw .mismatch("column \(column) is no integer") }
        return number
    }

    func double(_ column: Int) throws(SQLError) -> Double {
        guard case .real(let number) = try value(column) else { throw .mismatch("column \(column) is no real number") }
        return number
    }

    func text(_ column: Int) throws(SQLError) -> String {
        guard case .text(let text) = try value(column) else { throw .mismatch("column \(column) is no text") }
        return text
    }

    func blob(_ column: Int) throws(SQLError) -> [UInt8] {
        guard case .blob(let bytes) = try value(column) else { throw .mismatch("column \(column) is no bytes") }
        return bytes
    }
}
