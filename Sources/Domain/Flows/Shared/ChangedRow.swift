package import Audit
package import AuthorizationCore
package import Primitives

/// A stored row that somebody without the master key changed or wrote. It counts as absent, and ends.
package struct ChangedRow: Error, Sendable, Equatable, CustomStringConvertible {
    package let table: String
    /// Table and name of the row.
    package let place: String
    /// Names in the row, which may be wrong.
    package let authorization: AuthorizationID?
    package let user: UserID?
    package let client: ClientID?

    package init(
        table: String, place: String, authorization: AuthorizationID? = nil, user: UserID? = nil,
        client: ClientID? = nil
    ) {
        self.table = table
        self.place = place
        self.authorization = authorization
        self.user = user
        self.client = client
    }

    package var description: String { "\(place) was changed by somebody without the master key" }
}

/// Store port for ending rows that somebody else changed.
package protocol ChangedRowStore: Sendable {
    /// Deletes the row of that hash, and records the event. Revokes the access tokens of the authorization that it
    /// names until `tokensExpireAt`, and notifies the clients of a session. Changes nothing if there is no such row.
    func end(_ row: ChangedRow, hash: [UInt8], tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent)
        async throws
}

extension ChangedRowStore {
    /// Result of a read. A changed row ends, with an entry in the audit log, and is nil.
    func intact<Row>(
        _ hash: [UInt8], _ context: RequestContext, _ read: () async throws -> Row?
    ) async throws -> Row? {
        do {
            return try await read()
        } catch let row as ChangedRow {
            try await end(row, hash: hash, context)
            return nil
        }
    }

    func end(_ row: ChangedRow, hash: [UInt8], _ context: RequestContext) async throws {
        try await end(
            row, hash: hash, tenant: context.tenant.id,
            tokensExpireAt: context.now + .seconds(ResourceServer.maximumTokenLifetime),
            event: context.event(
                .requestTampered, charge: .once(.authorization), user: row.user, client: row.client,
                details: ["table": .string(row.table)]))
    }
}
