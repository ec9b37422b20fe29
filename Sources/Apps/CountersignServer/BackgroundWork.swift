import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import MicroHTTPServer
import OpenSSLCrypto
import Persistence
import Primitives

/// Work of a server between requests.
struct BackgroundWork: Sendable {
    let installation: Installation
    let configuration: ConfigurationCache
    let delivery: DeliveryWorker
    let others: OtherNodes
    /// Nil without TLS. The identity is the one that the listeners started with.
    let certificate: (watch: CertificateWatch, first: TLSIdentity)?
    /// Nil exports no traces.
    let traces: TraceExport?
    /// Time for which ended requests are kept.
    let retention: Duration
    let clock: any WallClock
    let timer: any AuthorizationCore.Timer
    let log: Log

    /// Works until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            if let certificate { group.addTask { await certificate.watch.run(certificate.first) } }
            if let traces { group.addTask { await traces.run() } }
            group.addTask { await delivery.run() }
            group.addTask {
                await others.run { log.write(.error, "other nodes not heard", ["problem": $0]) }
            }
            group.addTask { await noteAuditHeads() }
            group.addTask { await signTreeHeads() }
            group.addTask { await sweep() }
            group.addTask { await takeUpChanges() }
            group.addTask { await retireKeys() }
            group.addTask { await workJobs() }
        }
    }

    /// Does `work`, and logs its failure as `event`.
    private func attempt(_ event: StaticString, _ work: () async throws -> Void) async {
        do { try await work() } catch  where error.isToldElsewhere {} catch {
            log.write(.error, event, ["problem": "\(error)"])
        }
    }

    /// Counts pending requests, and deletes expired rows: one step a second, or without pauses while it is behind. A node
    /// that leaves this to another counts once a minute.
    private func sweep() async {
        await attempt("pending requests not counted") {
            try await installation.store.countPending(now: clock.now)
        }
        var lease = others.lease(of: .cleanup)
        var countedAt = timer.uptime
        var cursor = SweepCursor()
        var past = SteadyPast(now: clock.now, uptime: timer.uptime)
        while (try? await timer.sleep(cursor.isBehind ? .zero : .seconds(1))) != nil {
            await attempt("sweep failed") {
                let now = clock.now
                guard try await lease.isHeld(now: now) else {
                    guard timer.uptime - countedAt >= .seconds(60) else { return }
                    countedAt = timer.uptime
                    return try await installation.store.recountPending(now: now)
                }
                let current = configuration.current
                _ = try await installation.store.sweep(&cursor, endedBefore: now - retention, now: now) { tenant in
                    current.tenant(id: tenant)?.tenant.settings.approvalRetention ?? 0
                }
                try await installation.store.sweepApprovals(now: now)
                if let end = past.end(now: now, uptime: timer.uptime) {
                    try await installation.store.sweepUsedTokens(endedBefore: end)
                }
            }
        }
    }

    /// Once an hour, stops publishing keys that signed nothing still valid.
    private func retireKeys() async {
        var lease = others.lease(of: .cleanup)
        var past = SteadyPast(now: clock.now, uptime: timer.uptime)
        while (try? await timer.sleep(.seconds(3600))) != nil {
            await attempt("signing keys not retired") {
                guard let end = past.end(now: clock.now, uptime: timer.uptime),
                    try await lease.isHeld(now: clock.now)
                else { return }
                for key in try await installation.signingKeys.retire(endedBefore: end, now: clock.now) {
                    log.write(.info, "signing key retired", ["tenant": "\(key.tenant)", "kid": key.id.rawValue])
                }
            }
        }
    }

    /// Imports and exports users, part by part, without pauses while there are jobs. A command beside the server works its
    /// own, so the store decides which part is whose.
    private func workJobs() async {
        var lease = others.lease(of: .jobs)
        let pace = JobPace()
        var isBusy = false
        while (try? await timer.sleep(isBusy ? .zero : .seconds(1))) != nil {
            isBusy = false
            await attempt("jobs not worked") {
                guard try await lease.isHeld(now: clock.now) else { return }
                isBusy = try await installation.userJobs.work(now: clock.now, pace: pace) { problem in
                    log.write(.error, "job not worked", ["problem": problem])
                }
            }
        }
    }

    private func takeUpChanges() async {
        while (try? await timer.sleep(.seconds(1))) != nil {
            await attempt("configuration not reloaded") {
                if try await configuration.refresh() { log.write(.info, "configuration reloaded") }
            }
        }
    }

    /// Logs the heads, because a person who can rewrite the database may not reach a collected log.
    private func noteAuditHeads() async {
        repeat {
            await attempt("audit log not read") {
                let heads = try await installation.store.auditHeads()
                guard heads != AuditHeads() else { return }
                let treeHead = try await installation.store.lastTreeHead().flatMap {
                    AuditTreeHead($0.statement, OpenSSLHashing())
                }
                log.write(
                    .info, "audit log",
                    ["head": heads.description, "tree_head": treeHead?.id.description ?? "none"])
            }
        } while (try? await timer.sleep(.seconds(3600))) != nil
    }

    /// Once a minute, binds the lanes of the audit log together. Nodes do so in turns.
    private func signTreeHeads() async {
        var known: AuditTreeHead.ID?
        while (try? await timer.sleep(Installation.treeHeadInterval)) != nil {
            await attempt("audit log not signed") {
                if let signed = try await installation.signTreeHead(after: known, now: clock.now) { known = signed.id }
            }
        }
    }
}
