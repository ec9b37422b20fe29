import Audit
import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Refusals of known clients and users are in the audit log")
struct RefusalTests {
    private func entries(_ fixture: FlowFixture, _ kind: AuditEvent.Kind) async throws -> [AuditRow] {
        try await fixture.made.database.auditLog(kind.rawValue)
    }

    private func details(_ row: AuditRow) throws -> JSONValue { try JSONReader.parse(row.details) }

    @Test("A refused start records client, user, request, address and reason")
    func start() async throws {
        let fixture = try await FlowFixture()
        _ = try await oauthError { _ = try await fixture.start(["scope": "profile"]) }
        let entry = try #require(try await entries(fixture, .backchannelStartFailed).first)
        #expect(entry.client == "agent")
        #expect(entry.user == "auth0|ann")
        #expect(entry.remoteAddress == FlowFixture.remote)
        let details = try details(entry)
        #expect(details["error"]?["code"] == "invalid_request")
        #expect(details["error"]?["message"] == "openid scope must be requested")
        #expect(details["body"]?["scope"] == "profile")
        #expect(details["body"]?["login_hint"]?.stringValue == FlowFixture.ann)
    }

    @Test("The entry has no unknown user, and long parameters are cut")
    func unknownUser() async throws {
        let fixture = try await FlowFixture()
        let hint = #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|nobody"}"#
        let scope = "openid " + String(repeating: "x", count: 500)
        _ = try await oauthError { _ = try await fixture.start(["login_hint": hint, "scope": scope]) }
        let entry = try #require(try await entries(fixture, .backchannelStartFailed).first)
        #expect(entry.user == nil)
        #expect(try details(entry)["body"]?["scope"]?.stringValue?.utf8.count == 256)
    }

    @Test("A request beyond a limit is recorded as such")
    func limited() async throws {
        let fixture = try await FlowFixture(tenant: Samples.tenant { $0.settings.requestsPerMinutePerUser = 1 })
        _ = try await fixture.start()
        _ = try await oauthError { _ = try await fixture.start() }
        #expect(try await entries(fixture, .rateLimited).map(\.user) == ["auth0|ann"])
    }

    @Test("Repeated and unfounded token requests are recorded, pending polls and decisions are not")
    func exchange() async throws {
        let fixture = try await FlowFixture()
        let (allowed, rejected) = (try await fixture.start().authReqID, try await fixture.start().authReqID)
        #expect(try await fixture.poll(allowed) == "authorization_pending")
        #expect(try await fixture.poll(allowed).hasPrefix("slow_down"))
        try await fixture.allow(allowed)
        try await fixture.reject(rejected)
        fixture.clock.advance(by: .seconds(30))
        #expect(try await fixture.poll(allowed) == "tokens")
        #expect(try await fixture.poll(rejected) == "access_denied")
        #expect(try await entries(fixture, .exchangeFailed).isEmpty)
        #expect(try await fixture.poll(allowed) == "invalid_grant")
        #expect(try await fixture.poll("made-up") == "invalid_grant")
        let noted = try await entries(fixture, .exchangeFailed)
        #expect(noted.map(\.client) == ["agent", "agent"])
        #expect(noted.first?.consent == fixture.consent(allowed).rawValue)
        #expect(try noted.map { try details($0)["error"]?["code"] } == ["invalid_grant", "invalid_grant"])
    }

    @Test("A device's wrongly signed answer is recorded with the reason")
    func answer() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let forged = try fixture.answer(id) { $0["sub"] = "another challenge" }
        await #expect(throws: DeviceFailure.self) { try await fixture.resolve(id, forged) }
        let entry = try #require(try await entries(fixture, .multiFactorFailed).first)
        #expect(entry.device == "dev_one")
        #expect(entry.user == "auth0|ann")
        #expect(entry.consent == fixture.consent(id).rawValue)
        let check = "sub must be the challenge of this request's notification to this device"
        #expect(try details(entry)["failure_details"]?.stringValue == check)
    }

    @Test("A stranger's token leaves no entry")
    func stranger() async throws {
        let fixture = try await FlowFixture()
        let id = try await fixture.start().authReqID
        let before = try await fixture.made.database.auditLog().count
        await #expect(throws: DeviceFailure.self) {
            try await fixture.resolve(id, try fixture.answer(id), token: "made-up")
        }
        #expect(try await fixture.made.database.auditLog().count == before)
    }

    @Test("Repeated refusals are logged 30 times a minute, and then as a count")
    func bounded() async throws {
        let fixture = try await FlowFixture(clients: [Samples.client(), Samples.client("other")])
        func refused(_ count: Int, client: String = "agent") async throws {
            for _ in 0..<count {
                _ = try await oauthError { _ = try await fixture.start(["scope": "profile"], client: client) }
            }
        }
        try await refused(50)
        #expect(try await entries(fixture, .backchannelStartFailed).count == 30)
        try await refused(1, client: "other")
        #expect(try await entries(fixture, .backchannelStartFailed).count == 31, "others are counted apart")
        fixture.clock.advance(by: .seconds(60))
        try await refused(2)
        let last = try await entries(fixture, .backchannelStartFailed).suffix(2).map(details)
        #expect(last.map { $0["left_out"]?.intValue } == [20, nil])
    }
}
