import AuthorizationCore
import CurlTransport
import Flows
import HTTPModel
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Logging in with GitHub and other OAuth 2 providers")
struct GitHubUpstreamTests {
    @Test("GitHub's profile becomes the user's: id, login, name, avatar_url and the verified primary address")
    func profile() async throws {
        let fixture = try UpstreamFixture()
        let user = try await fixture.logInWithGitHub().user
        #expect(user.id == UserID("github|583231"))
        #expect(user.nickname == "octocat" && user.name == "The Octocat")
        #expect(user.picture == "https://avatars.githubusercontent.com/u/583231?v=4")
        #expect(user.email == "octocat@github.example" && user.emailVerified)
        let api = fixture.github.requests.filter { $0.path.hasPrefix("/user") }
        #expect(api.count == 2)
        #expect(api.allSatisfy { $0.fields["Accept"] == "application/vnd.github+json" })
        #expect(api.allSatisfy { $0.fields["User-Agent"] == "Countersign" })
    }

    @Test("An address is verified only if GitHub verified it, and the public one of the profile never is")
    func unverified() async throws {
        let fixture = try UpstreamFixture(tenant: { $0.settings.linksVerifiedEmails = true })
        let ann = Samples.user("auth0|ann") { user in
            user.email = "ann@example.org"
            user.emailVerified = true
        }
        fixture.accounts.state.withLock { $0.accounts = [Account(user: ann, passwordHash: "x")] }
        fixture.github.person.emails = [GitHubStandIn.Person.Email("ann@example.org", verified: false)]
        let user = try await fixture.logInWithGitHub().user
        #expect(user.id == UserID("github|583231") && user.email == "ann@example.org" && !user.emailVerified)
        fixture.github.person.id = 2
        fixture.github.person.name = nil
        fixture.github.person.publicEmail = "ann@example.org"
        fixture.github.person.emails = []
        let second = try await fixture.logInWithGitHub().user
        #expect(second.id == UserID("github|2") && second.email == "ann@example.org" && !second.emailVerified)
        #expect(second.name == "octocat", "who gives no name is called by their login")
    }

    @Test("RFC 9700 4.4: an answer of another host's issuer is refused, and its code is not sent")
    func mixUp() async throws {
        for connection in ["github", "forum"] {
            let fixture = try UpstreamFixture()
            let (_, query, attempt) = try await fixture.start(connection)
            for issuer in ["https://idp.example/", "https://github.com.evil.example/", "http://github.com", "x"] {
                let callback = FormFields([("code", "c"), ("state", query["state"] ?? ""), ("iss", issuer)])
                let failure = try await #require(throws: UpstreamFailure.self) {
                    try await fixture.finish(attempt, callback)
                }
                #expect(failure == .violation(.responseIssuer))
            }
            #expect(fixture.github.requests.isEmpty)
        }
        let fixture = try UpstreamFixture()
        let (location, _, attempt) = try await fixture.start("github")
        let github = fixture.github
        var callback = try await fixture.callback(
            from: location, of: HandlerClient([UpstreamFixture.github: { github.handle($0) }]))
        callback.append("iss", "https://github.com/login/oauth")
        #expect(try await fixture.finish(attempt, callback).user.id == UserID("github|583231"))
    }

    @Test("A refusal by the user, and a used code, are shown in GitHub's words")
    func refusals() async throws {
        let fixture = try UpstreamFixture()
        fixture.github.person.denies = true
        let denied = try await #require(throws: UpstreamFailure.self) { try await fixture.logInWithGitHub() }
        #expect(
            denied == .refused(error: "access_denied", description: "The user has denied your application access."))
        fixture.github.person.denies = false
        let (_, query, attempt) = try await fixture.start("github")
        let used = try await #require(throws: UpstreamFailure.self) {
            try await fixture.finish(attempt, FormFields([("code", "gone"), ("state", query["state"] ?? "")]))
        }
        #expect(
            used
                == .refused(
                    error: "bad_verification_code", description: "The code passed is incorrect or expired."))
    }

    @Test("Over sockets, against an Enterprise Server's paths, with the transport of the server")
    func sockets() async throws {
        let standIn = UpstreamFixture.standIn()
        let url = try standIn.start()
        let outcome: UpstreamOutcome
        do {
            let transport = try CurlTransport()
            let client = try OutgoingTransport(OutgoingPolicy(allowing: OutgoingPolicy.loopback))
            let fixture = try UpstreamFixture(github: url, client: client, standIn: standIn)
            let (location, _, attempt) = try await fixture.start("github")
            outcome = try await fixture.finish(attempt, try await fixture.callback(from: location, of: transport))
        } catch {
            await standIn.stop()
            throw error
        }
        await standIn.stop()
        #expect(outcome.user.id == UserID("github|583231") && outcome.user.emailVerified)
        #expect(standIn.requests.map(\.path).suffix(2) == ["/api/v3/user", "/api/v3/user/emails"])
    }

    private static func forum(_ token: Response, me: JSONValue = ["uid": "7", "name": "Ann"]) -> [String: Handler] {
        [
            "https://forum.example": { request in
                switch request.path {
                case "/token": token
                case "/me":
                    Response(
                        status: 200, fields: ["Content-Type": "application/json"],
                        body: .bytes(JSONWriter.bytes(me)))
                default: Response(status: 404)
                }
            }
        ]
    }

    private func logIn(_ fixture: UpstreamFixture) async throws -> UpstreamOutcome {
        let (_, query, attempt) = try await fixture.start("forum")
        return try await fixture.finish(attempt, FormFields([("code", "c"), ("state", query["state"] ?? "")]))
    }

    @Test("RFC 6749 clause 5.1: a token response that is a form is read too, with its errors")
    func form() async throws {
        func answer(_ text: String) -> Response {
            Response(
                status: 200, fields: ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
                body: .bytes(Array(text.utf8)))
        }
        let fixture = try UpstreamFixture(forum: Self.forum(answer("access_token=a&token_type=bearer")))
        let user = try await logIn(fixture).user
        #expect(user.id == UserID("forum|7") && user.name == "Ann")
        let refused = try UpstreamFixture(forum: Self.forum(answer("error=bad_verification_code")))
        let failure = try await #require(throws: UpstreamFailure.self) { try await logIn(refused) }
        #expect(failure == .refused(error: "bad_verification_code", description: nil))
    }

    @Test(
        "A profile without a valid identifier is refused",
        arguments: [["name": "Ann"], ["uid": ""], ["uid": "a b"], ["uid": true], ["uid": .null], "text"] as [JSONValue])
    func noSubject(me: JSONValue) async throws {
        let token = Response(
            status: 200, fields: ["Content-Type": "application/json"],
            body: .bytes(Array(#"{"access_token":"a"}"#.utf8)))
        let fixture = try UpstreamFixture(forum: Self.forum(token, me: me))
        let failure = try await #require(throws: UpstreamFailure.self) { try await logIn(fixture) }
        guard case .violation(.profile) = failure else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test("The log names a provider that cannot be reached, without the request")
    func unreachable() async throws {
        let fixture = try UpstreamFixture()
        let failure = try await #require(throws: UpstreamFailure.self) { try await logIn(fixture) }
        guard case .unavailable(let text) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(text.hasPrefix("https://forum.example/token: "))
        #expect(!text.contains("secret"))
    }
}
