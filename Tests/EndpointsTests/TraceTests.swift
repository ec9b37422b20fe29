import AuthorizationCore
import HTTPModel
import Primitives
import SQL
import TestSupport
import Testing
import Tracing

@Suite("Traces of requests, store calls and deliveries")
struct TraceTests {
    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private static func tracer(ratio: Double = 1) -> Tracer { Tracer(ratio: ratio) { 7 } }

    private static func text(_ span: Span, _ name: String) -> String? {
        guard case .text(let text) = span.attributes.first(where: { $0.name == name })?.value else { return nil }
        return text
    }

    @Test("A start goes on with its caller's trace, with its store calls below it, and its delivery by another node")
    func tree() async throws {
        let (tracer, other) = (Self.tracer(), Self.tracer())
        let first = try await InProcessServer { $0.tracer = tracer }
        let second = try await InProcessServer(beside: first) { $0.tracer = other }
        let client = InProcessClient(via: first)
        _ = try await InProcessPhone(in: first)
        _ = tracer.take(atMost: 1_000)
        let request = Request.form("/bc-authorize", client.startParameters()).with("traceparent", Self.parent)
        #expect(await first.send(request).status == 200)
        let spans = tracer.take(atMost: 1_000)
        let start = try #require(spans.last)
        #expect(start.name == "POST /bc-authorize")
        #expect(start.kind == .server)
        #expect(start.parent?.description == "00f067aa0ba902b7")
        #expect(start.context.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(Self.text(start, "http.route") == "/bc-authorize")
        #expect(Self.text(start, "countersign.tenant") == "dev")
        #expect(start.attributes.contains { $0.name == "http.response.status_code" && $0.value == .number(200) })
        let calls = spans.dropLast()
        #expect(calls.contains { $0.name == "store change" })
        for call in calls {
            #expect(call.kind == .client)
            #expect(call.parent == start.context.span)
            #expect(call.context.trace == start.context.trace)
        }
        let work = second.delivering()
        var deliveries: [Span] = []
        while deliveries.isEmpty {
            deliveries = other.take(atMost: 1_000)
            await Task.yield()
        }
        work.cancel()
        await work.value
        let delivery = try #require(deliveries.first { $0.name == "deliver notifications" })
        #expect(delivery.parent == start.context.span)
        #expect(delivery.context.trace == start.context.trace)
        #expect(Self.text(delivery, "countersign.queue") == "notifications")
    }

    @Test("W3C Trace Context 4.3: an invalid or repeated traceparent is ignored, and a new trace begins")
    func invalid() async throws {
        let tracer = Self.tracer()
        let server = try await InProcessServer { $0.tracer = tracer }
        let twice = Request.get(
            "/.well-known/jwks.json", fields: ["traceparent": Self.parent, "Traceparent": Self.parent])
        for request in [twice, twice.with("traceparent", "00-nonsense")] {
            #expect(await server.send(request).status == 200)
            let span = try #require(tracer.take(atMost: 1_000).last)
            #expect(span.parent == nil)
            #expect(span.context.trace.description != "4bf92f3577b34da6a3ce929d0e0e4736")
        }
    }

    @Test("A trace that its caller does not record is not recorded, nor are its deliveries")
    func unsampled() async throws {
        let tracer = Self.tracer()
        let server = try await InProcessServer { $0.tracer = tracer }
        let client = InProcessClient(via: server)
        _ = try await InProcessPhone(in: server)
        _ = tracer.take(atMost: 1_000)
        let request = Request.form("/bc-authorize", client.startParameters())
            .with("traceparent", String(Self.parent.dropLast(2)) + "00")
        #expect(await server.send(request).status == 200)
        #expect(tracer.take(atMost: 1_000).isEmpty)
        let traces = try await server.database.query("SELECT trace FROM delivery") { try $0.optionalText(0) }
        #expect(!traces.isEmpty)
        #expect(traces.allSatisfy { $0 == nil })
    }

    @Test("Spans hold no secret, no person and no query")
    func privacy() async throws {
        let tracer = Self.tracer()
        let fixture = try await EndpointFixture { $0.tracer = tracer }
        let poll = Request.form("/oauth/token", fixture.client.pollParameters(fixture.authReqID))
        let requests = try EndpointFixture.Endpoint.allCases.filter { $0 != .notifications }.map {
            try fixture.good($0)
        }
        var strange = [
            Request.get("/authorize"), .get("/no/such/path"), .get("/api/v2/users/auth0%7Cann"), poll, poll,
        ]
        strange[0].query = "client_id=app&login_hint=somebody@example.org"
        strange[1].query = "token=secret"
        for request in requests + strange { _ = await fixture.server.send(request) }
        let spans = tracer.take(atMost: 10_000)
        #expect(spans.count { $0.kind == .server } >= requests.count + strange.count)
        #expect(spans.contains { $0.name == "GET /api/v2/users/{id}" })
        let hidden = fixture.secrets + ["auth0|", "somebody", "@", "secret", "?", "no/such"]
        for span in spans {
            let words = [span.name] + span.attributes.map { "\($0.name) \($0.value)" }
            for word in words {
                #expect(!hidden.contains { word.contains($0) }, "\(word)")
            }
        }
    }

    @Test("A server error is a failed span, and a client's error is none")
    func failures() async throws {
        let tracer = Self.tracer()
        let server = try await InProcessServer { $0.tracer = tracer }
        let client = InProcessClient(via: server)
        _ = try await InProcessPhone(in: server)
        _ = tracer.take(atMost: 1_000)
        #expect(try await client.start(["scope": "none"]).status == 400)
        #expect(tracer.take(atMost: 1_000).allSatisfy { !$0.hasFailed })
        server.failChanges(with: .overloaded)
        #expect(try await client.start().status == 503)
        let failed = tracer.take(atMost: 1_000).filter(\.hasFailed).map(\.name)
        #expect(failed == ["store change", "POST /bc-authorize"])
    }
}
