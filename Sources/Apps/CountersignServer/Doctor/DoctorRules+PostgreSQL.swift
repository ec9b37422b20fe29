import PostgreSQLDriver
import Primitives

extension DoctorRules {
    /// - Parameter needed: Connections of this node at most.
    static func server(_ facts: PostgreSQLFacts, needed: Int, now: Timestamp, place: String) -> [DoctorFinding] {
        var findings = [DoctorFinding.ok(.database, place, "PostgreSQL \(facts.version)")]
        for (name, value) in facts.durability.sorted(by: { $0.key < $1.key }) where value == "off" {
            findings.append(
                .fault(
                    .database, place, "\(name) is off, so that a crash loses changes that were acknowledged",
                    advice:
                        "turn it on in postgresql.conf, and for the account and the database (ALTER ROLE, ALTER DATABASE)"
                ))
        }
        if facts.maximumConnections < needed + reservedConnections {
            findings.append(
                .fault(
                    .database, place,
                    "the server allows \(facts.maximumConnections) connections, and one node needs \(needed)",
                    advice: "raise max_connections to \(needed) for each node, and \(reservedConnections) more"))
        } else if facts.connections + needed > facts.maximumConnections {
            findings.append(
                .warning(
                    .database, place, "\(facts.connections) of \(facts.maximumConnections) connections are taken",
                    advice: "raise max_connections to \(needed) for each node, with room for other programs"))
        }
        let difference = now.milliseconds - facts.time
        if abs(difference) > 1000 {
            findings.append(
                .warning(
                    .database, place, "its clock differs from this machine's by \(difference) ms",
                    advice: "have a time service set both clocks"))
        }
        return findings + database(facts, place: place) + access(facts, place: place) + awaited(facts, place: place)
    }

    private static func database(_ facts: PostgreSQLFacts, place: String) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        if facts.isStandby {
            findings.append(
                .fault(
                    .database, place, "it is a standby, which takes no change",
                    advice: "name the primary, or all servers with commas; nodes take the one that takes changes"))
        }
        if facts.encoding != "UTF8" {
            findings.append(
                .fault(
                    .database, place, "its encoding is \(facts.encoding), which lacks characters of people's names",
                    advice: "make another database (createdb --encoding UTF8 --template template0), and copy to it"))
        }
        if facts.isOpenToNetwork {
            findings.append(
                .warning(
                    .database, place, "the connection crosses the network without TLS",
                    advice: "turn ssl on in postgresql.conf, and leave sslmode out of the address"))
        }
        if !facts.isVacuumed {
            findings.append(
                .warning(
                    .database, place,
                    "autovacuum or track_counts is off, so that tables keep deleted rows and statements are planned without counts of rows",
                    advice: "turn both on in postgresql.conf, or VACUUM ANALYZE every hour"))
        }
        if facts.transactionAge > agedTransactions {
            let finding = "\(facts.transactionAge) transactions were not frozen; at 2,100,000,000 it refuses changes"
            let advice = "find out why autovacuum does not end (long transactions, unused replication slots), or VACUUM"
            findings.append(
                facts.transactionAge > lastTransactions
                    ? .fault(.database, place, finding, advice: advice)
                    : .warning(.database, place, finding, advice: advice))
        }
        for standby in facts.standbys where standby.bytesBehind > lateBytes {
            findings.append(
                .warning(
                    .database, place, "the standby \(standby.name) is \(inBytes(Double(standby.bytesBehind))) behind",
                    advice: "find out why it does not follow: a failover to it would lose changes or take long"))
        }
        return findings
    }

    /// Accounts that may connect, since each may hold the locks of changes and send notifications.
    private static func access(_ facts: PostgreSQLFacts, place: String) -> [DoctorFinding] {
        if facts.isOpenToAll {
            return [
                .warning(
                    .database, place,
                    "every account of the server may connect to it, hold its locks and disturb its notifications",
                    advice: "take CONNECT from PUBLIC, as docs/postgresql.md says under Setting up")
            ]
        }
        guard !facts.others.isEmpty else { return [] }
        let names = facts.others.prefix(namedAccounts).joined(separator: ", ")
        let further = facts.others.count > namedAccounts ? " and others" : ""
        return [
            .warning(
                .database, place,
                "other accounts may connect to it, hold its locks and disturb its notifications: \(names)\(further)",
                advice: "REVOKE CONNECT ON DATABASE from them. Members of pg_monitor and of pg_read_all_data, for "
                    + "monitoring and backups, are not named")
        ]
    }

    private static let namedAccounts = 5

    /// A commit that waits for a standby ends by no timeout, and its connection stays.
    private static func awaited(_ facts: PostgreSQLFacts, place: String) -> [DoctorFinding] {
        guard let awaited = facts.awaited, awaited.candidates <= awaited.needed else { return [] }
        let standbys = awaited.needed == 1 ? "one standby" : "\(awaited.needed) standbys"
        let finding =
            "changes wait for \(standbys) of \(awaited.candidates) (synchronous_standby_names): while one is away, they "
            + "are not acknowledged"
        guard facts.isAccountUnlimited else { return [.ok(.database, place, finding)] }
        return [
            .warning(
                .database, place, finding,
                advice:
                    "name a standby more; or limit the account's connections (ALTER ROLE … CONNECTION LIMIT), so that "
                    + "commits which wait do not take all, as docs/operations.md says under Failure modes")
        ]
    }

    /// Autovacuum begins at 200,000,000.
    private static let (agedTransactions, lastTransactions): (Int64, Int64) = (1_000_000_000, 1_800_000_000)
    /// A standby that follows is a few pages behind.
    private static let lateBytes: Int64 = 64_000_000

    /// Connections for administrators and backups.
    private static let reservedConnections = 5
}
