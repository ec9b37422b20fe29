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
        return findings + database(facts, place: place)
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

    /// Autovacuum begins at 200,000,000.
    private static let (agedTransactions, lastTransactions): (Int64, Int64) = (1_000_000_000, 1_800_000_000)
    /// A standby that follows is a few pages behind.
    private static let lateBytes: Int64 = 64_000_000

    /// Connections for administrators and backups.
    private static let reservedConnections = 5
}
