package import AuthorizationCore
package import Flows
package import Primitives
import SQL

/// Starts under a client's key (decision 22).
extension Store {
    private static let findStart = StaticStatement(
        "SELECT", SealedRequest.columns, ", body_digest",
        "FROM backchannel_request WHERE idempotency_key = $1 AND tenant = $2 AND expires_at > $3")
    private static let releaseKey = StaticStatement(
        """
        UPDATE backchannel_request SET idempotency_key = NULL, body_digest = NULL
        WHERE idempotency_key = $1 AND tenant = $2 AND expires_at <= $3
        """)

    package func earlierStart(_ key: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EarlierStart? {
        try await database.first(Self.findStart(key, tenant, now)) { try EarlierStart($0) }
    }

    /// The unexpired request of the key, in the transaction of a start. An expired request releases its key.
    static func earlierStart(
        _ key: [UInt8], tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws -> EarlierStart? {
        if let earlier = try connection.first(findStart(key, tenant, now), { try EarlierStart($0) }) { return earlier }
        try connection.perform(releaseKey(key, tenant, now))
        return nil
    }
}

extension EarlierStart {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(request: try SealedRequest(row), body: try row.blob(SealedRequest.columnCount))
    }
}
