import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("What is refused to somebody known is in the audit log")
struct RefusalTests {
    private func entries(_ world: World, _ kind: AuditEvent.Kind) async throws -> [AuditRow] {
        try await world.made.database.auditLog(kind.rawValue)
    }

    private func details(_ row: AuditRow) throws -> JSONValue { try JSONReader.parse(row.details) }

    @Test("A start that is refused says who asked whom for what, from where, and why")
    func start() async throws {
        let world = try await World()
        _ = try await oauthError { _ = try await world.start(["scope": "profile"]) }
        let entry = try #require(try await entries(world, .backchannelStartFailed).first)
        #expect(entry.client == "agent")
        #expect(entry.user == "auth0|ann")
        #expect(entry.remoteAddress == World.remote)
        let details = try details(entry)
        #expect(details["error"]?["code"] == "invalid_request")
        #expect(details["error"]?["message"] == "openid scope must be requested")
        #expect(details["body"]?["scope"] == "profile")
        #expect(details["body"]?["login_hint"]?.stringValue == World.ann)
    }

    @Test("A user who is not there is no user of the entry, and long parameters are cut")
    func unknownUser() async throws {
        let world = try await World()
        let hint = #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|nobody"}"#
        let scope = "openid " + String(repeating: "x", count: 500)
        _ = try await oauthError { _ = try await world.start(["login_hint": hint, "scope": scope]) }
        let entry = try #require(try await entries(world, .backchannelStartFailed).first)
        #expect(entry.user == nil)
        #expect(try details(entry)["body"]?["scope"]?.stringValue?.utf8.count == 256)
    }

    @Test("A request beyond a limit is noted as such")
    func limited() async throws {
        let world = try await World(tenant: Samples.tenant { $0.settings.requestsPerMinutePerUser = 1 })
        _ = try await world.start()
        _ = try await oauthError { _ = try await world.start() }
        #expect(try await entries(world, .rateLimited).map(\.user) == ["auth0|ann"])
    }

    @Test("Tokens that are asked for twice, or for nothing, are noted; waiting and being told of a decision are not")
    func exchange() async throws {
        let world = try await World()
        let (allowed, rejected) = (try await world.start().authReqID, try await world.start().authReqID)
        #expect(try await world.poll(allowed) == "authorization_pending")
        #expect(try await world.poll(allowed).hasPrefix("slow_down"))
        try await world.allow(allowed)
        try await world.reject(rejected)
        world.clock.advance(by: .seconds(30))
        #expect(try await world.poll(allowed) == "tokens")
        #expect(try await world.poll(rejected) == "access_denied")
        #expect(try await entries(world, .exchangeFailed).isEmpty)
        #expect(try await world.poll(allowed) == "invalid_grant")
        #expect(try await world.poll("made-up") == "invalid_grant")
        let noted = try await entries(world, .exchangeFailed)
        #expect(noted.map(\.client) == ["agent", "agent"])
        #expect(noted.first?.consent == world.consent(allowed).rawValue)
        #expect(try noted.map { try details($0)["error"]?["code"] } == ["invalid_grant", "invalid_grant"])
    }

    @Test("A device's answer that is not signed as it has to be is noted with the reason")
    func answer() async throws {
        let world = try await World()
        let id = try await world.start().authReqID
        let forged = try world.answer(id) { $0["sub"] = "another challenge" }
        await #expect(throws: DeviceFailure.self) { try await world.resolve(id, forged) }
        let entry = try #require(try await entries(world, .multiFactorFailed).first)
        #expect(entry.device == "dev_one")
        #expect(entry.user == "auth0|ann")
        #expect(entry.consent == world.consent(id).rawValue)
        let check = "sub must be the challenge of this request's notification to this device"
        #expect(try details(entry)["failure_details"]?.stringValue == check)
    }

    @Test("A stranger's token leaves no entry")
    func stranger() async throws {
        let world = try await World()
        let id = try await world.start().authReqID
        let before = try await world.made.database.auditLog().count
        await #expect(throws: DeviceFailure.self) {
            try await world.resolve(id, try world.answer(id), token: "made-up")
        }
        #expect(try await world.made.database.auditLog().count == before)
    }

    @Test("What is refused again and again is noted 30 times a minute, and then how often it was")
    func bounded() async throws {
        let world = try await World(clients: [Samples.client(), Samples.client("other")])
        func refused(_ count: Int, client: String = "agent") async throws {
            for _ in 0..<count {
                _ = try await oauthError { _ = try await world.start(["scope": "profile"], client: client) }
            }
        }
        try await refused(50)
        #expect(try await entries(world, .backchannelStartFailed).count == 30)
        try await refused(1, client: "other")
        #expect(try await entries(world, .backchannelStartFailed).count == 31, "others are counted apart")
        world.clock.advance(by: .seconds(60))
        try await refused(2)
        let last = try await entries(world, .backchannelStartFailed).suffix(2).map(details)
        #expect(last.map { $0["left_out"]?.intValue } == [20, nil])
    }
}
