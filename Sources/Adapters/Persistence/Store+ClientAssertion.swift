package import AuthorizationCore
import Flows
package import Primitives
import SQL

extension Store: ClientAssertionStore {
    private static let useAssertion = StaticStatement(
        "INSERT INTO client_assertion (hash, tenant, expires_at) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING")

    package func use(assertion hash: [UInt8], tenant: TenantID, until end: Timestamp) async throws -> Bool {
        try await database.execute(Self.useAssertion(hash, tenant, end)) == 1
    }

    private static let forgetAssertions = StaticStatement(
        """
        DELETE FROM client_assertion WHERE hash IN
            (SELECT hash FROM client_assertion WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)
        """)

    private static let findForgotten = StaticStatement("SELECT 1 FROM client_assertion WHERE expires_at < $1 LIMIT 1")

    /// Deletes assertions that expired before `end`. Only reads if there are none.
    package func sweepAssertions(endedBefore end: Timestamp) async throws {
        while try await database.read({ try $0.exists(Self.findForgotten(end)) }) {
            try await database.execute(Self.forgetAssertions(end, Self.sweepBatch))
        }
    }
}
