import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Identifiers and issuers")
struct IssuerTests {
    @Test("Identifiers: formats of auth_req_id, consent, device and user ids")
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

    @Test(
        "OIDC Discovery 4.3: the issuer ends in a slash and is the iss of every token of that host",
        arguments: [InProcessServer.host, InProcessServer.customHost],
        [InProcessServer.host, InProcessServer.customHost])
    func issuer(startedOn: String, redeemedOn: String) async throws {
        let fixture = try await ConformanceFixture()
        let issuer = "https://\(redeemedOn)/"
        let document = await fixture.server.send(.get("/.well-known/openid-configuration", host: redeemedOn))
        #expect(document["issuer"]?.stringValue == issuer)
        let userinfo = issuer + "userinfo"
        let audiences: [(requested: String?, claim: JSONValue)] = [
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
}
