package import Audit
package import SQL

/// Facts to compare a copy of a database with its original.
package struct DatabaseFacts: Sendable, Equatable {
    /// Names of the applied migrations, in order.
    package let migrations: [String]
    /// Last entries of the audit log. None if it is empty.
    package let auditHeads: AuditHeads
    package let tenants: Int

    /// Reads a database of any version.
    package init(_ connection: any Connection) throws {
        guard try !connection.columns(of: "schema_migrations").isEmpty else {
            throw SQLError.mismatch("it is not a database of this program")
        }
        migrations = try connection.query("SELECT name FROM schema_migrations ORDER BY position") { try $0.text(0) }
        let hasChain = try connection.columns(of: "audit_log").contains("lane")
        auditHeads = hasChain ? try Store.heads(connection) : AuditHeads()
        tenants = try connection.first("SELECT count(*) FROM tenant") { try $0.int(0) } ?? 0
    }
}
