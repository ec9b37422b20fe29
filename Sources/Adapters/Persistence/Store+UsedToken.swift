package import AuthorizationCore
import Flows
package import Primitives
import SQL

extension Store: OneTimeValueStore {
    private static let useValue = StaticStatement(
        "INSERT INTO used_token (hash, tenant, expires_at) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING")

    package func use(_ hash: [UInt8], tenant: TenantID, until end: Timestamp) async throws -> Bool {
        try await database.execute(Self.useValue(hash, tenant, end)) == 1
    }

    private static let useProof = StaticStatement(
        """
        INSERT INTO used_token (hash, tenant, expires_at) VALUES ($1, $2, $3)
        ON CONFLICT (hash) DO UPDATE SET expires_at = excluded.expires_at WHERE used_token.expires_at <= $4
        """)

    /// Uses a proof up within a transaction. False if it was used before. Another proof with the `jti` of an expired one
    /// is not the same.
    static func use(
        _ proof: UsedProof, tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws -> Bool {
        try connection.execute(useProof(proof.hash, tenant, proof.expiresAt, now)) == 1
    }

    private static let forgetUsed = StaticStatement { dialect in
        """
        DELETE FROM used_token WHERE hash IN
            (SELECT hash FROM used_token WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 \(dialect.holding(.skipping)))
        """
    }

    /// In the order of its index, without which a planner may read the whole table to find none.
    private static let findForgotten = StaticStatement(
        "SELECT 1 FROM used_token WHERE expires_at < $1 ORDER BY expires_at LIMIT 1")

    /// Deletes assertions and proofs that expired before `end`. Only reads if there are none.
    package func sweepUsedTokens(endedBefore end: Timestamp) async throws {
        // Another sweep may have the rest.
        while try await database.read({ try $0.exists(Self.findForgotten(end)) }),
            try await database.execute(Self.forgetUsed(end, Self.sweepBatch)) > 0
        {}
    }
}
