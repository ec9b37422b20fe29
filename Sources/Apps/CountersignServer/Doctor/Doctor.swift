package import AuthorizationCore
import Persistence
package import Primitives

/// Proves that an installation works, and says what to do if it does not. Changes nothing, and may run beside a server.
package struct Doctor: Sendable {
    /// The wanted part of the checks.
    package struct Scope: Sendable {
        package var checks = Set(DoctorCheck.allCases)
        /// Nil checks every tenant.
        package var tenant: String?
        package var isOffline = false

        package init() {}
    }

    /// Makes the checks of the providers' credentials, whose clients should record servers' times.
    package typealias MakeCredentialChecks = @Sendable (ServerSettings, ServerTimes) throws -> [CredentialCheck]

    let settings: ServerSettings
    let scope: Scope
    let clock: any WallClock
    let timer: any AuthorizationCore.Timer
    let serverTimes: ServerTimes
    let makeCredentialChecks: MakeCredentialChecks

    package init(
        _ settings: ServerSettings, _ scope: Scope = Scope(), clock: any WallClock = SystemClock(),
        timer: any AuthorizationCore.Timer = SystemTimer(),
        credentialChecks: @escaping MakeCredentialChecks = { try $0.credentialChecks($1) }
    ) {
        self.settings = settings
        self.scope = scope
        self.clock = clock
        self.timer = timer
        serverTimes = ServerTimes(clock)
        makeCredentialChecks = credentialChecks
    }

    /// Runs the checks, those that take long for at most `limit`.
    /// - Parameter progress: Receives the numbers of finished and of all long examinations.
    /// - Returns: The findings in the order of `DoctorCheck`.
    package func examine(
        within limit: Duration, progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async -> [DoctorFinding] {
        let begun = timer.uptime
        // The network's findings depend on the server's.
        let files = fileExaminations().filter { scope.wants($0) || $0.checks == [.server] }
        var findings = await files.findings(within: limit, by: timer) { _ in }
        let isServerHere = findings.contains { $0.check == .server && $0.state == .ok }
        let left = max(limit - (timer.uptime - begun), .milliseconds(1))
        var written = [("database", databaseFile), ("write-ahead log", databaseFile + "-wal")].compactMap {
            place, path in
            DoctorFacts.changed(path).map { (place: place, time: $0) }
        }
        if scope.checks.contains(where: { $0.needsDatabase || $0 == .clock }) {
            switch await open() {
            case .failure(let unreadable):
                findings.append(unreadable.finding)
                let missing = DoctorCheck.allCases.filter { $0.needsDatabase && $0 != .database }
                findings += missing.map { .blocked($0, settings.dataFolder, "the database cannot be read") }
            case .success(let opened):
                findings += opened.findings
                let examinations = examinations(of: opened, isServerHere: isServerHere, within: left)
                findings += await examinations.findings(within: left, by: timer) { progress($0, examinations.count) }
                if let last = try? await opened.installation.store.timeOfLastEntry() {
                    written.append(("audit log", last))
                }
                await opened.installation.close()
            }
        }
        if scope.isOffline {
            findings.removeAll { $0.check.needsNetwork }
            findings += DoctorCheck.allCases.filter(\.needsNetwork).map {
                .skipped($0, "network", "--offline was given")
            }
        }
        findings += DoctorRules.clock(
            ClockFacts(
                now: clock.now, written: written, isSynchronized: DoctorFacts.isClockSynchronized,
                serverTimes: serverTimes.all))
        return scope.wanted(findings)
    }

    var databaseFile: String { settings.storeName }
}

extension Doctor.Scope {
    /// True if a check of the examination is wanted.
    func wants(_ examination: Examination) -> Bool { !checks.isDisjoint(with: examination.checks) }

    /// Findings of the wanted checks, and faults of those on which these depend, in the order of `DoctorCheck`.
    func wanted(_ findings: [DoctorFinding]) -> [DoctorFinding] {
        let prerequisites = checks.reduce(into: Set<DoctorCheck>()) { $0.formUnion($1.prerequisites) }
        return DoctorCheck.allCases.flatMap { check in
            findings.filter { finding in
                finding.check == check
                    && (checks.contains(check) || finding.state == .fault && prerequisites.contains(check))
            }
        }
    }
}
