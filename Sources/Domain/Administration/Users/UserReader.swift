public import AuthorizationCore
public import Primitives

/// What administration reads of users at one moment, beside their own rows.
public protocol UserReader {
    /// Everything that is kept of a user; nil where there is none.
    func record(of user: UserID, in tenant: TenantID) throws -> UserRecord?
    /// Users of an e-mail address in lower case, whatever connection they belong to, in the order of their ids.
    func users(email: String, in tenant: TenantID) throws -> [UserID]
    /// Users in the order of their ids: of those behind `after` at most `limit` after the first `skip`.
    func users(of tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [UserID]
    func userCount(of tenant: TenantID) throws -> Int
}

/// What administration changes of users within one change.
public protocol UserTransaction: UserReader {
    /// Ends the user's sessions, and removes their refresh tokens and the codes that were not redeemed.
    func endAccess(of user: UserID, in tenant: TenantID) throws -> [SessionEnd]
    /// Takes back the tickets that were made for the user's password and e-mail address.
    func removeTickets(of user: UserID, in tenant: TenantID) throws
    /// Removes the requests to the user that gave no tokens yet. Returns the SHA-256 of each one's `auth_req_id`.
    func removeRequests(to user: UserID, in tenant: TenantID) throws -> [[UInt8]]
}
