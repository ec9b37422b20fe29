import Audit
import Persistence
import SQL

/// A delivery queue's numbers.
struct QueueFacts: Sendable {
    let name: String
    let waiting: Int
    /// Age of the oldest waiting entry.
    let age: Duration
    /// Entries given up and kept.
    let dead: Int
    /// Those of them given up within a day.
    let recentlyDead: Int
}

extension DoctorRules {
    static let restoring = "restore a backup; docs/operations.md says how under Backups"
    static let locked = "another process has locked the database"
    static let unlocking =
        "end the process, such as a sqlite3 that somebody left open: fuser countersign.db names it. Meanwhile the "
        + "server can neither read nor write"

    /// - Parameter wayIn: Advice about the account that may read the database.
    static func database(_ error: any Error, path: String, isFile: Bool, wayIn: String? = nil) -> DoctorFinding {
        switch error {
        case MigrationError.unfinishedCopy:
            .fault(.database, path, "\(error)", advice: "docs/postgresql.md says more under Move to another engine")
        case is Installation.OlderDatabase, is MigrationError:
            .fault(
                .database, path, "\(error)",
                advice: "start the server with this version of the program, or use the version of the database")
        case let error as InstallationRefusal:
            .fault(.database, path, error.description, advice: error.hint ?? "name the installation's database")
        case let error as Installation.UnusableDatabase where error.reason == .corrupt && isFile:
            .fault(.database, path, "the file is damaged or is no database", advice: restoring)
        case let error as Installation.UnusableDatabase:
            unusable(error.reason, .database, path, "cannot be opened", isFile: isFile, wayIn: wayIn)
        case let error as SQLError:
            unusable(error, .database, path, "cannot be read", isFile: isFile, wayIn: wayIn)
        default:
            .fault(
                .database, path, "cannot be opened: \(error)",
                advice: wayIn ?? "check that this account may read the file and its folder")
        }
    }

    /// A check whose reading of the database failed.
    static func unusable(
        _ error: SQLError, _ check: DoctorCheck, _ subject: String, _ finding: String, isFile: Bool,
        wayIn: String? = nil
    ) -> DoctorFinding {
        if error == .busy, isFile { return .fault(check, subject, locked, advice: unlocking) }
        let advice = wayIn ?? Installation.UnusableDatabase.advice(after: error, isFile: isFile)
        return .fault(check, subject, "\(finding): \(error)", advice: advice ?? "run this again")
    }

    /// Size of a log that was not checkpointed for long. An idle server's has 4 MB, a busy one's 50 MB.
    static let largeLog = 200e6

    static func writeAheadLog(_ bytes: Double, path: String) -> DoctorFinding {
        bytes < largeLog
            ? .ok(.database, path, "\(inBytes(bytes)) of changes wait to be moved into the database")
            : .warning(
                .database, path, "\(inBytes(bytes)) of changes were not moved into the database",
                advice:
                    "end programs that keep the database open, such as a backup that hangs; a restart of the server "
                    + "moves all of them")
    }

    static func auditLog(_ report: VerifyAuditLog.Report) -> DoctorFinding {
        let end = report.heads.all.count == 1 ? " up to \(report.heads.all[0].place)" : ""
        guard let finding = report.finding else {
            return .ok(.auditLog, "audit log", "the last \(report.entries) entries\(end) match, and its guards stand")
        }
        return .fault(
            .auditLog, "audit log", "the end of the chain does not match: \(finding)",
            advice: "run countersign log verify, and compare with a backup; docs/operations.md says how under Audit log"
        )
    }

    /// Names of unreadable values in a finding.
    private static let namedValues = 5

    static func sealedValues(_ counts: [SealedValueCount], limit: Int) -> [DoctorFinding] {
        let faults = counts.filter { !$0.unreadable.isEmpty }.map { count in
            let further = count.unreadable.count - namedValues
            return DoctorFinding.fault(
                .sealedValues, count.table,
                "\(count.unreadable.count) of \(count.checked) "
                    + (count.isOfRows
                        ? "rows were changed by somebody without the master key and are left out: "
                        : "values cannot be opened: ")
                    + count.unreadable.prefix(namedValues).joined(separator: ", ")
                    + (further > 0 ? " and \(further) others" : ""),
                advice: count.isOfRows
                    ? "find out who can write to the database; docs/operations.md says how to go on under Changed rows"
                    : "replace them or restore a backup; countersign key-exchange --empty-unreadable gives them up")
        }
        guard faults.isEmpty else { return faults }
        let checked = counts.reduce(0) { $0 + $1.checked }
        let isPart = counts.contains { $0.checked == limit }
        return [
            .ok(
                .sealedValues, "database",
                "\(checked) sealed values and rows open" + (isPart ? "; of large tables only the first \(limit)" : ""))
        ]
    }

    /// Warns of an entry that waits for 10 minutes, as the metrics' alert does, and of entries given up within a day.
    /// - Parameter tenants: Ids of all tenants.
    static func queue(_ queue: QueueFacts, tenants: [String] = []) -> [DoctorFinding] {
        let waiting =
            queue.waiting == 0 ? "nothing waits" : "\(queue.waiting) wait, the oldest for \(queue.age.inWords)"
        var findings: [DoctorFinding] = []
        if queue.waiting > 0, queue.age > .seconds(600) {
            findings.append(
                .warning(
                    .deliveries, queue.name, waiting,
                    advice:
                        "look for the queue in the server's log; a server that does not run, a provider that does not "
                        + "answer, or a missing mail server delays deliveries"))
        }
        if queue.recentlyDead > 0 {
            findings.append(
                .warning(
                    .deliveries, queue.name,
                    "\(queue.recentlyDead) given up within a day, \(queue.dead) within 30 days",
                    advice: "find the reasons with \(listing(tenants))"))
        }
        let kept = queue.dead == 0 ? "" : "; \(queue.dead) given up within 30 days"
        return findings.isEmpty ? [.ok(.deliveries, queue.name, waiting + kept)] : findings
    }

    /// Command that lists failed deliveries.
    private static func listing(_ tenants: [String]) -> String {
        guard tenants.count > 1 else { return "countersign deliveries" }
        let named = tenants.prefix(namedTenants).joined(separator: ", ")
        let others = tenants.count > namedTenants ? " and the others" : ""
        return "countersign deliveries --tenant TENANT, for each of \(named)\(others)"
    }

    private static let namedTenants = 5

    static func refusedPushes(tenant: String, devices: Int) -> DoctorFinding {
        let phones = devices == 1 ? "1 phone" : "\(devices) phones"
        return .warning(
            .deliveries, tenant,
            "push services refused \(phones) within a week, so requests reach them only while their app is open",
            advice: "ask their owners to open the app, which registers again; countersign device list shows the phones")
    }
}
