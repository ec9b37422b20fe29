import Administration
import Audit
import AuthorizationCore
import Configuration
import JOSE
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import Synchronization
import X509

extension Doctor {
    /// Entries at the end of the audit log that are verified.
    private static let chainLength = 1000
    /// Values of each sealed column that are opened.
    private static let valueLimit = 1000
    /// Maximum time of one read of the database.
    private static let readLimit = Duration.seconds(10)

    /// The wanted examinations.
    /// - Parameter limit: Maximum time of all.
    func examinations(of opened: OpenedInstallation, isServerHere: Bool, within limit: Duration) -> [Examination] {
        let time = min(limit * 0.8, Self.readLimit)
        var examinations = databaseExaminations(opened, within: time) + deliveryExaminations(opened, within: time)
        let snapshot =
            opened.isMasterKeyRight && isSnapshotWanted ? Self.snapshot(of: opened.installation) : nil
        if opened.isMasterKeyRight {
            examinations += sealedExaminations(opened, snapshot, within: time)
        } else {
            examinations += DoctorCheck.allCases.filter(\.needsMasterKey).map { check in
                Examination([check], "master key") { [.blocked(check, "master key", "needs the right master key")] }
            }
        }
        if !scope.isOffline {
            examinations += networkExaminations(opened, snapshot, isServerHere: isServerHere, within: limit)
        }
        return examinations.filter(scope.wants)
    }

    /// True if a check that runs reads the configuration as a server compiles it.
    private var isSnapshotWanted: Bool {
        scope.checks.contains(.configuration) || scope.checks.contains(.certificates)
            || scope.checks.contains(.providers) && !scope.isOffline
    }

    /// An examination that reads the database, and for which an error is a finding.
    func reading(
        _ check: DoctorCheck, _ subject: String, within time: Duration,
        _ work: @escaping @Sendable () async throws -> [DoctorFinding]
    ) -> Examination {
        let isFile = settings.store.isFile
        return Examination([check], subject) {
            do { return try await work() } catch SQLError.timedOut {
                return [
                    .skipped(
                        check, subject, "too large to be checked within \(time.inWords)",
                        advice: isFile
                            ? "countersign backup reads and checks the whole database" : "give it longer with --timeout"
                    )
                ]
            } catch let error as SQLError where !isFile || error == .busy {
                return [DoctorRules.unusable(error, check, subject, "cannot be read", isFile: isFile)]
            } catch {
                return [.fault(check, subject, "cannot be read: \(error)", advice: DoctorRules.restoring)]
            }
        }
    }

    private func databaseExaminations(_ opened: OpenedInstallation, within time: Duration) -> [Examination] {
        [
            reading(.database, databaseFile, within: time) {
                let fault = try await opened.installation.store.structureFault(within: time)
                return [
                    fault.map { .fault(.database, databaseFile, $0, advice: DoctorRules.restoring) }
                        ?? .ok(.database, databaseFile, "its structure has no fault")
                ]
            },
            reading(.auditLog, "audit log", within: time) {
                [DoctorRules.auditLog(try await opened.installation.auditLog.verifyEnd(Self.chainLength))]
            },
        ]
    }

    private func deliveryExaminations(_ opened: OpenedInstallation, within time: Duration) -> [Examination] {
        let store = opened.installation.store
        let now = clock.now
        return [
            reading(.deliveries, "queues", within: time) {
                let depths = try await store.queueDepths(now: now)
                let dead = try await store.deadLetters()
                let recent = try await store.deadLetters(since: now - .seconds(86_400))
                return depths.flatMap { name, depth in
                    func count(_ letters: [(name: String, count: Int)]) -> Int {
                        letters.first { $0.name == name }?.count ?? 0
                    }
                    return DoctorRules.queue(
                        QueueFacts(
                            name: name, waiting: depth.entries, age: depth.age, dead: count(dead),
                            recentlyDead: count(recent)), tenants: opened.allTenants.map(\.rawValue))
                }
            },
            reading(.deliveries, "phones", within: time) {
                let refused = try await store.refusedPushes(since: now - .seconds(7 * 86_400), within: time)
                return opened.tenants.map(\.tenant.id).compactMap { tenant in
                    refused[tenant].map { DoctorRules.refusedPushes(tenant: tenant.rawValue, devices: $0) }
                }
            },
        ]
    }

    /// - Parameter snapshot: Nil if no wanted check reads it.
    private func sealedExaminations(
        _ opened: OpenedInstallation, _ snapshot: SharedSnapshot?, within time: Duration
    ) -> [Examination] {
        var examinations = [
            reading(.sealedValues, "database", within: time) {
                DoctorRules.sealedValues(
                    try await opened.installation.store.sealedValues(
                        Self.valueLimit, within: time, opening: opened.installation.vault), limit: Self.valueLimit)
            }
        ]
        if let snapshot {
            examinations.append(configurationExamination(opened, snapshot, within: time))
            examinations.append(pushCertificateExamination(opened, snapshot, within: time))
        }
        return examinations
            + opened.tenants.map { tenant in
                Examination([.keys], tenant.tenant.id.rawValue) {
                    DoctorRules.keys(KeyFacts(tenant, opened.installation.keys))
                }
            }
    }

    /// Judges the certificates by which tenants send to Apple's push service.
    private func pushCertificateExamination(
        _ opened: OpenedInstallation, _ snapshot: SharedSnapshot, within time: Duration
    ) -> Examination {
        reading(.certificates, "push services", within: time) {
            let (wanted, now) = (Set(opened.tenants.map(\.tenant.id)), clock.now)
            return try await snapshot.value.configuration.tenants.flatMap { tenant -> [DoctorFinding] in
                guard wanted.contains(tenant.tenant.id), let apple = tenant.pushServices.apple,
                    case .certificate(let identity) = apple.proof
                else { return [] }
                return DoctorRules.pushCertificate(
                    identity.certificate, of: "\(tenant.tenant.id): APNs \(apple.bundleID)", now: now)
            }
        }
    }

    /// Compiles the configuration as a server does. Keys that cannot be opened are left to their own check.
    private func configurationExamination(
        _ opened: OpenedInstallation, _ snapshot: SharedSnapshot, within time: Duration
    ) -> Examination {
        reading(.configuration, "tenants", within: time) {
            let problems = try await snapshot.value.problems
            let closed = opened.tenants.flatMap { KeyFacts($0, opened.installation.keys).problems }
            let faults = problems.filter { !closed.contains($0) }.map { problem in
                DoctorFinding.fault(
                    .configuration, "tenants", problem,
                    advice: "correct the tenant's configuration, with countersign apply or the command of that object")
            }
            let count = opened.tenants.count
            if !faults.isEmpty || count == 0 { return faults }
            return [.ok(.configuration, "tenants", count == 1 ? "1 tenant is usable" : "\(count) tenants are usable")]
        }
    }

    /// The configuration as a server would use it, and the problems that it would log.
    typealias SharedSnapshot = Task<(configuration: ConfigurationSnapshot, problems: [String]), any Error>

    private static func snapshot(of installation: Installation) -> SharedSnapshot {
        Task {
            let problems = Problems()
            let cache = ConfigurationCache(
                store: installation.store, keys: installation.keys, hashing: OpenSSLHashing(),
                sealer: installation.vault, schemas: installation.schemas
            ) { problems.append($0) }
            _ = try await cache.refresh()
            return (cache.current, problems.all)
        }
    }
}

/// Problems that a configuration's compilation reports.
private final class Problems: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func append(_ text: String) { texts.withLock { $0.append(text) } }
}

extension KeyFacts {
    /// Tries the keys that sign.
    init(_ stored: StoredTenant, _ keys: SealedKeys) {
        func problem(_ open: () throws -> any Signer) -> String? {
            do {
                _ = try open()
                return nil
            } catch {
                return "\(error)"
            }
        }
        self.init(
            tenant: stored.tenant.id.rawValue,
            keys: stored.signingKeys.map { key in
                let signs = key.status == .current || key.status == .next || !key.isIntact
                return Key(
                    algorithm: key.algorithm, status: key.status,
                    problem: signs ? problem { try keys.signer(for: key) } : nil)
            },
            webPush: stored.webPushKey.map { key in
                problem { try keys.signer(for: key) }.map { .failure(Problem(text: $0)) } ?? .success(())
            })
    }

    fileprivate var problems: [String] {
        var problems = keys.compactMap(\.problem)
        if case .failure(let problem) = webPush { problems.append(problem.text) }
        return problems
    }
}
