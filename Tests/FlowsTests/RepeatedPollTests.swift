import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

/// A poll is known again by its bytes only while an answer without them would be the same.
@Suite("Polls that repeat themselves")
struct RepeatedPollTests {
    private let fixture: FlowFixture
    private let id: String
    private static let poll = "a poll with its secret"

    init() async throws { try await self.init(expiry: 300) }

    private init(expiry: Int) async throws {
        fixture = try await FlowFixture()
        id = try await fixture.start(["requested_expiry": "\(expiry)"]).authReqID
    }

    private func recognize(
        _ poll: String, of id: String
    ) -> (fingerprint: PollFingerprint, isPending: Bool) {
        Array(poll.utf8).withUnsafeBufferPointer { poll in
            Array(id.utf8).withUnsafeBufferPointer { fixture.redeemer.recognize(poll, of: $0) }
        }
    }

    /// False where the poll has to be read.
    private func recognized(_ poll: String = Self.poll, of id: String? = nil) -> Bool {
        recognize(poll, of: id ?? self.id).isPending
    }

    /// Answers a poll after it was read, and waits until the next may come.
    private func answer() throws {
        let known = recognize(Self.poll, of: id)
        guard !known.isPending,
            case .pending = try fixture.redeemer.remembered(id, by: fixture.authenticated(), as: known.fingerprint)
        else {
            Issue.record("not a first poll of a pending request")
            return
        }
        fixture.clock.advance(by: .seconds(5))
    }

    @Test("The same bytes get the same answer, as often as they come in time")
    func again() throws {
        #expect(!recognized(), "nobody was proven yet")
        try answer()
        for _ in 0..<3 {
            #expect(recognized())
            fixture.clock.advance(by: .seconds(5))
        }
        #expect(!recognized("a poll with a secret"))
        #expect(!recognized(of: "another"))
    }

    @Test("CIBA Core 11: one that comes too early is read, and told to slow down")
    func early() throws {
        try answer()
        #expect(recognized())
        fixture.clock.advance(by: .seconds(3))
        #expect(!recognized())
        let read = fixture.redeemer.remembered(id, by: try fixture.authenticated(), as: nil)
        guard case .tooEarly(let error) = read else {
            Issue.record("in time")
            return
        }
        #expect(error.code == .slowDown)
        // One that waited long enough takes the penalty back, read or not.
        fixture.clock.advance(by: .seconds(10))
        #expect(recognized())
        fixture.clock.advance(by: .seconds(5))
        #expect(recognized())
    }

    @Test("A decision and an expiry are told to whoever repeats a poll")
    func ended() async throws {
        try answer()
        try await fixture.allow(id)
        #expect(!recognized())
        #expect(try await fixture.poll(id) == "tokens")

        let other = try await RepeatedPollTests(expiry: 60)
        try other.answer()
        other.fixture.clock.advance(by: .seconds(54))
        #expect(other.recognized())
        other.fixture.clock.advance(by: .seconds(1))
        #expect(!other.recognized())
    }
}
