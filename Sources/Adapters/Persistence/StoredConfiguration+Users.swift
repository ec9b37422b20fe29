import Administration
import AuthorizationCore
import Primitives
import SQL

extension StoredConfiguration: UserReader {
    func record(of user: UserID, in tenant: TenantID) throws -> UserRecord? {
        try Store.record(of: user, tenant: tenant, connection)
    }

    func users(email: String, in tenant: TenantID) throws -> [UserID] {
        try connection.query(
            #"SELECT "user" FROM user_profile WHERE tenant = \#(tenant) AND email = \#(email) ORDER BY "user""#
        ) { try $0.id(0) }
    }

    func users(of tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [UserID] {
        try connection.query(
            """
            SELECT id FROM "user" WHERE tenant = \(tenant) AND id > \(after?.rawValue ?? "")
            ORDER BY id LIMIT \(limit) OFFSET \(skip)
            """
        ) { try $0.id(0) }
    }

    func userCount(of tenant: TenantID) throws -> Int {
        try connection.first(#"SELECT count(*) FROM "user" WHERE tenant = \#(tenant)"#) { try $0.int(0) } ?? 0
    }
}

extension StoredConfiguration: UserTransaction {
    func endAccess(of user: UserID, in tenant: TenantID) throws -> [SessionEnd] {
        let theirs: SQLFragment = #"WHERE tenant = \#(tenant) AND "user" = \#(user)"#
        let sessions = try connection.query("SELECT id FROM session \(theirs) ORDER BY sequence") {
            try $0.id(0, of: SessionTag.self)
        }
        let ended = try sessions.map { id in
            SessionEnd(id: id, user: user, clients: try clients(in: id))
        }
        try connection.execute("DELETE FROM session \(theirs)")
        try connection.execute("DELETE FROM refresh_token_family \(theirs)")
        try connection.execute("DELETE FROM authorization_code \(theirs) AND redeemed = 0")
        return ended
    }

    /// Clients that got a code in a session; deleting the session deletes these rows.
    private func clients(in session: SessionID) throws -> [ClientID] {
        try connection.query(
            "SELECT client FROM session_client WHERE session = \(session) ORDER BY first_used_at, client"
        ) { try $0.id(0) }
    }

    func removeTickets(of user: UserID, in tenant: TenantID) throws {
        try connection.execute(#"DELETE FROM password_ticket WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
    }

    func removeRequests(to user: UserID, in tenant: TenantID) throws -> [[UInt8]] {
        // What was denied or redeemed gives nothing any more, and stays to be counted. The sweep sets the count of
        // pending requests right.
        try connection.query(
            """
            DELETE FROM backchannel_request WHERE "user" = \(user) AND tenant = \(tenant)
                AND state IN (\(BackchannelRequest.State.pending.rawValue), \(BackchannelRequest.State.approved.rawValue))
            RETURNING hash
            """
        ) { try $0.blob(0) }
    }
}
