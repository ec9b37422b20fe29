@testable import MicroHTTPServer
import Testing

@testable import CountersignServer

@Suite("Metrics")
struct MetricsTests {
    private func lines(_ metrics: Metrics) async -> [String] {
        await metrics.text().split(separator: "\n").map(String.init)
    }

    private func record(
        _ path: String, _ status: Int, method: String = "POST", _ duration: Duration = .milliseconds(3),
        manner: RequestRecord.Manner = .prompt
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

    @Test("Strangers make no series: paths and methods that are not known share one name")
    func strangers() async {
        let metrics = Metrics { $0 == "/a" ? "/a" : nil }
        for number in 0..<100 { metrics.requestFinished(record("/\(number)", 404, method: "X\(number)")) }
        let counts = await lines(metrics).filter { $0.contains("_count{") }
        #expect(
            counts == [
                #"countersign_http_request_duration_seconds_count{route="other",method="other",status="404"} 100"#
            ])
    }

    @Test("A gauge is read when somebody looks")
    func gauges() async {
        let metrics = Metrics { $0 }
        metrics.add(.gauge("countersign_things", "Things.") { 7 })
        #expect(
            await lines(metrics).suffix(3) == [
                "# HELP countersign_things Things.", "# TYPE countersign_things gauge", "countersign_things 7",
            ])
    }

    @Test("Held and streamed answers are in histograms of their own")
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
}
