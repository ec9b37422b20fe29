import AuthorizationCore
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing
import Tracing

@testable import CountersignServer

@Suite("OpenTelemetry: spans reach a collector by OTLP over HTTP")
struct TraceExportTests {
    /// A collector that gives the answers in turn, and then accepts everything.
    private final class Collector: HTTPClient {
        private let state: Mutex<(answers: [ClientResponse], requests: [ClientRequest])>

        init(_ answers: [(status: Int, body: String)] = []) {
            state = Mutex(
                (answers.map { ClientResponse(status: $0.status, fields: [:], body: Array($0.body.utf8)) }, []))
        }

        var requests: [ClientRequest] { state.withLock { $0.requests } }

        func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
            state.withLock { state in
                state.requests.append(request)
                return state.answers.isEmpty
                    ? ClientResponse(status: 200, fields: [:], body: Array("{}".utf8)) : state.answers.removeFirst()
            }
        }

        func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
            throw .other("nothing is streamed here")
        }
    }

    private final class Export: Sendable {
        let tracer = Tracer(ratio: 1) { 1_795_168_800_123_456_789 }
        let timer = ManualTimer(ManualClock())
        let exported = Counter()
        let collector: Collector
        private let reported = Mutex<[String]>([])
        private let task = Mutex<Task<Void, Never>?>(nil)

        init(_ collector: Collector) {
            self.collector = collector
            let export = TraceExport(
                tracer, http: collector, endpoint: "http://127.0.0.1:4318", instance: "0af1", exported: exported,
                timer: timer
            ) { problem in self.reported.withLock { $0.append(problem) } }
            task.withLock { $0 = Task { await export.run() } }
        }

        var problems: [String] { reported.withLock { $0 } }

        func record(_ count: Int = 1) { for _ in 0..<count { tracer.end(tracer.begin("work", .server, below: nil)) } }

        /// Lets the export pause end, and waits for the next pause.
        func turn(_ pause: Duration = .seconds(1)) async {
            await timer.awaitSleepers()
            timer.advance(by: pause)
            await timer.awaitSleepers()
        }

        func stop() async {
            let work = task.withLock { $0 }
            work?.cancel()
            await work?.value
        }
    }

    @Test("OTLP 1, JSON Protobuf Encoding: ids in hexadecimal, 64-bit numbers as texts, enums as numbers")
    func form() async throws {
        let export = Export(Collector())
        let parent = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        var span = export.tracer.begin("POST /x", .server, below: parent)
        span.note("http.route", "/x")
        span.note("http.response.status_code", 503)
        span.hasFailed = true
        export.tracer.end(span)
        await export.turn()
        await export.stop()
        let request = try #require(export.collector.requests.first)
        #expect(request.url == "http://127.0.0.1:4318/v1/traces")
        #expect(request.fields["Content-Type"] == "application/json")
        let body = try JSONReader.parse(request.body ?? [])
        let group = try #require(body["resourceSpans"]?.arrayValue?.first)
        let resource = (group["resource"]?["attributes"]?.arrayValue ?? []).compactMap { $0["key"]?.stringValue }
        #expect(resource == ["service.name", "service.version", "service.instance.id"])
        let sent = try #require(
            group["scopeSpans"]?.arrayValue?.first?["spans"]?.arrayValue?.first)
        #expect(sent["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(sent["spanId"]?.stringValue == span.context.span.description)
        #expect(sent["parentSpanId"] == "00f067aa0ba902b7")
        #expect(sent["kind"]?.intValue == 2)
        #expect(sent["startTimeUnixNano"] == "1795168800123456789")
        #expect(sent["status"]?["code"]?.intValue == 2)
        #expect(
            sent["attributes"] == [
                ["key": "http.route", "value": ["stringValue": "/x"]],
                ["key": "http.response.status_code", "value": ["intValue": "503"]],
            ])
        #expect(export.exported.count == 1)
    }

    @Test("OTLP 1, Retryable Response Codes: a busy collector gets the same spans later, and later each time")
    func retries() async {
        let export = Export(Collector([(503, ""), (429, "")]))
        export.record(3)
        await export.turn()
        #expect(export.collector.requests.count == 1)
        await export.turn(.seconds(2))
        #expect(export.collector.requests.count == 2)
        await export.turn(.seconds(4))
        #expect(export.collector.requests.count == 3)
        #expect(Set(export.collector.requests.map(\.body)).count == 1)
        #expect(export.exported.count == 3)
        #expect(export.problems == ["the collector answered 503"], "once for the failures in a row")
        await export.stop()
    }

    @Test("Spans that the collector refuses are dropped and counted, all or some")
    func refused() async {
        let export = Export(
            Collector([(400, ""), (200, #"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#)]))
        export.record(3)
        await export.turn()
        #expect(export.tracer.dropped.count == 3)
        export.record(5)
        await export.turn()
        #expect(export.tracer.dropped.count == 5)
        #expect(export.exported.count == 3)
        await export.stop()
    }

    @Test("A burst goes out in batches, and a server that stops sends what is left")
    func batches() async {
        let export = Export(Collector())
        export.record(TraceExport.batch * 2 + 1)
        await export.turn()
        #expect(export.collector.requests.count == 3)
        export.record(2)
        await export.stop()
        #expect(export.collector.requests.count == 4)
        #expect(export.exported.count == TraceExport.batch * 2 + 3)
    }
}
