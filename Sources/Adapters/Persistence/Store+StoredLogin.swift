package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: BeginStore {
    private static let insertTransaction = StaticStatement(
        """
        INSERT INTO authorization_transaction (hash, tenant, client, page, browser_hash, parameters, progress,
            created_at, expires_at, revision, seal)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        """)

    package func create(_ transaction: StoredLogin) async throws {
        try await database.execute(
            sealed(
                Self.insertTransaction(
                    transaction.hash, transaction.tenant, transaction.goal.client, transaction.goal.page,
                    transaction.browserHash,
                    transaction.parameters, JSONWriter.string(transaction.progress), transaction.createdAt,
                    transaction.expiresAt, transaction.revision), .login))
    }

    private static let findTransaction = StaticStatement(
        "SELECT", RowSeal.login.list,
        ", seal FROM authorization_transaction WHERE hash = $1 AND tenant = $2 AND expires_at > $3")

    package func transaction(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> StoredLogin? {
        try await database.first(Self.findTransaction(hash, tenant, now)) { row in
            let bound = try BoundRow(row, .login)
            guard try isIntact(bound, .login) else {
                _ = changed(bound, .login)
                return nil
            }
            return StoredLogin(
                hash: hash, tenant: tenant, goal: try StoredLogin.Goal(row, at: 2), browserHash: try row.blob(4),
                parameters: try row.text(5), progress: try JSONValue(stored: row.text(6)),
                createdAt: try row.timestamp(7), expiresAt: try row.timestamp(8), revision: try row.int(9))
        } ?? nil
    }

    private static let updateTransaction = StaticStatement(
        """
        UPDATE authorization_transaction SET progress = $7, revision = $10, seal = $11
        WHERE hash = $1 AND tenant = $2 AND revision = $10 - 1 AND client IS NOT DISTINCT FROM $3
            AND page IS NOT DISTINCT FROM $4 AND browser_hash = $5 AND parameters = $6 AND created_at = $8
            AND expires_at = $9
        """)

    package func update(_ transaction: StoredLogin) async throws -> Bool {
        try await database.execute(
            sealed(
                Self.updateTransaction(
                    transaction.hash, transaction.tenant, transaction.goal.client, transaction.goal.page,
                    transaction.browserHash,
                    transaction.parameters, JSONWriter.string(transaction.progress), transaction.createdAt,
                    transaction.expiresAt, transaction.revision + 1), .login)) == 1
    }

    private static let endTransaction = StaticStatement(
        "DELETE FROM authorization_transaction WHERE hash = $1 AND tenant = $2 AND revision = $3")

    package func complete(_ completion: AuthorizationCompletion) async throws -> Bool {
        try await allOrNothing { connection in
            let access = completion.code.access
            if completion.consent != nil { try connection.lock(access.user, in: access.tenant) }
            if let (hash, revision) = completion.transaction {
                guard try connection.execute(Self.endTransaction(hash, access.tenant, revision)) == 1 else {
                    return false
                }
            }
            guard try Self.use(completion.session, by: access.user, tenant: access.tenant, connection) else {
                throw TakenBack()
            }
            try insert(completion.code, connection)
            if let consent = completion.consent { try add(consent, connection) }
            try append(completion.event, connection)
            return true
        }
    }

    package func renewCode(
        _ hash: [UInt8], as newHash: [UInt8], session: [UInt8]?, tenant: TenantID, now: Timestamp
    ) async throws -> Bool {
        try await database.write { connection in
            let code: SQLFragment = """
                hash = \(hash) AND tenant = \(tenant) AND redeemed = 0 AND expires_at > \(now)
                    AND EXISTS (SELECT 1 FROM session WHERE id = authorization_code.session AND tenant = \(tenant))
                """
            guard try rewrite(.code, where: code, setting: [("hash", .blob(newHash))], connection) else { return false }
            if let session {
                let own: SQLFragment = """
                    tenant = \(tenant)
                        AND id = (SELECT session FROM authorization_code WHERE hash = \(newHash) AND tenant = \(tenant))
                    """
                _ = try rewrite(.session, where: own, setting: [("hash", .blob(session))], connection)
            }
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
            sealed(
                Self.insertPushed(
                    request.hash, request.tenant, request.client, request.parameters, request.expiresAt),
                .pushedRequest))
    }

    private static let insertPushed = StaticStatement(
        "INSERT INTO pushed_request (", RowSeal.pushedRequest.list, ", seal) VALUES ($1, $2, $3, $4, $5, $6)")

    private static let takePushed = StaticStatement(
        """
        DELETE FROM pushed_request WHERE hash = $1 AND client = $2 AND tenant = $3 AND expires_at > $4 RETURNING
        """, RowSeal.pushedRequest.list, ", seal")

    package func takePushed(
        _ hash: [UInt8], client: ClientID, tenant: TenantID, now: Timestamp
    ) async throws -> String? {
        try await database.write { connection in
            try connection.first(Self.takePushed(hash, client, tenant, now)) { row in
                let bound = try BoundRow(row, .pushedRequest)
                guard try isIntact(bound, .pushedRequest) else {
                    _ = changed(bound, .pushedRequest)
                    return nil
                }
                return try row.text(3)
            } ?? nil
        }
    }
}

extension StoredLogin.Goal {
    fileprivate var client: ClientID? { if case .client(let client) = self { client } else { nil } }
    fileprivate var page: String? { if case .page(let page) = self { page.rawValue } else { nil } }

    /// Reads `client` and `page`, of which one is null, beginning at column `first`.
    fileprivate init(_ row: borrowing Row, at first: Int) throws {
        guard let text = try row.optionalText(first + 1) else {
            self = .client(try row.id(first))
            return
        }
        guard let page = OwnPage(rawValue: text) else { throw CorruptRow(what: "page") }
        self = .page(page)
    }
}
