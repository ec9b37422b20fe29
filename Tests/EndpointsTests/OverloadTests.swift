import APIDescription
import Endpoints
import HTTPModel
import OAuthWire
import Primitives
import Routing
import Synchronization
import TestSupport
import Testing

@Suite("An overloaded server refuses early")
struct OverloadTests {
    /// The work that the machine is behind with.
    enum Backlog: CaseIterable { case database, unread }

    /// An endpoint fixture whose backlog a test sets, in percent of the limit.
    private struct Fixture {
        private let level = Shared(0)
        private let backlog: Backlog
        let endpoints: EndpointFixture
        let admission: Admission

        init(_ backlog: Backlog) async throws {
            var limits = Admission.Limits()
            limits.queuedWork = 100
            limits.wait = .seconds(100)
            let admission = Admission(limits) { [level] in backlog == .database ? level.value : 0 }
            self.admission = admission
            self.backlog = backlog
            endpoints = try await EndpointFixture { $0.admission = admission }
        }

        func set(_ percent: Int) { level.set(percent) }

        func send(_ request: Request) async -> HTTPAnswer {
            var request = request
            let waiting = Waiting(.seconds(backlog == .unread ? level.value : 0))
            request.client = waiting
            return await endpoints.server.send(request)
        }

        func send(_ endpoint: EndpointFixture.Endpoint) async throws -> HTTPAnswer {
            await send(try endpoints.good(endpoint))
        }
    }

    /// A client whose request lay unread.
    private final class Waiting: ClientPresence {
        let hasLeft = false
        let silence: Duration
        init(_ silence: Duration) { self.silence = silence }
    }

    private final class Shared: Sendable {
        private let state: Mutex<Int>
        init(_ value: Int) { state = Mutex(value) }
        var value: Int { state.withLock { $0 } }
        func set(_ value: Int) { state.withLock { $0 = value } }
    }

    private static let new: [EndpointFixture.Endpoint] = [.start, .push]
    private static let begun: [EndpointFixture.Endpoint] = [.consent, .resolve, .code, .refresh, .enroll]

    @Test(
        "RFC 9110 15.6.4: beyond a quarter of a limit, new work gets 503 with Retry-After, and what was begun goes on",
        arguments: Backlog.allCases)
    func newWork(backlog: Backlog) async throws {
        let fixture = try await Fixture(backlog)
        fixture.set(26)
        let before = try await fixture.endpoints.server.auditKinds().count
        for endpoint in Self.new {
            let answer = try await fixture.send(endpoint)
            #expect(answer.status == 503)
            #expect(answer["error"]?.stringValue == "temporarily_unavailable")
            #expect((1...5).contains(answer.fields["Retry-After"].flatMap { Int($0) } ?? 0))
        }
        var authorization = Request.get("/authorize", fields: ["Accept": "text/html"])
        authorization.query = "client_id=app"
        let page = await fixture.send(authorization)
        #expect(page.status == 503)
        #expect(page.fields["Content-Type"]?.hasPrefix("text/html") == true, "people get a page")
        #expect(page.fields["Retry-After"] != nil)
        #expect(try await fixture.endpoints.server.auditKinds().count == before, "nothing was done")
        #expect(fixture.admission.refused.map(\.count) == [3, 0])
        for endpoint in Self.begun {
            let answer = try await fixture.send(endpoint)
            #expect(fixture.endpoints.isGood(answer, endpoint), "\(endpoint) \(answer.status) \(answer.text)")
        }
        fixture.set(25)
        let answer = try await fixture.send(.start)
        // A queue of the limit's length has no room.
        #expect(answer.status == (backlog == .database ? 503 : 200))
        fixture.set(0)
        for endpoint in Self.new {
            let answer = try await fixture.send(endpoint)
            #expect(fixture.endpoints.isGood(answer, endpoint), "at once")
        }
    }

    @Test("Beyond the limit only probes and polls are answered", arguments: Backlog.allCases)
    func begunWork(backlog: Backlog) async throws {
        let fixture = try await Fixture(backlog)
        let id = fixture.endpoints.authReqID
        let poll = Request.form("/oauth/token", fixture.endpoints.client.pollParameters(id))
        // The first poll authenticates the client.
        #expect(await fixture.send(poll).status == 400)
        fixture.set(101)
        for endpoint in Self.new + Self.begun {
            let answer = try await fixture.send(endpoint)
            #expect(answer.status == 503, "\(endpoint)")
            #expect(answer.fields["Retry-After"] != nil, "\(endpoint)")
            if endpoint.isDevice { #expect(answer["error"]?.stringValue == "Service Unavailable") }
        }
        #expect(await fixture.send(.get("/healthz")).status == 200)
        #expect(await fixture.send(.get("/readyz")).status == 200)
        fixture.endpoints.server.clock.advance(by: .seconds(10))
        #expect(await fixture.send(poll)["error"]?.stringValue == "authorization_pending")
        fixture.set(0)
        #expect(try await fixture.send(.resolve).status == 204)
    }

    @Test("Every route that begins something a client can begin later is new work, and no other route is")
    func ranks() async throws {
        let expected =
            EndpointPath.allCases.map { ($0.rawValue, $0.begins) }
            + HostedPath.allCases.map { ($0.rawValue, $0.begins) }
        var begins = Dictionary(uniqueKeysWithValues: expected)
        let routes = try await EndpointFixture().server.application.routes
        for route in routes where begins[route.path] == nil {
            // A path of Guardian's hosts without the base is not documented, and ranks as the one with it.
            begins[route.path] = routes.contains {
                $0.path.hasSuffix(route.path) && $0.placedOperations.contains { $0.operation.beginsTicket }
            }
        }
        for route in routes {
            let wanted: Admission.Work = begins[route.path] == true ? .new : .begun
            #expect(route.work == wanted, "\(route.path)")
        }
        #expect(routes.filter { $0.work == .new }.count >= 9)
    }
}

// Without a default, so that a further path needs a decision.

extension EndpointPath {
    fileprivate var begins: Bool {
        switch self {
        case .authorization, .backchannelAuthentication, .pushedAuthorization: true
        case .token, .revocation, .introspection, .approvals, .userInfo, .endSession, .logOutAtOnce, .upstreamCallback,
            .openIDConfiguration, .authorizationServerMetadata, .keySet, .appleAssociation, .appleAssociationAtRoot,
            .assetLinks, .openAPI, .management, .welcome, .approver, .icon, .health, .readiness, .metrics:
            false
        }
    }
}

extension HostedPath {
    fileprivate var begins: Bool {
        switch self {
        case .signUp, .forgotPassword: true
        case .logIn, .resetPassword, .verifyEmail, .selectAccount, .enrollDevice, .enrollByTicket, .enrollShortly,
            .push,
            .code, .noFactor, .recoveryCode, .offerRecoveryCodes, .consent, .connection, .logOut, .approve:
            false
        }
    }
}

extension Operation {
    /// True for an operation of the Management API that makes a link for a person.
    fileprivate var beginsTicket: Bool {
        tag == "Tickets" || id.split(separator: "_").last == "ticket" || id == "invite_user_to_enroll"
    }
}
