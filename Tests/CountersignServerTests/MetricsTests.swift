import Audit
import AuthorizationCore
import Delivery
import Flows
@testable import MicroHTTPServer
import Persistence
import Primitives
import TestSupport
import Testing

@testable import CountersignServer

@Suite("Metrics")
struct MetricsTests {
    private func lines(_ metrics: Metrics) async -> [String] {
        await metrics.text().split(separator: "\n").map(String.init)
    }

    private func record(
        _ path: String, _ status: Int, method: String = "POST", _ duration: Duration = .milliseconds(3),
        manner: RequestRecord.Manner = .immediate
    ) -> RequestRecord {
        RequestRecord(
            id: "1", method: method, path: path, status: status, outcome: .completed, duration: duration,
            requestBytes: 1, responseBytes: 1, remoteAddress: "127.0.0.1", clientAddress: nil,
            manner: manner)
    }

    @Test("Prometheus: buckets are cumulative, and the last is the count")
    func buckets() async {
        let metrics = Metrics { $0 }
        for milliseconds in [1, 3, 40, 90_000] {
            metrics.requestFinished(record("/a", 200, .milliseconds(milliseconds)))
        }
        let labels = #"route="/a",method="POST",status="200""#
        let name = "countersign_http_request_duration_seconds"
        let lines = await lines(metrics)
        let buckets = lines.filter { $0.hasPrefix("\(name)_bucket{\(labels)") }.compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(buckets == [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4])
        #expect(lines.contains("\(name)_count{\(labels)} 4"))
        #expect(lines.contains("\(name)_sum{\(labels)} 90.044"))
        #expect(lines.contains(#"\#(name)_bucket{\#(labels),le="+Inf"} 4"#))
    }

    @Test("Unknown paths and methods share one label, so that requests create no new series")
    func strangers() async {
        let metrics = Metrics { $0 == "/a" ? "/a" : nil }
        for number in 0..<100 { metrics.requestFinished(record("/\(number)", 404, method: "X\(number)")) }
        let counts = await lines(metrics).filter { $0.contains("_count{") }
        #expect(
            counts == [
                #"countersign_http_request_duration_seconds_count{route="other",method="other",status="404"} 100"#
            ])
    }

    @Test("A gauge is read at each scrape")
    func gauges() async {
        let metrics = Metrics { $0 }
        metrics.add(.gauge("countersign_things", "Things.") { 7 })
        #expect(
            await lines(metrics).suffix(3) == [
                "# HELP countersign_things Things.", "# TYPE countersign_things gauge", "countersign_things 7",
            ])
    }

    @Test("Held and streamed answers have their own histograms")
    func manners() async {
        let metrics = Metrics { $0 }
        metrics.requestFinished(record("/oauth/token", 200, .seconds(25), manner: .held))
        metrics.requestFinished(record("/events", 200, .seconds(3000), manner: .streamed))
        metrics.requestFinished(record("/oauth/token", 200))
        let counts = await lines(metrics).filter { $0.contains("_count{") }
        #expect(
            counts == [
                #"countersign_http_request_duration_seconds_count{route="/oauth/token",method="POST",status="200"} 1"#,
                #"countersign_http_held_request_duration_seconds_count{route="/oauth/token",method="POST",status="200"} 1"#,
                #"countersign_http_stream_duration_seconds_count{route="/events",method="POST",status="200"} 1"#,
            ])
    }

    @Test("Deliveries are counted by queue and outcome, beginning at zero, and dead letters by queue")
    func deliveries() async throws {
        let made = try await TemporaryStore()
        let clock = ManualClock()
        let worker = DeliveryWorker(
            store: made.store, couriers: [], decisions: DecisionHub(), owner: "node", clock: clock,
            timer: ManualTimer(clock)
        ) { _, _ in }
        let metrics = Metrics { $0 }
        metrics.addDeliveries(worker)
        worker.counters(of: .logoutNotices).postponed.increment()
        worker.counters(of: .applePushes).undeliverable.increment()
        worker.counters(of: .googlePushes).skipped.increment()
        let counts = await lines(metrics).filter { !$0.hasPrefix("#") }
        #expect(counts.count == 30)
        #expect(counts.first == #"countersign_deliveries_total{queue="notifications",outcome="sent"} 0"#)
        #expect(
            counts.filter { !$0.hasSuffix(" 0") } == [
                #"countersign_deliveries_total{queue="apns",outcome="undeliverable"} 1"#,
                #"countersign_deliveries_total{queue="fcm",outcome="skipped"} 1"#,
                #"countersign_deliveries_total{queue="logout_notices",outcome="postponed"} 1"#,
            ])
    }

    @Test("Audit events are counted by outcome, beginning at zero")
    func events() async throws {
        let made = try await TemporaryStore()
        let metrics = Metrics { $0 }
        metrics.addEvents(of: made.store)
        #expect(await lines(metrics).contains(#"countersign_backchannel_requests_decided_total{outcome="rejected"} 0"#))
        let kinds: [AuditEvent.Kind] = [
            .backchannelStarted, .backchannelStarted, .approved, .rejected, .reported, .wrongNumber, .expired,
            .cancelled,
            .exchanged, .loggedIn, .wrongPassword, .unknownUser, .refreshTokenReused, .notificationFailed,
            .clientCredentialsExchanged, .moved, .oldServerFailed,
        ]
        try await made.store.record(kinds.map { AuditEvent($0, tenant: TenantID("dev"), at: Samples.start) })
        let lines = await lines(metrics).filter { !$0.hasPrefix("#") && !$0.hasSuffix(" 0") }
        #expect(
            lines == [
                "countersign_backchannel_requests_started_total 2",
                #"countersign_backchannel_requests_decided_total{outcome="approved"} 1"#,
                #"countersign_backchannel_requests_decided_total{outcome="rejected"} 1"#,
                #"countersign_backchannel_requests_decided_total{outcome="reported"} 1"#,
                #"countersign_backchannel_requests_decided_total{outcome="wrong_number"} 1"#,
                "countersign_backchannel_requests_expired_total 1",
                "countersign_backchannel_requests_withdrawn_total 1",
                "countersign_backchannel_requests_redeemed_total 1",
                #"countersign_logins_total{outcome="succeeded"} 1"#,
                #"countersign_logins_total{outcome="wrong_password"} 1"#,
                #"countersign_logins_total{outcome="unknown_user"} 1"#,
                #"countersign_people_moved_total{outcome="moved"} 1"#,
                #"countersign_people_moved_total{outcome="failed"} 1"#,
                #"countersign_tokens_issued_total{grant="ciba"} 1"#,
                #"countersign_tokens_issued_total{grant="client_credentials"} 1"#,
                "countersign_refresh_tokens_reused_total 1", "countersign_audit_entries_total 17",
            ])
    }
}
