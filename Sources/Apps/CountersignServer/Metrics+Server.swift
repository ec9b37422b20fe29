import Audit
import AuthorizationCore
import Configuration
import Flows
import MicroHTTPServer
import Persistence
import Primitives
import Routing
import SQL

extension Metrics {
    /// Counts audit events when their change is committed.
    func addEvents(of store: Store) {
        func count(_ kinds: [AuditEvent.Kind]) -> @Sendable () -> Int {
            { kinds.reduce(0) { $0 + (store.eventCounts[$1] ?? 0) } }
        }
        func counts(_ values: [(String, AuditEvent.Kind)]) -> @Sendable () -> [(value: String, count: Int)] {
            { values.map { ($0.0, store.eventCounts[$0.1] ?? 0) } }
        }
        add(
            .counter(
                "countersign_backchannel_requests_started_total", "Backchannel requests started.",
                read: count([.backchannelStarted])),
            .counters(
                "countersign_backchannel_requests_decided_total",
                "Backchannel requests that a user approved or rejected.",
                label: "outcome",
                read: counts([
                    ("approved", .approved), ("rejected", .rejected), ("reported", .reported),
                    ("wrong_number", .wrongNumber),
                ])),
            .counter(
                "countersign_backchannel_requests_expired_total",
                "Backchannel requests that expired without an answer.",
                read: count([.expired])),
            .counter(
                "countersign_backchannel_requests_withdrawn_total",
                "Backchannel requests that their client withdrew.", read: count([.cancelled])),
            .counter(
                "countersign_backchannel_requests_rerouted_total",
                "Backchannel requests that went on by another channel, because the first one reached nobody.",
                read: count([.rerouted])),
            .counter(
                "countersign_backchannel_requests_undelivered_total",
                "Backchannel requests that ended because no channel reached anybody.", read: count([.undelivered])),
            .counter(
                "countersign_backchannel_requests_tampered_total",
                "Refusals of backchannel requests and decisions that were changed in the database.",
                read: count([.requestTampered])),
            .counter(
                "countersign_rows_tampered_total",
                "Rows of configuration, sessions and grants that were left out, because they were changed in the database.",
                read: { store.changedRowCount }),
            .counter(
                "countersign_backchannel_requests_redeemed_total",
                "Approved backchannel requests that clients redeemed for tokens.", read: count([.exchanged])),
            .counters(
                "countersign_logins_total",
                "Logins by outcome; attempts without an account count only if the audit log records them.",
                label: "outcome",
                read: counts([
                    ("succeeded", .loggedIn), ("failed", .loginFailed), ("wrong_password", .wrongPassword),
                    ("unknown_user", .unknownUser), ("account_blocked", .accountBlocked),
                    ("address_blocked", .addressBlocked), ("wrong_second_factor", .multiFactorFailed),
                ])),
            .counters(
                "countersign_people_moved_total", "People of tenants' old servers by outcome.", label: "outcome",
                read: counts([("moved", .moved), ("refused", .moveRefused), ("failed", .oldServerFailed)])),
            .counters(
                "countersign_tokens_issued_total", "Token responses by grant.", label: "grant",
                read: counts([
                    ("ciba", .exchanged), ("authorization_code", .codeExchanged),
                    ("refresh_token", .refreshTokenExchanged), ("client_credentials", .clientCredentialsExchanged),
                ])),
            .counter(
                "countersign_refresh_tokens_reused_total",
                "Refresh tokens presented again after their replacement, which revokes their family.",
                read: count([.refreshTokenReused])),
            .counter(
                "countersign_audit_entries_total", "Audit entries appended by this process.",
                read: count(AuditEvent.Kind.allCases)))
    }

    func addListeners(_ listeners: Listeners, _ counts: ListenerCounts) {
        add(
            .counter(
                "countersign_accept_failures_total", "Connections that the system refused because it lacked resources."
            ) { counts.acceptFailures.count },
            .gauge("countersign_http_connections", "Open connections.") {
                Double(listeners.http.openConnections + (listeners.mtls?.openConnections ?? 0))
            },
            .gauge(
                "countersign_http_body_bytes", "Memory for request bodies that counts against their limit, in bytes."
            ) { Double(listeners.http.bodyBytes + (listeners.mtls?.bodyBytes ?? 0)) },
            .counter(
                "countersign_http_bodies_refused_total",
                "Request bodies refused because all of them together would take too much memory."
            ) { counts.refusedBodies.count })
    }

    /// Requests that wait, budgets, and what is served.
    func addUse(of parts: ServerParts) {
        let (flows, configuration, limit) = (parts.flows, parts.configuration, parts.detailsCheckLimit)
        let admission = parts.admission
        add(
            .counters(
                "countersign_overload_refusals_total",
                "Requests refused before any work, because the server had more to do than it can.", label: "work"
            ) { admission.refused.map { ($0.work.rawValue, $0.count) } },
            .gauge("countersign_held_token_requests", "Token requests held for a decision.") {
                Double(flows.hub.waiting)
            },
            .counter(
                "countersign_details_check_refusals_total",
                "Requests refused because checking authorization_details would take too many steps."
            ) { limit.refusals },
            .counters(
                "countersign_actions_refused_total", "Requests refused because the budget of their actor is used up.",
                label: "actor"
            ) { flows.budgets.refusals.map { ($0.kind.rawValue, $0.count) } },
            .gauge("countersign_device_streams", "Open device channels.") { Double(flows.channel.openStreams) },
            .gauge("countersign_tenants", "Tenants served.") { Double(configuration.current.tenants.count) })
    }

    /// Queues, and the database's load.
    func addStore(_ store: Store, _ database: any ServedDatabase, file: String?, clock: any WallClock) {
        add(
            .gauges("countersign_queue_entries", "Entries that wait for delivery.", label: "queue") {
                (try? await store.queueDepths(now: clock.now))?.map { ($0.name, Double($0.depth.entries)) } ?? []
            },
            .gauges(
                "countersign_queue_oldest_age_seconds", "Time since the oldest entry of a queue was written.",
                label: "queue"
            ) { (try? await store.queueDepths(now: clock.now))?.map { ($0.name, $0.depth.age.inSeconds) } ?? [] },
            .gauges("countersign_dead_letters", "Entries that were given up, kept for 30 days.", label: "queue") {
                (try? await store.deadLetters())?.map { ($0.name, Double($0.count)) } ?? []
            },
            .gauge("countersign_store_queued_changes", "Changes that wait for a connection that changes.") {
                Double(database.queuedChanges)
            },
            .histogram(
                "countersign_store_queue_wait_seconds", "Time that changes waited for a connection that changes."
            ) {
                database.measurements.waits
            },
            .histogram(
                "countersign_store_commit_duration_seconds", "Duration of commits, including the sync to disk."
            ) { database.measurements.commits },
            .histogram("countersign_store_commit_changes", "Changes per commit.") { database.measurements.changes })
        // A server has metrics of its own.
        guard let file else { return }
        add(
            .gauge("countersign_store_size_bytes", "Size of the database file.") { ProcessFacts.size(of: file) },
            .gauge("countersign_store_log_size_bytes", "Size of the database's write-ahead log.") {
                ProcessFacts.size(of: file + "-wal") ?? 0
            })
    }

    func addDeliveries(_ worker: DeliveryWorker) {
        add(
            .counters("countersign_deliveries_total", "Attempts to deliver an entry of a queue, by outcome.") {
                DeliveryQueue.allCases.flatMap { queue in
                    let tries = worker.counters(of: queue)
                    return [
                        ("sent", tries.sent), ("postponed", tries.postponed), ("given_up", tries.givenUp),
                        ("undeliverable", tries.undeliverable), ("skipped", tries.skipped),
                    ].map { ([("queue", queue.rawValue), ("outcome", $0)], $1.count) }
                }
            })
    }

    func addMailBudgets(_ budgets: [MailBudget]) {
        add(
            .counters(
                "countersign_mail_budget_refusals_total",
                "Mails that the operator's mail server did not send, or not yet, because a tenant's budget was used up."
            ) {
                MailBudget.Bound.allCases.map { bound in
                    ([("budget", bound.rawValue)], budgets.reduce(0) { $0 + $1.refusals(by: bound) })
                }
            })
    }

    func addTraces(dropped: Counter, exported: Counter) {
        add(
            .counters(
                "countersign_trace_spans_total", "Spans that a collector took, and that were dropped.", label: "outcome"
            ) { [("exported", exported.count), ("dropped", dropped.count)] })
    }

    func addProcess() {
        add(
            .gauge("process_resident_memory_bytes", "Resident memory in bytes.") { ProcessFacts.residentBytes },
            .gauge("process_open_fds", "Open file descriptors.") { ProcessFacts.openFiles },
            .gauge("process_max_fds", "Maximum number of open file descriptors.") { ProcessFacts.openFilesLimit },
            .gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.") {
                ProcessFacts.startTime
            },
            .gauge(
                "countersign_build_info", "Version of the server, and Swift version of its compiler.",
                labels: [("version", Release.version), ("swift", ProcessFacts.swift)]
            ) { 1 })
    }
}
