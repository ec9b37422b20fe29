package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: BeginStore {
    private static let insertTransaction = StaticStatement(
        """
        INSERT INTO authorization_transaction (hash, tenant, client, browser_hash, parameters, progress, created_at,
            expires_at, revision)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)

    package func create(_ transaction: StoredLogin) async throws {
        try await database.execute(
            Self.insertTransaction(
                transaction.hash, transaction.tenant, transaction.client, transaction.browserHash,
                transaction.parameters, JSONWriter.string(transaction.progress), transaction.createdAt,
                transaction.expiresAt, transaction.revision))
    }

    private static let findTransaction = StaticStatement(
        """
        SELECT client, browser_hash, parameters, progress, created_at, expires_at, revision
        FROM authorization_transaction WHERE hash = $1 AND tenant = $2 AND expires_at > $3
        """)

    package func transaction(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> StoredLogin? {
        try await database.first(Self.findTransaction(hash, tenant, now)) { row in
            StoredLogin(
                hash: hash, tenant: tenant, client: try row.id(0), browserHash: try row.blob(1),
                parameters: try row.text(2), progress: try JSONValue(stored: row.text(3)),
                createdAt: try row.timestamp(4), expiresAt: try row.timestamp(5), revision: try row.int(6))
        }
    }

    private static let updateTransaction = StaticStatement(
        """
        UPDATE authorization_transaction SET progress = $4, revision = revision + 1
        WHERE hash = $1 AND tenant = $2 AND revision = $3
        """)

    package func update(_ transaction: StoredLogin) async throws -> Bool {
        try await database.execute(
            Self.updateTransaction(
                transaction.hash, transaction.tenant, transaction.revision, JSONWriter.string(transaction.progress)))
            == 1
    }

    private static let endTransaction = StaticStatement(
        "DELETE FROM authorization_transaction WHERE hash = $1 AND tenant = $2 AND revision = $3")

    package func complete(_ completion: AuthorizationCompletion) async throws -> Bool {
        try await allOrNothing { connection in
            let access = completion.code.access
            if let (hash, revision) = completion.transaction {
                guard try connection.execute(Self.endTransaction(hash, access.tenant, revision)) == 1 else {
                    return false
                }
            }
            guard try Self.use(completion.session, by: access.user, tenant: access.tenant, connection) else {
                throw TakenBack()
            }
            try Self.insert(completion.code, connection)
            if let consent = completion.consent { try Self.add(consent, connection) }
            try append(completion.event, connection)
            return true
        }
    }

    private static let renewCode = StaticStatement(
        """
        UPDATE authorization_code SET hash = $2
        WHERE hash = $1 AND tenant = $3 AND redeemed = 0 AND expires_at > $4
            AND EXISTS (SELECT 1 FROM session WHERE id = authorization_code.session AND tenant = $3)
        """)

    private static let renewCookie = StaticStatement(
        """
        UPDATE session SET hash = $1 WHERE tenant = $2
            AND id = (SELECT session FROM authorization_code WHERE hash = $3 AND tenant = $2)
        """)

    package func renewCode(
        _ hash: [UInt8], as newHash: [UInt8], session: [UInt8]?, tenant: TenantID, now: Timestamp
    ) async throws -> Bool {
        try await database.write { connection in
            guard try connection.execute(Self.renewCode(hash, newHash, tenant, now)) == 1 else { return false }
            if let session { try connection.execute(Self.renewCookie(session, tenant, newHash)) }
            return true
        }
    }

    package func finish(_ transaction: StoredLogin) async throws -> Bool {
        try await database.execute(
            Self.endTransaction(transaction.hash, transaction.tenant, transaction.revision)) == 1
    }

    package func abandon(_ hash: [UInt8], tenant: TenantID, event: AuditEvent) async throws -> Bool {
        try await execute(
            "DELETE FROM authorization_transaction WHERE hash = \(hash) AND tenant = \(tenant)", recording: event)
    }

    package func push(_ request: PushedAuthorizationRequest) async throws {
        try await database.execute(
            """
            INSERT INTO pushed_request (hash, tenant, client, parameters, expires_at)
            VALUES (\(request.hash), \(request.tenant), \(request.client), \(request.parameters), \(request.expiresAt))
            """)
    }

    private static let takePushed = StaticStatement(
        """
        DELETE FROM pushed_request WHERE hash = $1 AND client = $2 AND tenant = $3 AND expires_at > $4
        RETURNING parameters
        """)

    package func takePushed(
        _ hash: [UInt8], client: ClientID, tenant: TenantID, now: Timestamp
    ) async throws -> String? {
        try await database.write { connection in
            try connection.first(Self.takePushed(hash, client, tenant, now)) { try $0.text(0) }
        }
    }
}
