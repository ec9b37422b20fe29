import AuthorizationCore
@testable import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The time of authentication at another provider")
struct UpstreamTimeTests {
    // MARK: request and answer of the provider

    @Test("OIDC Core 3.1.2.1: max_age goes to the provider, and prompt=login as max_age=0 too")
    func age() async throws {
        let fixture = try UpstreamFixture()
        typealias Demands = StartUpstreamLogin.Demands
        #expect(try await fixture.start("idp").query["max_age"] == nil)
        #expect(try await fixture.start("idp", demands: Demands(maxAge: 600)).query["max_age"] == "600")
        let anew = try await fixture.start("idp", demands: Demands(prompts: [.login], maxAge: 600))
        #expect(anew.query["max_age"] == "0")
        #expect(anew.query["prompt"] == "login")
        #expect(UpstreamAttempt(anew.attempt.json) == anew.attempt)
    }

    @Test(
        "OIDC Core 3.1.3.7 rule 13: auth_time is the time of the login, and one too long ago for max_age is refused",
        arguments: [
            (StartUpstreamLogin.Demands(), -7200, nil), (StartUpstreamLogin.Demands(maxAge: 600), -660, nil),
            (StartUpstreamLogin.Demands(maxAge: 600), -661, UpstreamFailure.notRecent),
            (StartUpstreamLogin.Demands(maxAge: 600), nil, .notRecent),
            (StartUpstreamLogin.Demands(prompts: [.login]), -61, .notRecent),
            (StartUpstreamLogin.Demands(prompts: [.login]), 5, nil),
            (StartUpstreamLogin.Demands(prompts: [.login]), nil, nil),
            (StartUpstreamLogin.Demands(), 71, .violation(.authenticationTime)),
        ] as [(StartUpstreamLogin.Demands, Int?, UpstreamFailure?)])
    func authenticationTime(demands: StartUpstreamLogin.Demands, second: Int?, failure: UpstreamFailure?) async throws {
        let fixture = try UpstreamFixture()
        let time = second.map { Samples.start + .seconds($0) }
        fixture.idp.change { $0.claims = { claims in claims["auth_time"] = time.map { JSONValue($0.seconds) } } }
        let (_, query, attempt) = try await fixture.start("idp", demands: demands)
        fixture.clock.advance(by: .seconds(10))
        let callback = FormFields([("code", "code"), ("state", query["state"] ?? "")])
        if let failure {
            await #expect(throws: failure) { try await fixture.finish(attempt, callback) }
        } else {
            #expect(try await fixture.finish(attempt, callback).authenticatedAt == time)
        }
    }

    @Test("auth_time of userinfo is no claim of the ID token")
    func userInfoTime() async throws {
        let fixture = try UpstreamFixture()
        fixture.idp.change { $0.userInfo["auth_time"] = JSONValue(Samples.start.seconds) }
        #expect(try await fixture.logIn().authenticatedAt == nil)
        let (_, query, attempt) = try await fixture.start("idp", demands: StartUpstreamLogin.Demands(maxAge: 60))
        await #expect(throws: UpstreamFailure.notRecent) {
            try await fixture.finish(attempt, FormFields([("code", "code"), ("state", query["state"] ?? "")]))
        }
    }

    @Test("OAuth 2 providers state no auth_time, so they get no request with max_age")
    func oauth2() async throws {
        let fixture = try UpstreamFixture()
        #expect(try await fixture.logInWithGitHub().authenticatedAt == nil)
        for name in ["github", "forum"] {
            await #expect(throws: UpstreamFailure.notRecent) {
                _ = try await fixture.start(name, demands: StartUpstreamLogin.Demands(maxAge: 86_400))
            }
            _ = try await fixture.start(name, demands: StartUpstreamLogin.Demands(prompts: [.login]))
        }
    }

    @Test("A max_age is an error only if none of the client's connections can meet it")
    func unmet() async throws {
        let fixture = try await LoginFixture(connections: [LoginFixture.github])
        let unmet = "unmet_authentication_requirements"
        #expect(try await fixture.authorize(Visitor(), ["max_age": "3600"]).error == unmet)
        #expect(try await fixture.authorize(Visitor(), ["max_age": "3600", "connection": "github"]).error == unmet)
        #expect(try await fixture.count(.transactions) == 0)
        #expect(try await fixture.authorize(Visitor()).page.step == .upstream(connection: "github"))
        let both = try await LoginFixture(connections: [.defaultDatabase, LoginFixture.github])
        #expect(try await both.authorize(Visitor(), ["max_age": "3600"]).page.step == .logIn)
        #expect(try await both.authorize(Visitor(), ["max_age": "3600", "connection": "github"]).error == unmet)
    }

    // MARK: consequences

    @Test("OIDC Core 2: auth_time is the other provider's, and max_age counts from it")
    func upstreamTime() async throws {
        let fixture = try await LoginFixture(connections: [.defaultDatabase, LoginFixture.github])
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor, ["connection": "github"]).page
        let time = fixture.now - .seconds(300)
        let answer = visitor.take(
            try await fixture.upstream.logIn(
                page, as: Samples.account(), connection: "github", at: time))
        #expect(try await fixture.code(answer.response).access.authTime == time)
        #expect(try await fixture.authorize(visitor, ["max_age": "300", "prompt": "none"]).error == "login_required")
        #expect(try await fixture.authorize(visitor, ["max_age": "301", "prompt": "none"]).error == nil)
    }

    @Test("A session whose provider stated no auth_time meets no max_age, whatever its age")
    func upstreamWithoutTime() async throws {
        let fixture = try await LoginFixture(connections: [.defaultDatabase, LoginFixture.github])
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor, ["connection": "github"]).page
        let answer = visitor.take(
            try await fixture.upstream.logIn(
                page, as: Samples.account(), connection: "github", at: nil))
        #expect(try answer.error == nil)
        #expect(try await fixture.session(of: visitor)?.authentication.isTimeKnown == false)
        #expect(try await fixture.authorize(visitor, ["max_age": "3600", "prompt": "none"]).error == "login_required")
        #expect(try await fixture.authorize(visitor, ["prompt": "none"]).error == nil)
    }
}
