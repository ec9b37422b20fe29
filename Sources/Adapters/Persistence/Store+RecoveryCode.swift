package import Audit
package import AuthorizationCore
import Flows
import Primitives
import SQL

extension Store: RecoveryCodeStore {
    package func recoveryCodes(of user: UserID, tenant: TenantID) async throws -> Int {
        try await database.read { try Self.recoveryCodes(of: user, tenant: tenant, $0) }
    }

    static func recoveryCodes(
        of user: UserID, tenant: TenantID, _ connection: any Connection
    ) throws -> Int {
        try connection.first(
            #"SELECT count(*) FROM recovery_code WHERE tenant = \#(tenant) AND "user" = \#(user)"#
        ) { try $0.int(0) } ?? 0
    }

    package func useRecoveryCode(
        _ hash: [UInt8], of user: UserID, tenant: TenantID, event: AuditEvent,
        notice: @escaping @Sendable (_ left: Int) throws -> SealedMail?
    ) async throws -> Int? {
        try await database.write { connection in
            try connection.lock(user, in: tenant)
            let code: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(user) AND hash = \#(hash)"#
            let found = try connection.first(
                "SELECT \(raw: RowSeal.recoveryCode.list.description), seal FROM recovery_code WHERE \(code)"
            ) { try BoundRow($0, .recoveryCode) }
            guard let found else { return nil }
            guard try isIntact(found, .recoveryCode) else {
                _ = changed(found, .recoveryCode)
                return nil
            }
            // One of two uses at once finds it.
            guard try connection.execute("DELETE FROM recovery_code WHERE \(code)") == 1 else { return nil }
            let left = try Self.recoveryCodes(of: user, tenant: tenant, connection)
            if let mail = try notice(left) { try insert(mail, connection) }
            try append(event, connection)
            return left
        }
    }

    private static let insertCode = StaticStatement(
        "INSERT INTO recovery_code (", RowSeal.recoveryCode.list, ", seal) VALUES ($1, $2, $3, $4, $5)")

    /// Replaces, within a transaction, all codes of the user.
    func replaceRecoveryCodes(
        of user: UserID, by hashes: [[UInt8]], tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws {
        try Self.deleteRecoveryCodes(of: user, tenant: tenant, connection)
        for hash in hashes {
            try connection.execute(sealed(Self.insertCode(tenant, user, hash, now), .recoveryCode))
        }
    }

    static func deleteRecoveryCodes(of user: UserID, tenant: TenantID, _ connection: any Connection) throws {
        try connection.execute(#"DELETE FROM recovery_code WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
    }
}
