import AuthorizationCore
import Configuration
import Primitives
import SQL

extension StoredConfiguration: UserReader {
    func record(of user: UserID, in tenant: TenantID) throws -> UserRecord? {
        try Store.record(of: user, tenant: tenant, connection)
    }

    func users(email: EmailAddress, in tenant: TenantID) throws -> [UserID] {
        try connection.query(
            #"SELECT "user" FROM user_profile WHERE tenant = \#(tenant) AND email = \#(email.description) ORDER BY "user""#
        ) { try $0.id(0) }
    }

    func users(identifier: String, in tenant: TenantID) throws -> [UserID] {
        try connection.query(
            """
            SELECT "user" FROM user_profile WHERE tenant = \(tenant)
                AND (email = \(identifier) OR username = \(identifier) OR phone_number = \(identifier))
            ORDER BY "user"
            """
        ) { try $0.id(0) }
    }

    func attempts(at account: AttemptKey, in tenant: TenantID, since windowStart: Timestamp) throws -> [AttemptCount] {
        try connection.query(
            """
            SELECT address, count FROM password_failure
            WHERE tenant = \(tenant) AND (key = \(account.hash) OR account = \(account.hash))
                AND began_at > \(windowStart)
            ORDER BY sequence
            """
        ) { AttemptCount(address: try $0.optionalText(0), count: try $0.int(1)) }
    }
}

extension StoredConfiguration: UserTransaction {
    func forgetAttempts(at account: AttemptKey, in tenant: TenantID) throws -> Int {
        try connection.execute(Store.forgetFailures(account, tenant: tenant))
    }

    func endAccess(of user: UserID, in tenant: TenantID, now: Timestamp) throws {
        try Store.endAccess(of: user, tenant: tenant, now: now, connection)
    }

    func endUnfinished(of user: UserID, session: SessionID?, in tenant: TenantID) throws {
        guard let session else { return try Store.endUnfinished(of: user, tenant: tenant, connection) }
        try connection.execute(
            """
            DELETE FROM authorization_code
            WHERE tenant = \(tenant) AND "user" = \(user) AND session = \(session) AND redeemed = 0
            """)
    }

    func endTokens(of user: UserID, session: SessionID?, in tenant: TenantID, now: Timestamp) throws {
        var condition: SQLFragment = #"WHERE tenant = \#(tenant) AND "user" = \#(user)"#
        if let session { condition = "\(condition) AND session = \(session)" }
        try Store.endAuthorizations(condition, now: now, connection)
    }

    func removeTickets(of user: UserID, in tenant: TenantID) throws {
        for table in ["password_ticket", "email_ticket"] {
            try connection.execute(#"DELETE FROM \#(raw: table) WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
        }
    }

    func removeRequests(to user: UserID, in tenant: TenantID) throws -> [[UInt8]] {
        try connection.query(
            #"DELETE FROM backchannel_request WHERE "user" = \#(user) AND tenant = \#(tenant) RETURNING hash"#
        ) { try $0.blob(0) }
    }

    /// Deletes pending and approved requests. Others give no tokens and stay to be counted. The sweep corrects the
    /// pending count.
    func removeRequests(_ condition: SQLFragment) throws -> [[UInt8]] {
        typealias State = BackchannelRequest.State
        return try connection.query(
            """
            DELETE FROM backchannel_request WHERE \(condition)
                AND state IN (\(State.pending.rawValue), \(State.approved.rawValue))
            RETURNING hash
            """
        ) { try $0.blob(0) }
    }
}
