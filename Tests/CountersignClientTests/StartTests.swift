import CountersignClient
import Foundation
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import Testing

private struct Payment: AuthorizationDetail, Equatable {
    static let type = "payment"
    var amount: String
    var currency: String
}

private struct Transfer: AuthorizationDetail, Equatable {
    static let type = "transfer"
    var account: String
}

@Suite("Starting a backchannel request")
struct StartTests {
    @Test("CIBA Core 7.1: every parameter is sent, and the acknowledgement is read")
    func parameters() async throws {
        let fixture = try ClientFixture()
        fixture.transport.answer(
            "/bc-authorize", 200,
            [
                "auth_req_id": "req-1", "expires_in": 120, "interval": 7,
                "approval_uri": "https://id.example/u/approve?id=cns_1", "matching_code": "07",
            ])
        let request = try BackchannelRequest(
            user: ClientFixture.user, bindingMessage: "TX-4711", scope: ["openid", "pay:send"],
            audience: "https://pay.example/",
            authorizationDetails: [Payment(amount: "12.50", currency: "EUR"), Transfer(account: "X")],
            requestedExpiry: .seconds(120))
        let pending = try await fixture.client().start(request)
        #expect(pending.authReqID == "req-1")
        #expect(pending.expiresIn == 120)
        #expect(pending.interval == 7)
        #expect(pending.approvalURI?.absoluteString == "https://id.example/u/approve?id=cns_1")
        #expect(pending.matchingCode == "07")

        let form = try #require(fixture.transport.sent("/bc-authorize").first).form
        #expect(form["client_id"] == "agent")
        #expect(form["client_secret"] == "s3cret")
        #expect(form["scope"] == "openid pay:send")
        #expect(form["binding_message"] == "TX-4711")
        #expect(form["audience"] == "https://pay.example/")
        #expect(form["requested_expiry"] == "120")
        let hint = try JSONReader.parse(try #require(form["login_hint"]))
        #expect(
            hint == ["format": "iss_sub", "iss": .string(ClientFixture.issuer), "sub": .string(ClientFixture.user)])
        let details = try JSONReader.parse(try #require(form["authorization_details"]))
        #expect(
            details == [
                ["type": "payment", "amount": "12.50", "currency": "EUR"], ["type": "transfer", "account": "X"],
            ])
    }

    @Test(
        "An address of the approval page that is not on the web is none",
        arguments: [#""javascript:alert(1)""#, #""x""#, "1"])
    func approvalPage(text: String) async throws {
        let fixture = try ClientFixture()
        var answer: JSONObject = ["auth_req_id": "req-1", "expires_in": 120]
        answer["approval_uri"] = try JSONReader.parse(text)
        fixture.transport.answer("/bc-authorize", 200, .object(answer))
        let pending = try await fixture.client().start(
            BackchannelRequest(user: ClientFixture.user, bindingMessage: "TX-4711"))
        #expect(pending.approvalURI == nil && pending.matchingCode == nil)
        #expect(try JSONDecoder().decode(PendingAuthorization.self, from: JSONEncoder().encode(pending)) == pending)
    }

    @Test("RFC 9493 3.2: an address is sent as email, a number as phone_number, and anything else as an id")
    func email() async throws {
        let fixture = try ClientFixture()
        for (user, expected) in [
            ("ann@shop.example", ["format": "email", "email": "ann@shop.example"]),
            ("+41791234567", ["format": "phone_number", "phone_number": "+41791234567"]),
            ("+1|2", ["format": "iss_sub", "iss": .string(ClientFixture.issuer), "sub": "+1|2"]),
            (
                "waad|ann@shop.example",
                ["format": "iss_sub", "iss": .string(ClientFixture.issuer), "sub": "waad|ann@shop.example"]
            ),
        ] as [(String, JSONValue)] {
            fixture.transport.answer("/bc-authorize", 200, ["auth_req_id": "req-1", "expires_in": 300])
            _ = try await fixture.client().start(BackchannelRequest(user: user, bindingMessage: "ok"))
            let form = try #require(fixture.transport.sent("/bc-authorize").last).form
            #expect(try JSONReader.parse(try #require(form["login_hint"])) == expected)
        }
    }

    @Test("RFC 7523: a key authenticates with an assertion for the issuer, with a new jti each time")
    func privateKey() async throws {
        let fixture = try ClientFixture()
        let signer = try OpenSSLSigner.generate(algorithm: .es256, keyID: "mine")
        let client = try fixture.client(.privateKey(signer))
        for _ in 0..<2 { _ = try await fixture.start(client) }
        var identifiers: Set<String> = []
        for sent in fixture.transport.sent("/bc-authorize") {
            #expect(sent.form["client_id"] == "agent")
            #expect(sent.form["client_secret"] == nil)
            #expect(sent.form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            let assertion = try JWS(parsing: try #require(sent.form["client_assertion"]))
            #expect(assertion.keyID == "mine")
            let payload = try assertion.verified(by: signer.publicKey, allowed: [.es256], using: OpenSSLVerifier())
            let claims = try #require(Claims(payload: payload))
            #expect(claims.issuer == "agent" && claims.subject == "agent")
            #expect(claims.audience == [ClientFixture.issuer])
            #expect(claims.issuedAt == fixture.clock.now)
            #expect(claims.expires == fixture.clock.now + .seconds(60))
            identifiers.insert(try #require(claims.identifier))
        }
        #expect(identifiers.count == 2)
    }

    @Test(
        "The kind of a PEM key determines its algorithm",
        arguments: [.es256, .edDSA, .rs256] as [JWSAlgorithm])
    func pem(_ algorithm: JWSAlgorithm) async throws {
        let signer = try OpenSSLSigner.generate(algorithm: algorithm)
        let base64 = Base64.encode(try signer.exportPKCS8().bytes)
        let pem = "-----BEGIN PRIVATE KEY-----\n\(base64)\n-----END PRIVATE KEY-----\n"
        let fixture = try ClientFixture()
        _ = try await fixture.start(try fixture.client(.privateKey(pem: Data(pem.utf8), keyID: "mine")))
        let sent = try #require(fixture.transport.sent("/bc-authorize").first)
        let assertion = try JWS(parsing: try #require(sent.form["client_assertion"]))
        #expect(assertion.keyID == "mine")
        _ = try assertion.verified(by: signer.publicKey, allowed: [algorithm], using: OpenSSLVerifier())
        #expect(throws: CountersignError.self) { try ClientAuthentication.privateKey(pem: Data("no key".utf8)) }
    }

    @Test("RFC 6749 2.3.1: HTTP Basic encodes id and secret, and the body has no secret")
    func basic() async throws {
        let fixture = try ClientFixture()
        _ = try await fixture.start(try fixture.client(.secretBasic("a:b c")))
        let sent = try #require(fixture.transport.sent("/bc-authorize").first)
        #expect(sent.fields["Authorization"] == "Basic " + Base64.encode(Array("agent:a%3Ab%20c".utf8)))
        #expect(sent.form["client_secret"] == nil)
        #expect(sent.form["client_id"] == nil)
    }

    @Test("A secret is not printed")
    func redaction() {
        #expect(!String(reflecting: ClientAuthentication.secretPost("s3cret")).contains("s3cret"))
    }

    @Test("Invalid input is refused before anything is sent")
    func local() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        let good = BackchannelRequest(user: ClientFixture.user, bindingMessage: "ok")
        func failure(_ change: (inout BackchannelRequest) -> Void) async -> CountersignError? {
            var request = good
            change(&request)
            do throws(CountersignError) {
                _ = try await client.start(request)
                return nil
            } catch {
                return error
            }
        }
        guard case .invalidBindingMessage(let text) = await failure({ $0.bindingMessage = "pay 5$" }) else {
            Issue.record("a character outside the alphabet")
            return
        }
        #expect(text.contains("'$'"))
        guard case .invalidBindingMessage = await failure({ $0.bindingMessage = String(repeating: "x", count: 65) })
        else {
            Issue.record("too long")
            return
        }
        guard case .invalidAuthorizationDetails = await failure({ $0.authorizationDetails = [["amount": 1]] }) else {
            Issue.record("no type")
            return
        }
        for expiry in [Duration.zero, .seconds(259_201), .milliseconds(1500)] {
            guard case .invalidRequest = await failure({ $0.requestedExpiry = expiry }) else {
                Issue.record("requestedExpiry \(expiry)")
                return
            }
        }
        #expect(fixture.transport.sent("/bc-authorize").isEmpty)
    }

    @Test("Printable Unicode is sent to a tenant with the wider alphabet")
    func unicode() async throws {
        let fixture = try ClientFixture()
        fixture.transport.answer("/bc-authorize", 200, ["auth_req_id": "req-1", "expires_in": 120])
        var request = BackchannelRequest(user: ClientFixture.user, bindingMessage: "Virement de 5 €")
        request.alphabet = .unicode
        let pending = try await fixture.client().start(request)
        #expect(pending.interval == 5, "CIBA Core 7.3: five seconds where the server names none")
    }

    @Test(
        "Each refusal has its own error",
        arguments: [
            (400, "unknown_user_id", "x", CountersignError.userUnknown),
            (
                400, "invalid_request", "No eligible notification channels were found. guardian-push: none",
                .noEligibleDevice(description: "No eligible notification channels were found. guardian-push: none")
            ),
            (400, "invalid_request", "x", .invalidRequest("x")),
            (400, "invalid_scope", "x", .invalidRequest("x")),
            (400, "invalid_binding_message", "x", .invalidBindingMessage("x")),
            (400, "invalid_authorization_details", "x", .invalidAuthorizationDetails("x")),
            (401, "invalid_client", "x", .clientRejected("x")),
            (401, "access_denied", "Unauthorized", .clientRejected("Unauthorized")),
            (403, "unauthorized_client", "x", .clientRejected("x")),
            (429, "too_many_requests", "x", .rateLimited(retryAfter: .seconds(17))),
            (500, "server_error", "x", .network("x")),
        ])
    func refusals(_ status: Int, _ code: String, _ text: String, _ expected: CountersignError) async throws {
        let fixture = try ClientFixture()
        fixture.transport.answer(
            "/bc-authorize", status, ["error": .string(code), "error_description": .string(text)],
            ["Retry-After": "17"])
        await #expect(throws: expected) {
            try await fixture.client().start(BackchannelRequest(user: ClientFixture.user, bindingMessage: "ok"))
        }
    }

    @Test("OIDC Discovery 4.3: a document of another issuer is refused")
    func otherIssuer() async throws {
        let fixture = try ClientFixture()
        fixture.transport.discovery = [
            "issuer": "https://evil.example.org/", "jwks_uri": "https://evil.example.org/jwks",
            "token_endpoint": "https://evil.example.org/token",
        ]
        let failure = await #expect(throws: CountersignError.self) {
            try await fixture.client().start(BackchannelRequest(user: ClientFixture.user, bindingMessage: "ok"))
        }
        guard case .protocolViolation = failure else {
            Issue.record("unexpected: \(String(describing: failure))")
            return
        }
    }

    @Test("Endpoints without TLS are refused")
    func insecureEndpoint() async throws {
        let fixture = try ClientFixture()
        fixture.transport.discovery = [
            "issuer": .string(ClientFixture.issuer), "jwks_uri": "https://id.example.org/jwks",
            "token_endpoint": "http://id.example.org/oauth/token",
        ]
        await #expect(throws: CountersignError.self) {
            try await fixture.client().start(BackchannelRequest(user: ClientFixture.user, bindingMessage: "ok"))
        }
        #expect(fixture.transport.sent.count == 1)
    }

    @Test(
        "RFC 8252 8.3: a loopback issuer may be http if all of its endpoints are loopback too",
        arguments: [
            ("http://localhost:8443/", "http://localhost:8443/token", true),
            ("http://127.0.0.2/", "http://127.0.0.2/token", true),
            ("http://[::1]:8443/", "https://id.example.org/token", true),
            ("http://localhost:8443/", "http://id.example.org/token", false),
            ("http://localhost:8443/", "http://10.0.0.1/token", false),
        ])
    func localIssuer(_ issuer: String, endpoint: String, isAccepted: Bool) async throws {
        let fixture = try ClientFixture()
        let client = try CountersignClient(
            issuer: try #require(URL(string: issuer)), clientID: "agent", authentication: .secretPost("x"),
            environment: fixture.environment)
        fixture.transport.answer(
            "\(issuer).well-known/openid-configuration", 200,
            [
                "issuer": .string(issuer), "jwks_uri": .string("\(issuer)jwks"), "token_endpoint": .string(endpoint),
                "backchannel_authentication_endpoint": .string("\(issuer)bc-authorize"),
            ])
        fixture.transport.answer("\(issuer)bc-authorize", 200, ["auth_req_id": "r", "expires_in": 300])
        let request = BackchannelRequest(user: ClientFixture.user, bindingMessage: "ok")
        if isAccepted {
            #expect(try await client.start(request).authReqID == "r")
        } else {
            await #expect(throws: CountersignError.self) { try await client.start(request) }
            #expect(fixture.transport.sent.count == 1, "nothing but the document was asked for")
        }
    }

    @Test(
        "An issuer is https or loopback",
        arguments: [
            "http://id.example.org/", "http://10.0.0.1/", "http://localhost.example/", "http://[fe80::1]/", "ftp://x/",
            "https:///", "https://x/?a=b",
        ])
    func issuer(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(throws: CountersignError.self) {
            try CountersignClient(
                issuer: url, clientID: "agent", authentication: .secretPost("x"),
                environment: try ClientFixture().environment)
        }
    }

    @Test("Discovery is fetched once while fresh")
    func cached() async throws {
        let fixture = try ClientFixture()
        let client = try fixture.client()
        for _ in 0..<3 { _ = try await fixture.start(client) }
        #expect(fixture.transport.sent("/.well-known/openid-configuration").count == 1)
        fixture.clock.advance(.seconds(301))
        _ = try await fixture.start(client)
        #expect(fixture.transport.sent("/.well-known/openid-configuration").count == 2)
    }
}
