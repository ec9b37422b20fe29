import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Error formats")
struct ErrorFormTests {
    @Test("RFC 6749 5.2: OAuth errors have no errorCode; device errors have errorCode, status and reason")
    func errorForms() async throws {
        let fixture = try await ConformanceFixture()
        let oauth = try await fixture.client.start(["client_secret": "x"])
        #expect(Set((oauth.json.objectValue ?? [:]).map(\.name)) == ["error", "error_description"])
        let device = await fixture.server.send(.json(.post, "/appliance-mfa/api/enroll", [:]))
        #expect(Set((device.json.objectValue ?? [:]).map(\.name)) == ["statusCode", "error", "message", "errorCode"])
        #expect(device["statusCode"]?.intValue == device.status)
        #expect(device["error"] == "Unauthorized")
    }

    @Test("RFC 6749 5.2: error texts are English in every locale, because SDKs compare them")
    func languages() async throws {
        let fixture = try await ConformanceFixture()
        for (locales, accepted) in [(nil, nil), ("fr", nil), (nil, "fr"), ("fr-CA", "fr;q=1, en;q=0.1")]
            as [(String?, String?)]
        {
            let parameters = fixture.client.startParameters(["scope": nil, "ui_locales": locales])
            let answer = await fixture.server.send(.form("/bc-authorize", parameters).with("Accept-Language", accepted))
            expectError(answer, 400, "invalid_request", "openid scope must be requested")
        }
        // The same holds for an unreadable body and at the token endpoint.
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
}
