@testable import AuthorizationCore
@testable import Flows
import Primitives
import TestSupport
import Testing

/// Transcripts of `PendingRequests`: events in their order, each with the action that it leads to.
@Suite("CIBA Core 7.3 and 11: memory of pending requests")
struct PendingRequestsTests {
    private static let client = ClientIdentity(client: ClientID("agent"), tenant: TenantID("dev"))
    private static let otherClient = ClientIdentity(client: ClientID("other"), tenant: TenantID("dev"))
    private static let otherTenant = ClientIdentity(client: ClientID("agent"), tenant: TenantID("other"))

    private enum Event {
        /// A poll at a second. If the store is asked, its generation is kept for the next `found`.
        case poll(at: Int, by: ClientIdentity = client, request: String = "x", Expected)
        /// The store answered the last poll that asked it: the request is pending, and expires at `expiry` seconds.
        case found(at: Int, expiry: Int = 900, interval: Int = 5, request: String = "x", PollRate.Verdict)
        /// A request is about to be stored. Its generation is kept for the next `started`.
        case starting
        case started(request: String = "x")
        case ended(request: String = "x")
    }

    private enum Expected: Equatable {
        case asksStore
        case answer(PollRate.Verdict)
    }

    private func replay(_ transcript: [Event], sourceLocation: SourceLocation = #_sourceLocation) {
        var requests = PendingRequests()
        var generation = requests.generation
        func hash(_ name: String) -> AuthReqIDHash { AuthReqIDHash(of: name, Samples.hashing) }
        func moment(_ second: Int) -> Timestamp { Samples.start + .seconds(second) }
        for (line, event) in transcript.enumerated() {
            let comment: Comment = "line \(line + 1): \(event)"
            switch event {
            case .poll(let second, let client, let name, let expected):
                switch requests.polled(hash(name), by: client, now: moment(second)) {
                case .answer(let verdict, _):
                    #expect(expected == .answer(verdict), comment, sourceLocation: sourceLocation)
                case .askStore(let now):
                    generation = now
                    #expect(expected == .asksStore, comment, sourceLocation: sourceLocation)
                }
            case .found(let second, let expiry, let interval, let name, let expected):
                let polled = PolledRequest(state: .pending, expiresAt: moment(expiry), interval: interval)
                let verdict = requests.found(
                    hash(name), of: Self.client, polled, readAt: generation, now: moment(second))
                #expect(verdict == expected, comment, sourceLocation: sourceLocation)
            case .starting: generation = requests.generation
            case .started(let name):
                requests.started(hash(name), by: Self.client, Samples.request().request, madeAt: generation)
            case .ended(let name): requests.ended(hash(name))
            }
        }
    }

    @Test("A request that the store found pending is answered from memory for five minutes")
    func trusted() {
        replay([
            .poll(at: 0, .asksStore),
            .found(at: 0, .inTime),
            .poll(at: 5, .answer(.inTime)),
            .poll(at: 299, .answer(.inTime)),
            .poll(at: 300, .asksStore),
            .found(at: 305, .inTime),
            .poll(at: 604, .answer(.inTime)),
            .poll(at: 605, .asksStore),
        ])
    }

    @Test("A request that expires within five minutes is answered from memory until then")
    func expiring() {
        replay([
            .poll(at: 850, .asksStore),
            .found(at: 850, .inTime),
            .poll(at: 899, .answer(.inTime)),
            .poll(at: 900, .asksStore),
        ])
    }

    @Test("Memory answers the client of the request only, and a poll of another leaves no trace")
    func owner() {
        replay([
            .poll(at: 0, .asksStore),
            .found(at: 0, .inTime),
            .poll(at: 3, by: Self.otherClient, .asksStore),
            .poll(at: 4, by: Self.otherTenant, .asksStore),
            .poll(at: 5, .answer(.inTime)),
        ])
    }

    @Test("A request that was just stored is known, and its first poll may come at once")
    func started() {
        replay([
            .starting,
            .started(),
            .poll(at: 0, .answer(.inTime)),
            .poll(at: 1, .answer(.slowDown(interval: 10))),
        ])
    }

    @Test("A decision during the start or the store's answer leaves nothing to trust")
    func decidedMeanwhile() {
        replay([
            .starting,
            .ended(),
            .started(),
            .poll(at: 0, .asksStore),
            .ended(),
            .found(at: 0, .inTime),
            .poll(at: 5, .asksStore),
            .found(at: 5, .inTime),
            .poll(at: 10, .answer(.inTime)),
        ])
    }

    @Test("An outdated answer of the store is not trusted, and paces the polls")
    func outdated() {
        replay([
            .poll(at: 0, .asksStore),
            .ended(request: "y"),
            .found(at: 0, .inTime),
            .found(at: 1, .slowDown(interval: 10)),
            .poll(at: 11, .asksStore),
            .found(at: 11, .inTime),
            .poll(at: 12, .answer(.slowDown(interval: 10))),
        ])
    }

    @Test("A decision ends the memory of its request, rate included, and of no other")
    func ended() {
        replay([
            .poll(at: 0, .asksStore),
            .found(at: 0, .inTime),
            .poll(at: 0, request: "y", .asksStore),
            .found(at: 0, request: "y", .inTime),
            .poll(at: 0, .answer(.slowDown(interval: 10))),
            .ended(),
            .poll(at: 0, .asksStore),
            .found(at: 0, .inTime),
            .poll(at: 0, request: "y", .answer(.slowDown(interval: 10))),
        ])
    }

    @Test("RFC 8628 3.5: each early poll adds five seconds, and one poll in time removes the penalty")
    func penalty() {
        replay([
            .poll(at: 0, .asksStore),
            .found(at: 0, .inTime),
            .poll(at: 3, .answer(.slowDown(interval: 10))),
            .poll(at: 6, .answer(.slowDown(interval: 15))),
            .poll(at: 21, .answer(.inTime)),
            .poll(at: 26, .answer(.inTime)),
        ])
    }

    @Test("Intervals grow to a minute at most, and a longer one is kept")
    func longestInterval() {
        func last(interval: Int, polls: Int) -> PollRate.Verdict {
            var rate = PollRate(interval: interval, last: nil)
            return (0..<polls).map { _ in rate.record(at: Samples.start) }.last ?? .inTime
        }
        #expect(last(interval: 5, polls: 1) == .inTime)
        #expect(last(interval: 5, polls: 12) == .slowDown(interval: 60))
        #expect(last(interval: 5, polls: 1000) == .slowDown(interval: 60))
        #expect(last(interval: 60, polls: 3) == .slowDown(interval: 60))
        #expect(last(interval: 90, polls: 3) == .slowDown(interval: 90))
    }

    @Test("Memory is bounded: expired requests leave first, then all of them")
    func bounded() {
        var requests = PendingRequests()
        func find(_ name: String, expiry: Int, at second: Int) {
            let polled = PolledRequest(
                state: .pending, expiresAt: Samples.start + .seconds(expiry), interval: 5)
            _ = requests.found(
                AuthReqIDHash(of: name, Samples.hashing), of: Self.client, polled, readAt: requests.generation,
                now: Samples.start + .seconds(second))
        }
        for index in 0..<1_000 { find("short \(index)", expiry: 10, at: 0) }
        for index in 0..<24 { find("long \(index)", expiry: 900, at: 0) }
        #expect(requests.count == 1_024)
        find("next", expiry: 900, at: 10)
        #expect(requests.count == 25)
        for index in 0..<PendingRequests.limit { find("many \(index)", expiry: 900, at: 10) }
        #expect(requests.count <= PendingRequests.limit)
        #expect(requests.count < 100)
    }

    @Test("A decision that the hub announces ends the memory of its request")
    func hub() {
        let cache = PendingRequestCache()
        let hash = AuthReqIDHash(of: "x", Samples.hashing)
        let request = Samples.request().request
        cache.started(hash, by: Self.client, request, madeAt: cache.generation(beside: hash))
        #expect(
            cache.polled(hash, by: Self.client, now: request.createdAt)
                == .answer(.inTime, expiresAt: request.expiresAt))
        DecisionHub(cache: cache).decided(hash)
        guard case .askStore = cache.polled(hash, by: Self.client, now: request.createdAt) else {
            Issue.record("a decided request is answered from memory")
            return
        }
    }
}
