package import Flows
package import Primitives
import SQL

extension Store: WorkLeaseStore {
    private static let leaseWork = StaticStatement(
        """
        INSERT INTO work_lease (work, owner, leased_until) VALUES ($1, $2, $3)
        ON CONFLICT (work) DO UPDATE SET owner = excluded.owner, leased_until = excluded.leased_until
        WHERE work_lease.owner = excluded.owner OR work_lease.leased_until <= $4
        """)

    package func lease(
        _ work: SharedWork, to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Bool {
        try await database.execute(Self.leaseWork(work.rawValue, owner, end, now)) == 1
    }
}
