import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("JSON request bodies")
struct JSONBodyTests {
    @Test("CIBA Core 7.1: requested_expiry may be a JSON number, also with a zero fraction")
    func expiryAsNumber() async throws {
        let fixture = try await ConformanceFixture()
        for literal in ["120", "120.0", "1.2e2"] {
            let number = try JSONReader.parse(literal)
            let answer = await fixture.server.send(
                .json(.post, "/bc-authorize", try jsonParameters(fixture, ["requested_expiry": number])))
            #expect(answer["expires_in"]?.intValue == 120)
        }
    }

    @Test("JSON bodies are read like forms, also under a form's media type; null means absent")
    func jsonBodies() async throws {
        let fixture = try await ConformanceFixture()
        let body = try jsonParameters(fixture, ["audience": nil, "unknown": ["a": [1, 2]], "login_hint_token": ""])
        for type in [
            "application/json", "application/json; charset=utf-8", "APPLICATION/JSON",
            "application/x-www-form-urlencoded",
        ] {
            let request = Request.json(.post, "/bc-authorize", body).with("Content-Type", type)
            #expect(await fixture.server.send(request).status == 200, "\(type)")
        }
        let id = try await fixture.client.started()
        var poll = JSONObject()
        for (name, value) in fixture.client.pollParameters(id) { poll[name] = value.map(JSONValue.string) }
        expectError(
            await fixture.server.send(.json(.post, "/oauth/token", .object(poll))), 400, "authorization_pending")
    }

    @Test("authorization_details and login_hint may be nested JSON")
    func nestedJSON() async throws {
        let fixture = try await ConformanceFixture()
        let body = try jsonParameters(
            fixture,
            [
                "audience": .string(Samples.api), "authorization_details": [["type": "payment", "n": 1]],
                "login_hint": ["format": "iss_sub", "iss": "https://dev.example/", "sub": "auth0|ann"],
            ])
        #expect(await fixture.server.send(.json(.post, "/bc-authorize", body)).status == 200)
    }

    @Test("RFC 6749 3.1: JSON with a repeated member, or other than an object, is refused")
    func badJSON() async throws {
        let fixture = try await ConformanceFixture()
        for (body, expected) in [
            (#"{"client_id":"a","client_id":"b"}"#, "The body repeats the member client_id; send it once"),
            ("[]", "The JSON body must be an object"), ("null", "The JSON body must be an object"),
            (#"{"client_id":"a\u0000"}"#, "The member client_id contains a NUL character"),
        ] {
            var request = Request.json(.post, "/oauth/token", [:])
            request.body = Array(body.utf8)
            expectError(await fixture.server.send(request), 400, "invalid_request", expected)
        }
    }

    /// A valid start request as a JSON object, with `changes`.
    private func jsonParameters(_ fixture: ConformanceFixture, _ changes: JSONObject) throws -> JSONValue {
        var object = JSONObject()
        for (name, value) in fixture.client.startParameters() { object[name] = value.map(JSONValue.string) }
        for (name, value) in changes { object[name] = value }
        return .object(object)
    }
}
