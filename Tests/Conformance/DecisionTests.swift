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
        let world = try await World()
        let id = try await world.client.started()
        #expect(id.utf8.count == 64)
        let notification = try await world.phone.notification(of: id)
        let consent = try notification.transactionLinkingID.orThrow("no consent id")
        #expect(consent.hasPrefix("cns_") && consent.utf8.count == 26)
        #expect(world.phone.enrollment.id.hasPrefix("dev_"))
        let user = Identifiers.user(SeededRandom()).rawValue
        #expect(user.hasPrefix("auth0|") && user.utf8.count == 30)
    }

    @Test("18: OAuth errors never carry errorCode, and device errors always do with status and reason")
    func errorForms() async throws {
        let world = try await World()
        let oauth = try await world.client.start(["client_secret": "x"])
        #expect(Set((oauth.json.objectValue ?? [:]).map(\.name)) == ["error", "error_description"])
        let device = await world.server.send(.json(.post, "/appliance-mfa/api/enroll", [:]))
        #expect(Set((device.json.objectValue ?? [:]).map(\.name)) == ["statusCode", "error", "message", "errorCode"])
        #expect(device["statusCode"]?.intValue == device.status)
        #expect(device["error"] == "Unauthorized")
    }

    @Test(
        "19: the issuer ends in a slash, and is the iss of every token given under that host",
        arguments: [InProcessServer.host, InProcessServer.customHost],
        [InProcessServer.host, InProcessServer.customHost])
    func issuer(startedOn: String, redeemedOn: String) async throws {
        let world = try await World()
        let issuer = "https://\(redeemedOn)/"
        let document = await world.server.send(.get("/.well-known/openid-configuration", host: redeemedOn))
        #expect(document["issuer"]?.stringValue == issuer)
        let userinfo = issuer + "userinfo"
        let audiences: [(asked: String?, claim: JSONValue)] = [
            (nil, .string(userinfo)), ("https://dev.example/userinfo", .string(userinfo)),
            ("https://login.dev.example/userinfo", .string(userinfo)),
            (Samples.api, JSONValue([Samples.api, userinfo])),
        ]
        for (audience, expected) in audiences {
            let started = await world.server.send(
                .form("/bc-authorize", world.client.startParameters(["audience": audience]), host: startedOn))
            let id = try (started["auth_req_id"]?.stringValue).orThrow("not started: \(started.text)")
            _ = try await world.phone.decide(id)
            let answer = await world.server.send(
                .form("/oauth/token", world.client.pollParameters(id), host: redeemedOn))
            for token in ["id_token", "access_token"] {
                #expect(try await world.verified(answer[token], host: redeemedOn)["iss"]?.stringValue == issuer)
            }
            #expect(try await world.verified(answer["access_token"])["aud"] == expected)
        }
    }

    @Test("22: texts follow ui_locales before Accept-Language; codes never change")
    func languages() async throws {
        let world = try await World()
        let french = "Le scope openid doit être demandé"
        let english = "openid scope must be requested"
        for (locales, accepted, expected) in [
            (nil, nil, english), ("fr", nil, french), ("fr-CA", nil, french), ("de fr en", nil, french),
            ("en fr", "fr", english), (nil, "fr", french), (nil, "de, fr;q=0.8, en;q=0.5", french),
            (nil, "fr;q=0.2, en;q=0.5", english), (nil, "fr;q=0", english), ("de", "fr-CH", french),
            (nil, "*", english),
            (nil, "fr;q=x", english), ("FR", nil, french),
        ] as [(String?, String?, String)] {
            let answer = await world.server.send(
                .form("/bc-authorize", world.client.startParameters(["scope": nil, "ui_locales": locales]))
                    .with("Accept-Language", accepted))
            expectError(answer, 400, "invalid_request", expected)
        }
        // Also where the body could not be read, and at the token endpoint.
        var broken = Request.form("/oauth/token", [:], fields: ["Accept-Language": "fr"])
        broken.body = Array("a=%zz".utf8)
        let answer = await world.server.send(broken)
        expectError(
            answer, 400, "invalid_request",
            "Le paramètre a n'est pas un encodage de formulaire valide en UTF-8 sans NUL")
        let id = try await world.client.started()
        let poll = Request.form("/oauth/token", world.client.pollParameters(id).merging(["ui_locales": "fr"]) { $1 })
        expectError(
            await world.server.send(poll), 400, "authorization_pending",
            "L'autorisation de l'utilisateur final est en attente")
    }

    @Test("23: oidc_conformant makes no difference")
    func oidcConformant() async throws {
        let world = try await World { $0.clients[0].oidcConformant = false }
        #expect(try await world.tokens().status == 200)
    }
}
