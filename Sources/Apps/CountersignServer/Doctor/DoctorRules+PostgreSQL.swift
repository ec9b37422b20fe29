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
        return findings
    }

    /// Connections for administrators and backups.
    private static let reservedConnections = 5
}
