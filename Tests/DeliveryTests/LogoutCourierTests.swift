import Audit
import AuthorizationCore
import Delivery
@testable import Flows
import HTTPModel
import JOSE
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Logout courier")
struct LogoutCourierTests {
    private let clock = ManualClock()
    /// 90 seconds after the clock's start.
    private static let afterNinety = "Fri, 20 Nov 2026 10:01:30 GMT"
    private let configuration: OneTenant

    init() throws {
        configuration = OneTenant(
            try Samples.configuration(
                Samples.tenant(hosts: ["dev.example", "login.example"]),
                clients: ["app", "slow", "quiet"].map { id in
                    Samples.client(id) {
                        if id != "quiet" { $0.backchannelLogoutURL = "https://\(id).example/logout" }
                    }
                }))
    }

    @Test("Notified clients are in the audit log, clients without a logout URL are not, and no entry waits")
    func told() async throws {
        let store = FakeQueue([due(1), due(2, client: "quiet"), due(3, client: "gone"), due(4, tenant: "gone")])
        let receiver = Receiver()
        try await run(store, receiver) { _ in await store.awaitSettled(4) }
        #expect(receiver.posts.map(\.url) == ["https://app.example/logout"])
        #expect(store.events.map(\.kind) == [.backchannelLogoutSent])
        #expect(store.events.map(\.client) == [ClientID("app")])
        #expect(store.events.map { $0.details["sid"] } == ["session-1"])
        #expect(store.waiting.isEmpty)
    }

    @Test("Back-Channel Logout 2.4: the issuer is the host that the client called, if it is the tenant's")
    func issuer() async throws {
        let store = FakeQueue([due(1), due(2, host: "login.example"), due(3, host: "gone.example")])
        let receiver = Receiver()
        try await run(store, receiver) { _ in await store.awaitSettled(3) }
        let issuers = try receiver.posts.map { post in
            (try post.claims["sid"]?.stringValue ?? "", try post.claims.issuer)
        }
        #expect(
            Dictionary(issuers, uniquingKeysWith: { $1 }) == [
                "session-1": "https://dev.example/", "session-2": "https://login.example/",
                "session-3": "https://dev.example/",
            ])
    }

    @Test("Back-Channel Logout 2.4: each try sends a new token")
    func freshTokens() async throws {
        let store = FakeQueue([due(1)])
        let receiver = Receiver { count in if count == 1 { throw Receiver.Down() } }
        try await run(store, receiver) { timer in
            await store.awaitSettled(1)
            for _ in 0..<5 {
                await timer.awaitSleepers()
                timer.advance(by: .seconds(1))
            }
            await store.awaitSettled(2)
        }
        let claims = try receiver.posts.map { try $0.claims }
        #expect(claims.map(\.issuedAt) == [Samples.start, Samples.start + .seconds(5)])
        #expect(claims.map(\.expires) == [Samples.start + .seconds(120), Samples.start + .seconds(125)])
        #expect(Set(claims.map(\.identifier)).count == 2)
    }

    @Test("An unreachable client is retried after 5, 10, 20, … seconds, and given up after ten tries")
    func backoff() async throws {
        let receiver = Receiver { _ in throw Receiver.Down() }
        for (attempts, delay) in [(0, 5), (1, 10), (6, 320), (7, 600), (8, 600)] {
            let store = FakeQueue([due(1, attempts: attempts)])
            try await run(store, receiver) { _ in await store.awaitSettled(1) }
            #expect(
                store.steps == [.retry(at: clock.now + .seconds(delay), problem: "this server failed")])
            #expect(store.events.isEmpty)
        }
        let store = FakeQueue([due(1, attempts: 9)])
        try await run(store, receiver) { _ in await store.awaitSettled(1) }
        #expect(store.events.map(\.kind) == [.backchannelLogoutFailed])
        #expect(store.events.first?.details["reason"] == "this server failed")
        #expect(store.events.first?.details["sid"] == "session-1")
    }

    @Test("RFC 9110 10.2.3: the wait that a client names counts, and its line in the log names the tenant")
    func retryAfter() async throws {
        for (named, expected) in [
            ("40", 40), ("2", 5), ("soon", 5), (Self.afterNinety, 90),
            ("Friday, 20-Nov-26 10:01:30 GMT", 90),
            ("Fri Nov 20 10:01:30 2026", 90), ("Sat Nov  7 10:01:30 2026", 5), ("Fri, 20 Nov 2026 10:01:30 CET", 5),
            ("2026-11-20T10:01:30Z", 5), ("3600", 600),
        ] {
            let client = HandlerClient([
                "https://app.example": { _ in Response(status: 503, fields: ["Retry-After": named]) }
            ])
            let store = FakeQueue([due(1)])
            let reports = try await run(store, LogoutTokenSender(http: client, clock: clock)) { _ in
                await store.awaitSettled(1)
            }
            #expect(store.steps == [.retry(at: clock.now + .seconds(expected), problem: "answered 503")])
            #expect(
                reports == [
                    "logout notice 1 to app of the tenant dev is tried again: https://app.example/logout answered 503"
                ])
        }
    }

    @Test("A client that does not answer delays no other, and gets at most eight requests at once")
    func slow() async throws {
        let store = FakeQueue((1...100).map { due($0, client: "slow") } + [due(101)])
        let gate = Gate()
        let calls = Counter()
        let receiver = Receiver { url, _ in
            guard url.contains("slow") else { return }
            calls.add()
            await gate.pass()
        }
        try await run(store, receiver) { timer in
            await calls.wait(for: 8)
            await store.awaitSettled(1)
            #expect(store.events.map(\.client) == [ClientID("app")])
            await timer.awaitSleepers()
            timer.advance(by: .seconds(1))
            await timer.awaitSleepers()
            #expect(receiver.posts.count == 9)
            gate.open()
            await store.awaitSettled(101)
        }
        let sessions = try receiver.posts.map { try $0.claims["sid"]?.stringValue }
        #expect(sessions.count == 101 && Set(sessions).count == 101, "each was told once")
    }

    @Test("If the store fails, the notice is sent again and the failure is logged")
    func storeFails() async throws {
        let store = FakeQueue(
            [due(1, endedAt: Samples.start + .seconds(86_400))], settleFailures: 1, readFailures: 1)
        let receiver = Receiver()
        let reports = try await run(store, receiver) { timer in
            while !store.waiting.isEmpty {
                await timer.awaitSleepers()
                timer.advance(by: .seconds(1))
            }
        }
        #expect(reports.count == 2)
        #expect(receiver.posts.count == 2)
        #expect(store.events.map(\.kind) == [.backchannelLogoutSent])
    }

    @Test("Notices of a session that ended half an hour ago are dropped and audited")
    func tooLate() async throws {
        for (reason, told) in [
            (nil, "not delivered within 30 minutes; no worker got to it"),
            ("it answered 503", "not delivered within 30 minutes; the last try: it answered 503"),
        ] {
            let store = FakeQueue([due(1, endedAt: Samples.start - .seconds(1801), reason: reason)])
            let receiver = Receiver()
            try await run(store, receiver) { _ in await store.awaitSettled(1) }
            #expect(receiver.posts.isEmpty)
            #expect(store.events.map(\.kind) == [.backchannelLogoutFailed])
            #expect(store.events.map { $0.details["reason"]?.stringValue } == [told])
        }
    }

    @Test("A client that is down gets one notice at a time, and more once it answers")
    func down() async throws {
        let store = FakeQueue((1...20).map { due($0, client: "slow") })
        let running = Counter()
        let gate = Gate()
        let receiver = Receiver { _, count in
            if count <= 8 { throw Receiver.Down() }
            running.add()
            await gate.pass()
        }
        try await run(store, receiver) { timer in
            await store.awaitSettled(8)
            await running.wait(for: 1)
            await timer.awaitSleepers()
            #expect(receiver.posts.count == 9, "one at a time")
            gate.open()
            // The eight are due again after five seconds.
            while !store.waiting.isEmpty {
                await timer.awaitSleepers()
                timer.advance(by: .seconds(1))
            }
        }
        #expect(receiver.posts.count == 28)
    }

    @Test("A stopped worker leaves its entries in flight for the next one")
    func stopped() async throws {
        let store = FakeQueue([due(1)])
        let calls = Counter()
        let stuck = Receiver { _, _ in
            calls.add()
            // Runs until cancelled.
            try await Task.sleep(for: .seconds(600))
        }
        try await run(store, stuck) { _ in await calls.wait(for: 1) }
        #expect(store.waiting.map(\.attempts) == [0])
        try await run(store, Receiver()) { _ in await store.awaitSettled(1) }
        #expect(store.events.map(\.kind) == [.backchannelLogoutSent])
    }

    // MARK: helpers

    private func due(
        _ id: Int64, client: String = "app", tenant: String = "dev", host: String? = nil,
        endedAt: Timestamp = Samples.start, attempts: Int = 0, reason: String? = nil
    ) -> DeliveryEntry {
        var payload: JSONObject = ["user": "auth0|ann", "sid": .string("session-\(id)")]
        payload["host"] = host.map(JSONValue.string) ?? .null
        return DeliveryEntry(
            id: id,
            delivery: Delivery(
                tenant: TenantID(tenant), queue: .logoutNotices, recipient: client,
                payload: JSONWriter.string(.object(payload)), createdAt: endedAt, expiresAt: endedAt + LogoutNotice.life
            ),
            attempts: attempts, problem: reason)
    }

    /// Runs a worker during `body` and returns its reports.
    @discardableResult
    private func run(
        _ queue: FakeQueue, _ receiver: any LogoutNotifier, _ body: (ManualTimer) async throws -> Void
    ) async throws -> [String] {
        let courier = LogoutCourier(
            logout: BackchannelLogout(notifier: receiver, random: SeededRandom()), configuration: configuration)
        return try await working(queue, [courier], clock: clock) { _, timer in try await body(timer) }
    }
}

/// Receives the notices of all clients.
private final class Receiver: LogoutNotifier {
    struct Down: Error {}

    struct Post: Sendable {
        let url: String
        let token: String

        var claims: Claims {
            get throws { Claims(try #require(try JWS(parsing: token).unverifiedClaims)) }
        }
    }

    private let received = Mutex<[Post]>([])
    private let answer: @Sendable (String, Int) async throws -> Void

    /// `answer` gets the URL and the number of posts.
    init(_ answer: @escaping @Sendable (String, Int) async throws -> Void = { _, _ in }) { self.answer = answer }

    convenience init(_ answer: @escaping @Sendable (Int) async throws -> Void) {
        self.init { _, count in try await answer(count) }
    }

    var posts: [Post] { received.withLock { $0 } }

    func notify(_ url: String, logoutToken: String) async throws {
        let count = received.withLock { posts in
            posts.append(Post(url: url, token: logoutToken))
            return posts.count
        }
        try await answer(url, count)
    }
}
