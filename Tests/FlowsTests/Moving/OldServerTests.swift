import AuthorizationCore
import Configuration
@testable import Flows
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Old servers that cannot say who a person is")
struct OldServerTests {
    private static let bob = OldServerStandIn.document

    private static let unfit: [JSONValue] = {
        let changes: [JSONObject] = [
            ["email": "ann@example.org"], ["email": nil], ["user_id": nil], ["user_id": "github|1"],
            ["user_id": "a b"], ["user_id": "auth0|"], ["roles": ["admin"]], ["permissions": []], ["blocked": false],
            ["email_verified": "true"], ["name": "a\u{7}b"], ["name": 1], ["picture": "http://pictures.example/bob"],
            ["user_metadata": "red"], ["app_metadata": ["text": .string(String(repeating: "x", count: 65_537))]],
        ]
        return ["Bob"] + changes.map { .object(OldServerStandIn.document.patched(with: $0)) }
    }()

    /// Three logins, for which the server has no word. Those count that only concern the person.
    private func expectSilence(
        _ old: OldServerStandIn, _ reason: InteractionFailure.Reason = .silentServer, _ comment: Comment? = nil
    ) async throws {
        let fixture = try await old.fixture()
        for _ in 0..<3 {
            let failure = try await interactionFailure { _ = try await fixture.bob() }
            #expect(failure.reason == reason, comment)
        }
        #expect(try await fixture.account() == nil, comment)
        #expect(try await fixture.log("old_server_failed").count == 3, comment)
        #expect(try await fixture.log("fu", "fp", "limit_wc") == [], comment)
        let blocks = try await fixture.store.failures(
            [AttemptKey(.password, account: "bob@example.org", hashing: Samples.hashing)], tenant: TenantID("dev"),
            windowStart: Samples.start - .seconds(600))
        #expect(blocks.map(\.count) == [reason == .silentServer ? 0 : 3], comment)
        let lines = old.log.withLock { $0 }
        #expect(lines.count == 3, comment)
        let texts = lines + (try await fixture.fixture.made.database.auditLog().map { "\($0)" })
        for secret in [LoginFixture.password, OldServerStandIn.secret] {
            #expect(!texts.contains { $0.contains(secret) }, comment)
        }
    }

    @Test("An unfit answer makes no user, and counts as an attempt", arguments: unfit)
    func unfitAnswer(_ answer: JSONValue) async throws {
        let old = OldServerStandIn()
        old.answer(200, answer)
        try await expectSilence(old, .unfitAnswer)
    }

    @Test("So does a status about the person, such as their lock there", arguments: [400, 403, 423, 429])
    func statusOfThePerson(_ status: Int) async throws {
        let old = OldServerStandIn()
        old.answer(status, .object(Self.bob))
        try await expectSilence(old, .unfitAnswer)
    }

    @Test("Any other status, a redirect for example, counts as no wrong password", arguments: [204, 302, 500, 503])
    func status(_ status: Int) async throws {
        let old = OldServerStandIn()
        old.answer(status, .object(Self.bob))
        try await expectSilence(old)
    }

    @Test("So does a server that is too slow or absent, but not one that answers too much or no JSON")
    func unreachable() async throws {
        let old = OldServerStandIn()
        for error in [HTTPClientError.timedOut, .cannotConnect("refused"), .untrusted("certificate")] {
            old.answer { _ throws(HTTPClientError) in throw error }
            old.log.withLock { $0 = [] }
            try await expectSilence(old)
        }
        for body in [Array(repeating: UInt8(ascii: " "), count: OldServers.answerLimit + 1), Array("<html>".utf8)] {
            old.answer { _ in ClientResponse(status: 200, fields: [:], body: body) }
            old.log.withLock { $0 = [] }
            try await expectSilence(old, .unfitAnswer)
        }
    }

    @Test("A secret that cannot be opened calls nobody")
    func secret() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture(connection: try OldServerStandIn.database(sealedSecret: [1, 2]))
        #expect(try await interactionFailure { _ = try await fixture.bob() }.reason == .silentServer)
        #expect(old.calls.isEmpty)
    }

    @Test("Absent and empty members count as none, and a language without pages does")
    func sparse() throws {
        let answer: JSONValue = [
            "user_id": "auth0|x", "email": "BOB@example.org", "name": "", "given_name": nil, "locale": "tlh",
        ]
        let user = try OldUser(
            answer, of: "bob@example.org", taking: Set(OldServer.Member.allCases), now: Samples.start
        ).user
        #expect(user.id == UserID("auth0|x") && user.name == "bob@example.org" && user.nickname == "bob")
        #expect(user.givenName == nil && user.language == nil && !user.emailVerified)
    }

    @Test("A time limit of the tenant is that of the call")
    func timeout() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        _ = try await fixture.bob().response
        #expect(old.calls.map(\.timeout) == [.seconds(OldServer.defaultTimeout)])
    }

    @Test("After failures in a row the server rests, then is called again")
    func rests() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        old.answer(500)
        for _ in 0..<OldServers.failures + 2 {
            #expect(try await interactionFailure { _ = try await fixture.bob() }.reason == .silentServer)
        }
        #expect(old.calls.count == OldServers.failures)
        fixture.fixture.clock.advance(by: OldServers.rest)
        old.answer(200, .object(Self.bob))
        _ = try await fixture.bob().response
    }

    /// A call that the old server does not get counts as `resting`.
    private func call(_ servers: OldServers, from network: String) async throws -> OldServerFailure? {
        let context = RequestContext(
            configuration: try Samples.configuration(), now: Samples.start, remoteAddress: network)
        let server = try #require(try OldServerStandIn.database().oldServer)
        let question = OldServers.Question(email: "bob@example.org", password: "x", connection: "db")
        do throws(OldServerFailure) {
            _ = try await servers.answer(to: question, by: server, secret: "s", context)
            return nil
        } catch {
            return error
        }
    }

    @Test("Failures about a person, and those of one network, keep nobody else from the old server")
    func restsOfOthers() async throws {
        let old = OldServerStandIn()
        let servers = old.servers()
        for _ in 0..<OldServers.failures {
            old.answer(429)
            #expect(try await call(servers, from: "192.0.2.1") == .answered(429))
        }
        old.answer(500)
        for _ in 0..<OldServers.failures {
            #expect(try await call(servers, from: "192.0.2.1") == .answered(500))
        }
        #expect(try await call(servers, from: "192.0.2.1") == .resting)
        // One further network is told so, and the server's answer to it ends all rests.
        old.answer(404)
        #expect(try await call(servers, from: "192.0.2.2") == nil)
        #expect(try await call(servers, from: "192.0.2.1") == nil)
        old.answer(500)
        for number in 0..<OldServers.failures {
            #expect(try await call(servers, from: "192.0.2.\(number)") == .answered(500))
        }
        #expect(try await call(servers, from: "192.0.2.99") == .resting)
    }

    @Test("Beyond the calls of one tenant at a time, further ones are refused at once")
    func crowded() async throws {
        let old = OldServerStandIn()
        let gate = AsyncStream<Void>.makeStream()
        let entered = AsyncStream<Void>.makeStream()
        old.answer { _ in
            entered.continuation.yield()
            for await _ in gate.stream {}
            return OldServerStandIn.response(404, [:])
        }
        let servers = old.servers()
        let context = RequestContext(configuration: try Samples.configuration(), now: Samples.start)
        let server = try #require(try OldServerStandIn.database().oldServer)
        let question = OldServers.Question(email: "bob@example.org", password: "x", connection: "db")
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<OldServers.calls {
                group.addTask {
                    try await servers.answer(to: question, by: server, secret: "s", context) == nil
                }
            }
            var count = 0
            for await _ in entered.stream {
                count += 1
                if count == OldServers.calls { break }
            }
            await #expect(throws: OldServerFailure.resting) {
                _ = try await servers.answer(to: question, by: server, secret: "s", context)
            }
            gate.continuation.finish()
            for try await isNone in group { #expect(isNone) }
        }
        #expect(old.calls.count == OldServers.calls)
    }
}
