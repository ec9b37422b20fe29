import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import Endpoints

@Suite("Event streams of the dashboard's requests")
struct RequestEventsTests {
    /// Ann's open stream.
    private struct Stream {
        let chunks: AsyncStream<[UInt8]>

        init(_ answer: HTTPAnswer) throws {
            chunks = try answer.stream.orThrow("no stream: \(answer.status) \(answer.text)")
        }

        /// Nil at the end.
        func next() async -> String? {
            var iterator = chunks.makeAsyncIterator()
            return await iterator.next().map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private func open(
        _ query: String? = nil, in browser: InProcessBrowser, fields: HTTPFields = [:]
    ) async -> HTTPAnswer {
        var fields = fields
        fields.set("Host", InProcessServer.host)
        return await browser.request(
            Request(method: .get, path: "/admin/requests/events", query: query, fields: fields))
    }

    /// Lets the stream look once more.
    private func look(_ fixture: DashboardFixture, after time: Duration = RequestEvents.pace) async {
        await fixture.server.timer.awaitSleepers()
        fixture.server.advance(time)
    }

    private func visited(_ scopes: Set<String> = ["read:approvals"]) async throws -> (
        fixture: DashboardFixture, browser: InProcessBrowser
    ) {
        let fixture = try await DashboardFixture(scopes: scopes)
        let browser = fixture.browser()
        #expect(try await fixture.open("/admin/requests", in: browser).answer.status == 200)
        return (fixture, browser)
    }

    @Test("A new request and a decision are told, in the list and of the one request, without anything of them")
    func changes() async throws {
        let (fixture, browser) = try await visited()
        let phone = try await InProcessPhone(in: fixture.server)
        let answer = await open(in: browser)
        #expect(answer.status == 200 && answer.fields["Content-Type"] == "text/event-stream")
        #expect(answer.fields["Cache-Control"] == "no-store")
        let all = try Stream(answer)
        #expect(await all.next() == "retry: 2000\n\n")
        #expect(await all.next()?.contains("event: change\ndata: \n") == true)
        let request = try await InProcessClient(via: fixture.server).started()
        await look(fixture)
        let event = try #require(await all.next())
        #expect(event.contains("event: change\ndata: \n") && !event.contains("TX-4711"))
        let one = try Stream(await open("id=\(InProcessClient.consent(of: request))", in: browser))
        _ = await (one.next(), one.next())
        #expect(try await phone.decide(request, signsDigest: true).status == 204)
        await fixture.server.timer.awaitSleepers(2)
        fixture.server.advance(RequestEvents.pace)
        #expect(await one.next()?.contains("event: change") == true)
        #expect(await all.next()?.contains("event: change") == true)
    }

    @Test("A browser that comes back with the last id is told nothing that it knows")
    func resumed() async throws {
        let (fixture, browser) = try await visited()
        let first = try Stream(await open(in: browser))
        _ = await first.next()
        let event = try #require(await first.next())
        let id = String(event.split(separator: "\n")[0].dropFirst("id: ".count))
        let second = try Stream(await open(in: browser, fields: ["Last-Event-ID": id]))
        _ = await second.next()
        for _ in 0..<RequestEvents.keepAlive {
            await fixture.server.timer.awaitSleepers(2)
            fixture.server.advance(RequestEvents.pace)
        }
        #expect(await second.next() == ":\n\n", "a comment, and no change")
    }

    @Test("The stream ends with the role's scope, with the role, with the session and with the person")
    func ends() async throws {
        for end in ["scope", "role", "session", "person"] {
            let (fixture, browser) = try await visited()
            let stream = try Stream(await open(in: browser))
            _ = await (stream.next(), stream.next())
            var time = RequestEvents.pace
            let dev = TenantID("dev")
            switch end {
            case "scope":
                try await fixture.server.configure { store in
                    try store.put(
                        Role(id: DashboardFixture.role, name: "Administrator", description: "", permissions: []),
                        in: dev)
                }
            case "role":
                try await fixture.server.configure { store in
                    try store.put(roles: [], of: InProcessServer.ann, in: dev, now: Samples.start)
                }
            case "session": time = .seconds(400 * 86_400)
            default:
                try await fixture.server.configure { store in
                    guard var ann = try store.user(InProcessServer.ann, in: dev) else { return }
                    ann.user.blocked = true
                    try store.put(ann.user, passwordHash: ann.passwordHash, in: dev)
                }
            }
            await look(fixture, after: time)
            #expect(await stream.next() == nil, "\(end)")
            #expect(await open(in: browser).stream == nil, "\(end)")
        }
    }

    @Test("Nobody has a stream without a session, or without the scope")
    func refused() async throws {
        let (fixture, _) = try await visited()
        #expect(await open(in: fixture.browser()).stream == nil)
        let other = fixture.browser()
        _ = try await fixture.open("/admin", in: other, as: "bob@example.org")
        let answer = await open(in: other)
        #expect(answer.status == 204 && answer.stream == nil, "\(answer.status)")
        let logs = try await DashboardFixture(scopes: ["read:logs"])
        let reader = logs.browser()
        _ = try await logs.open("/admin/deliveries", in: reader)
        #expect(await open(in: reader).stream == nil)
    }

    @Test("One person's fifth stream ends the first, and each ends after a while")
    func bounded() async throws {
        let (fixture, browser) = try await visited()
        var streams: [Stream] = []
        for _ in 0..<5 {
            let stream = try Stream(await open(in: browser))
            _ = await (stream.next(), stream.next())
            streams.append(stream)
        }
        #expect(await streams[0].next() == nil)
        while fixture.server.timer.sleepers != 4 { await Task.yield() }
        for _ in 0..<RequestEvents.looks {
            await fixture.server.timer.awaitSleepers(4)
            fixture.server.advance(RequestEvents.pace)
        }
        for stream in streams.dropFirst() {
            while let text = await stream.next() { #expect(text == ":\n\n") }
        }
    }
}
