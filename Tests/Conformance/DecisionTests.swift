import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Where the sources disagree: what is done here")
struct DecisionTests {
    @Test("10: the forms of ids")
    func identifiers() async throws {
        let fixture = try await ConformanceFixture()
        let id = try await fixture.client.started()
        #expect(id.utf8.count == 64)
        let notification = try await fixture.phone.notification(of: id)
        let consent = try notification.transactionLinkingID.orThrow("no consent id")
        #expect(consent.hasPrefix("cns_") && consent.utf8.count == 26)
        #expect(fixture.phone.enrollment.id.hasPrefix("dev_"))
        let user = Identifiers.user(SeededRandom()).rawValue
        #expect(user.hasPrefix("auth0|") && user.utf8.count == 30)
    }

    @Test("18: OAuth errors never carry errorCode, and device errors always do with status and reason")
    func errorForms() async throws {
        let fixture = try await ConformanceFixture()
        let oauth = try await fixture.client.start(["client_secret": "x"])
        #expect(Set((oauth.json.objectValue ?? [:]).map(\.name)) == ["error", "error_description"])
        let device = await fixture.server.send(.json(.post, "/appliance-mfa/api/enroll", [:]))
        #expect(Set((device.json.objectValue ?? [:]).map(\.name)) == ["statusCode", "error", "message", "errorCode"])
        #expect(device["statusCode"]?.intValue == device.status)
        #expect(device["error"] == "Unauthorized")
    }

    @Test(
        "19: the issuer ends in a slash, and is the iss of every token given under that host",
        arguments: [InProcessServer.host, InProcessServer.customHost],
        [InProcessServer.host, InProcessServer.customHost])
    func issuer(startedOn: String, redeemedOn: String) async throws {
        let fixture = try await ConformanceFixture()
        let issuer = "https://\(redeemedOn)/"
        let document = await fixture.server.send(.get("/.well-known/openid-configuration", host: redeemedOn))
        #expect(document["issuer"]?.stringValue == issuer)
        let userinfo = issuer + "userinfo"
        let audiences: [(asked: String?, claim: JSONValue)] = [
            (nil, .string(userinfo)), ("https://dev.example/userinfo", .string(userinfo)),
            ("https://login.dev.example/userinfo", .string(userinfo)),
            (Samples.api, JSONValue([Samples.api, userinfo])),
        ]
        for (audience, expected) in audiences {
            let started = await fixture.server.send(
                .form("/bc-authorize", fixture.client.startParameters(["audience": audience]), host: startedOn))
            let id = try (started["auth_req_id"]?.stringValue).orThrow("not started: \(started.text)")
            _ = try await fixture.phone.decide(id)
            let answer = await fixture.server.send(
                .form("/oauth/token", fixture.client.pollParameters(id), host: redeemedOn))
            for token in ["id_token", "access_token"] {
                #expect(try await fixture.verified(answer[token], host: redeemedOn)["iss"]?.stringValue == issuer)
            }
            #expect(try await fixture.verified(answer["access_token"])["aud"] == expected)
        }
    }

    @Test("22: error texts are English whatever the request's languages are: SDKs compare them")
    func languages() async throws {
        let fixture = try await ConformanceFixture()
        for (locales, accepted) in [(nil, nil), ("fr", nil), (nil, "fr"), ("fr-CA", "fr;q=1, en;q=0.1")]
            as [(String?, String?)]
        {
            let parameters = fixture.client.startParameters(["scope": nil, "ui_locales": locales])
            let answer = await fixture.server.send(.form("/bc-authorize", parameters).with("Accept-Language", accepted))
            expectError(answer, 400, "invalid_request", "openid scope must be requested")
        }
        // Also where the body could not be read, and at the token endpoint.
        var broken = Request.form("/oauth/token", [:], fields: ["Accept-Language": "fr"])
        broken.body = Array("a=%zz".utf8)
        expectError(
            await fixture.server.send(broken), 400, "invalid_request",
            "The parameter a is not valid form encoding of UTF-8 without NUL")
        let poll = fixture.client.pollParameters(try await fixture.client.started()).merging(["ui_locales": "fr"]) {
            $1
        }
        expectError(
            await fixture.server.send(.form("/oauth/token", poll).with("Accept-Language", "fr")), 400,
            "authorization_pending", "The end-user authorization is pending")
    }

    @Test("23: oidc_conformant makes no difference")
    func oidcConformant() async throws {
        let fixture = try await ConformanceFixture { $0.clients[0].oidcConformant = false }
        #expect(try await fixture.tokens().status == 200)
    }
}
