package import AuthorizationCore
package import Flows
import OAuthWire
import Primitives
import SQL

extension Store: AuthorizationCodeStore {
    private static let insertCode = StaticStatement(
        """
        INSERT INTO authorization_code (hash, authorization_id, tenant, client, "user", scope, audience,
            authorization_details, auth_time, methods, context_class, session, approval, redirect_uri, code_challenge,
            nonce, created_at, expires_at, redeemed, kept_until, seal)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 0, $18, $19)
        """)

    func insert(_ code: AuthorizationCode, _ connection: any Connection) throws {
        let access = code.access
        try connection.execute(
            sealed(
                Self.insertCode(
                    code.hash, access.id, access.tenant, access.client, access.user, access.scope.description,
                    access.audience, access.authorizationDetails.map(JSONWriter.string), access.authTime,
                    access.methods.joined(separator: " "), access.contextClass, access.session,
                    access.approval?.description, code.redirectURI,
                    code.codeChallenge?.description, code.nonce, code.createdAt, code.expiresAt), .code))
    }

    private static let findCode = StaticStatement(
        "SELECT", RowSeal.code.list, ", seal, redeemed FROM authorization_code WHERE hash = $1 AND tenant = $2")

    package func code(_ hash: [UInt8], tenant: TenantID) async throws -> (code: AuthorizationCode, user: User?)? {
        try await database.read { connection in
            let found = try connection.first(Self.findCode(hash, tenant)) { row in
                try requireIntact(row, .code)
                return try AuthorizationCode(row)
            }
            guard let code = found else { return nil }
            return (code, try Self.user(code.access.user, tenant: tenant, connection))
        }
    }

    private static let redeemCode = StaticStatement(
        """
        UPDATE authorization_code SET redeemed = 1, kept_until = expires_at + $5
        WHERE hash = $1 AND tenant = $2 AND client = $3 AND redeemed = 0 AND expires_at > $4
        """)

    package func redeem(_ redemption: CodeRedemption) async throws -> Bool {
        try await allOrNothing { connection in
            let changed = try connection.execute(
                Self.redeemCode(
                    redemption.hash, redemption.tenant, redemption.client, redemption.now,
                    redemption.tokenLifetime * 1000))
            guard changed == 1 else { return false }
            if let family = redemption.refreshToken { try insert(family, connection) }
            try append(redemption.event, connection)
            return true
        }
    }
}
