package import Flows
package import Primitives
import SQL

extension Store: WorkLeaseStore {
    /// A node whose clock is wrong gets no lease, since it would delete rows that still live. No row keeps others from the
    /// work for longer than a lease and the clocks' tolerance.
    private static let leaseWork = StaticStatement { dialect in
        let clock = dialect.clock ?? "$4"
        return """
            INSERT INTO work_lease (work, owner, leased_until)
            SELECT $1, $2, $3 WHERE abs(\(clock) - $4) <= $5
            ON CONFLICT (work) DO UPDATE SET owner = excluded.owner, leased_until = excluded.leased_until
            WHERE work_lease.owner = excluded.owner OR work_lease.leased_until <= $4
                OR work_lease.leased_until > $3 + $5
            """
    }

    package func lease(
        _ work: SharedWork, to owner: String, until end: Timestamp, now: Timestamp
    ) async throws -> Bool {
        try await database.execute(
            Self.leaseWork(work.rawValue, owner, end, now, Self.clockTolerance.milliseconds)) == 1
    }
}
