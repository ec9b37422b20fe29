package import AuthorizationCore
import Glibc
import Persistence
package import Primitives
import Threads

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

    /// Makes the checks of the providers' credentials. Their clients should be watched by the witness.
    package typealias MakeCredentialChecks = @Sendable (ServerSettings, ClockWitness) throws -> [CredentialCheck]

    let settings: ServerSettings
    let scope: Scope
    let clock: any WallClock
    let timer: any AuthorizationCore.Timer
    let witness: ClockWitness
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
        witness = ClockWitness(clock)
        makeCredentialChecks = credentialChecks
    }

    /// Runs the checks, those that take long for at most `limit`.
    /// - Parameter progress: Receives the numbers of finished and of all long examinations.
    /// - Returns: The findings in the order of `DoctorCheck`.
    package func examine(
        within limit: Duration, progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
    ) async -> [DoctorFinding] {
        let begun = timer.uptime
        var findings = await fileExaminations().findings(within: limit, by: timer) { _ in }
        let isServerHere = findings.contains { $0.check == .server && $0.state == .ok }
        let left = max(limit - (timer.uptime - begun), .milliseconds(1))
        var written = [("database", databaseFile), ("write-ahead log", databaseFile + "-wal")].compactMap {
            place, path in
            DoctorFacts.changed(path).map { (place: place, time: $0) }
        }
        switch await open() {
        case .failure(let closed):
            findings.append(closed.finding)
            let missing = DoctorCheck.allCases.filter { $0.needsDatabase && $0 != .database }
            findings += missing.map { .skipped($0, settings.dataFolder, "the database cannot be read") }
        case .success(let patient):
            findings += patient.findings
            let examinations = examinations(of: patient, isServerHere: isServerHere, within: left)
                .filter { scope.checks.contains($0.check) }
            findings += await examinations.findings(within: left, by: timer) { progress($0, examinations.count) }
            if let last = try? await patient.installation.store.timeOfLastEntry() {
                written.append(("audit log", last))
            }
            await patient.installation.close()
        }
        if scope.isOffline {
            findings.removeAll { $0.check.needsNetwork }
            findings += DoctorCheck.allCases.filter(\.needsNetwork).map {
                .skipped($0, "network", "--offline was given")
            }
        }
        findings += DoctorRules.clock(
            ClockFacts(
                now: clock.now, written: written, isSynchronized: DoctorFacts.isClockSynchronized, told: witness.told))
        return DoctorCheck.allCases.filter(scope.checks.contains).flatMap { check in
            findings.filter { $0.check == check }
        }
    }

    var databaseFile: String { Installation.databaseFile(folder: settings.dataFolder) }

    /// Examinations of files, on threads of their own: a file system on a network may not answer.
    private func fileExaminations() -> [Examination] {
        let threads = Workers(threads: 4, queueLimit: 4)
        func reading(_ check: DoctorCheck, _ work: @escaping @Sendable () -> [DoctorFinding]) -> Examination {
            Examination(check: check, subject: settings.dataFolder) {
                (try? await threads.run(work)) ?? [.skipped(check, settings.dataFolder, "no thread is left")]
            }
        }
        return [
            reading(.files) { filesFindings() }, reading(.disk) { diskFindings() },
            reading(.certificates) { certificateFileFindings() }, reading(.server) { [serverFinding()] },
        ]
    }

    private func serverFinding() -> DoctorFinding {
        ServingLock.server(on: settings.dataFolder).map { .ok(.server, settings.dataFolder, "process \($0) serves it") }
            ?? .warning(
                .server, settings.dataFolder, "no server runs on this data folder",
                advice: "start it, for example with systemctl start countersign; if it runs, name its data with --data")
    }

    /// Advice to run as the folder's owner, if that is another account and may read what this one may not.
    func advice(after error: any Error) -> String? {
        guard let failure = error as? Installation.FileFailure, failure.number == EACCES,
            let owner = try? DoctorFacts.file(settings.dataFolder, as: .folder).owner, owner.number != geteuid()
        else { return nil }
        return DoctorRules.runningAs(owner.name)
    }

    private func filesFindings() -> [DoctorFinding] {
        let folder = settings.dataFolder
        do {
            let own = try DoctorFacts.file(folder, as: .folder)
            guard own.isFolder else {
                return [.fault(.files, folder, "is no folder", advice: "name the server's data folder with --data")]
            }
            var files = [own]
            var unlisted: [(path: String, reason: String, advice: String?)] = []
            // The check of the master key judges its file.
            for part in ["", "/tls"] where part.isEmpty || access(folder + part, F_OK) == 0 {
                do {
                    if !part.isEmpty { files.append(try DoctorFacts.file(folder + part, as: .folder)) }
                    for name in try DoctorFacts.names(in: folder + part) where name != "master.key" {
                        let isPublic = part == "/tls" && name.hasSuffix(".pem") && !name.hasSuffix("-key.pem")
                        let file = try DoctorFacts.file("\(folder)\(part)/\(name)", as: isPublic ? .public : .secret)
                        if !file.isFolder { files.append(file) }
                    }
                } catch {
                    unlisted.append((folder + part, "\(error)", advice(after: error)))
                }
            }
            if case .files(_, let key) = settings.tls, let file = try? DoctorFacts.file(key, as: .certificateKey) {
                files.append(file)
            }
            return DoctorRules.files(files, owner: own.owner, unlisted: unlisted)
        } catch {
            return [
                .fault(
                    .files, folder, "\(error)",
                    advice: "name the server's data folder with --data, or start countersign serve with it first")
            ]
        }
    }

    private func diskFindings() -> [DoctorFinding] {
        do {
            return DoctorRules.disk(try DoctorFacts.disk(settings.dataFolder), folder: settings.dataFolder)
        } catch {
            return [.skipped(.disk, settings.dataFolder, "\(error)")]
        }
    }
}
