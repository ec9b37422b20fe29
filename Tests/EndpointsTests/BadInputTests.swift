import AuthorizationCore
import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Bad input: every endpoint, every kind")
struct BadInputTests {
    @Test("The requests that the other tests break are valid", arguments: EndpointFixture.Endpoint.allCases)
    func good(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let answer = await fixture.server.send(try fixture.good(endpoint))
        #expect(fixture.isGood(answer, endpoint), "\(answer.status) \(answer.text)")
    }

    @Test("Wrong method: 405 with the allowed methods", arguments: EndpointFixture.Endpoint.allCases)
    func method(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        let probe = await fixture.server.send(Self.changed(good) { $0.method = HTTPMethod("BREW") })
        let allowed = (probe.fields["Allow"] ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        #expect(allowed.contains { $0 == good.method.rawValue })
        for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "BREW", ""]
        where !allowed.contains(where: { $0 == method }) {
            let answer = try await fixture.refused(
                Self.changed(good) { $0.method = HTTPMethod(method) }, at: endpoint, [405],
                [endpoint.isDevice ? "method_not_found" : "method_not_allowed"])
            #expect(answer.fields["Allow"] == probe.fields["Allow"])
        }
    }

    @Test("A wrong or missing content type is refused", arguments: EndpointFixture.Endpoint.reading)
    func contentType(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        for type in [
            nil, "", "text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json-seq",
            "json", "application/octet-stream",
        ] as [String?] {
            try await fixture.refused(
                good.with("Content-Type", type), at: endpoint, [400], ["invalid_request", "invalid_body"])
        }
        if !EndpointFixture.Endpoint.oauth.contains(endpoint) {
            try await fixture.refused(
                good.with("Content-Type", "application/x-www-form-urlencoded"), at: endpoint, [400], ["invalid_body"])
        }
    }

    @Test("An encoded body is refused, naming Content-Encoding", arguments: EndpointFixture.Endpoint.reading)
    func contentCoding(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        for coding in ["gzip", "br", "deflate", "identity, gzip", "x"] {
            let answer = try await fixture.refused(
                good.with("Content-Encoding", coding), at: endpoint, [400], ["invalid_request", "invalid_body"])
            #expect(answer.message.contains("Content-Encoding"))
        }
        let plain = await fixture.server.send(good.with("Content-Encoding", "identity"))
        #expect(fixture.isGood(plain, endpoint))
    }

    @Test(
        "Repeated single-value fields are refused", arguments: EndpointFixture.Endpoint.allCases)
    func repeatedFields(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        for name in ["Authorization", "Content-Type", "Host"] {
            guard let value = good.fields[name] else { continue }
            let answer = try await fixture.refused(
                Self.changed(good) { $0.fields.append(name, value) }, at: endpoint, [400],
                ["invalid_request", "invalid_body"])
            #expect(answer.message.contains(name), "\(answer.message)")
        }
    }

    @Test("Malformed bodies are refused", arguments: EndpointFixture.Endpoint.reading)
    func brokenBodies(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 30_000)
        let bodies: [[UInt8]] = [
            [], [0], [0xFF, 0xFE], Array("{".utf8), Array("{}".utf8), Array("[]".utf8), Array("null".utf8),
            Array("\"text\"".utf8), deep, Array("{\"a\":".utf8) + deep,
            Array(#"{"client_id":"\ud800"}"#.utf8), Array("{\"a\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8),
            Array("{\"a\":\"\u{0}\"}".utf8), Array(#"{"a":1,"a":2}"#.utf8), Array(#"{"a":01}"#.utf8),
            Array(#"{"a":1}x"#.utf8), [0xEF, 0xBB, 0xBF] + Array("{}".utf8), Array("a=%00".utf8), Array("a=%ff".utf8),
            Array("a=%".utf8), Array("%zz=1".utf8), Array("a=1&a=2".utf8),
            Array((0..<200).map { "p\($0)=x" }.joined(separator: "&").utf8),
            [UInt8](repeating: UInt8(ascii: "&"), count: 5000), Array("=&=".utf8),
        ]
        var types = ["application/json"]
        if EndpointFixture.Endpoint.oauth.contains(endpoint) { types.append("application/x-www-form-urlencoded") }
        for type in types {
            for body in bodies {
                // An empty update is valid.
                if endpoint == .update, body == Array("{}".utf8) { continue }
                try await fixture.refused(
                    Self.changed(good.with("Content-Type", type)) { $0.body = body }, at: endpoint, [400, 401],
                    ["invalid_request", "invalid_client", "invalid_body"])
            }
        }
        #expect(fixture.isGood(await fixture.server.send(good), endpoint))
    }

    @Test(
        "A missing, repeated, malformed or too long form parameter is refused",
        arguments: EndpointFixture.Endpoint.oauth)
    func formParameters(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let parameters = fixture.parameters(endpoint)
        let path = try fixture.good(endpoint).path
        for name in parameters.keys.sorted() {
            let rest = parameters.filter { $0.key != name }
            var statuses: Set = [400]
            if name.hasPrefix("client_") { statuses = [401] }
            // `redirect_uri` is optional for a client with one redirect URI.
            if !(endpoint == .push && name == "redirect_uri") {
                try await fixture.refused(.form(path, rest), at: endpoint, statuses)
                try await fixture.refused(.form(path, rest.merging([name: ""]) { $1 }), at: endpoint, statuses)
            }
            // Introspection and revocation accept any unknown token.
            let takesAll = name == "token"
            if !takesAll {
                let long = String(repeating: "x", count: 60_000)
                try await fixture.refused(.form(path, rest.merging([name: long]) { $1 }), at: endpoint, statuses)
            }
            for raw in [
                "&\(name)=again", "&%\(name)=%00", "&x=%00", "&x=%C3%28", "&x=%80", "&x=%F5%80%80%80", "&x=%u1234",
            ] {
                let request = Self.changed(.form(path, parameters)) { $0.body += Array(raw.utf8) }
                try await fixture.refused(request, at: endpoint, [400], ["invalid_request"])
            }
            var asJSON = JSONObject()
            for (key, value) in parameters { asJSON[key] = value.map(JSONValue.string) }
            for value: JSONValue in ["a\u{0}b", [1], ["a": "b"], 7, true] {
                // Numbers and booleans are read as texts, and these two are valid messages.
                if name == "binding_message", value == 7 || value == true { continue }
                if takesAll, value != "a\u{0}b" { continue }
                asJSON[name] = value
                try await fixture.refused(.json(.post, path, .object(asJSON)), at: endpoint, [400, 401])
            }
        }
    }

    @Test("A missing, null, empty or wrongly typed JSON member is refused", arguments: EndpointFixture.Endpoint.json)
    func jsonMembers(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        let object = try JSONReader.parse(good.body).objectValue.orThrow("no object")
        for (name, _) in object {
            for value: JSONValue? in [nil, .null, "", 7, true, [], [1], ["a": 1]] {
                // An update may omit any member.
                if endpoint == .update, value == nil || value == .null { continue }
                var changed = object
                changed[name] = value
                let answer = try await fixture.refused(
                    Self.changed(good) { $0.body = JSONWriter.bytes(.object(changed)) }, at: endpoint, [400, 401],
                    ["invalid_body", "invalid_challenge"])
                if answer.code == "invalid_body" { #expect(answer.message.contains(name), "\(answer.message)") }
            }
        }
    }

    @Test(
        "Device texts that are too long or contain control characters are refused",
        arguments: [EndpointFixture.Endpoint.enroll, .update])
    func deviceTexts(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        for name in ["identifier", "name"] {
            for text in [String(repeating: "x", count: 129), "a\u{0}b", "a\nb", "\u{7F}"] {
                var object = try JSONReader.parse(good.body).objectValue.orThrow("no object")
                object[name] = .string(text)
                try await fixture.refused(
                    Self.changed(good) { $0.body = JSONWriter.bytes(.object(object)) }, at: endpoint, [400],
                    ["invalid_body"])
            }
        }
    }

    @Test(
        "Push credentials without a known service or with an invalid token are refused",
        arguments: [EndpointFixture.Endpoint.enroll, .update])
    func pushCredentials(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        for value: JSONValue in [
            "APNS", ["service": "FCM", "token": "x"], ["service": "APNS", "token": ""], ["token": "x"],
            ["service": "GCM", "token": .string(String(repeating: "x", count: 10_000))],
        ] {
            var object = try JSONReader.parse(good.body).objectValue.orThrow("no object")
            object["push_credentials"] = value
            try await fixture.refused(
                Self.changed(good) { $0.body = JSONWriter.bytes(.object(object)) }, at: endpoint, [400],
                ["invalid_body"])
        }
    }

    @Test("Malformed, private, weak and unsuitable keys are refused")
    func publicKeys() async throws {
        let fixture = try await EndpointFixture()
        let rsa = try Keys.signer(.rs256, "new rsa").publicKey.json.objectValue.orThrow("")
        let ec = try Keys.signer(.es256, "new phone").publicKey.json.objectValue.orThrow("")
        func with(_ key: JSONObject, _ name: String, _ value: JSONValue?) -> JSONValue {
            var key = key
            key[name] = value
            return .object(key)
        }
        for key: JSONValue in [
            ["kty": "oct", "k": "AAAA"], [:], with(rsa, "n", "AQAB"), with(rsa, "e", "AA"), with(rsa, "e", "AQ"),
            with(rsa, "d", "AQAB"), with(ec, "d", "AQAB"), with(ec, "x", "AA"), with(ec, "y", nil),
            with(ec, "crv", "P-521"), with(ec, "crv", "secp256k1"), with(ec, "alg", "RS256"), with(ec, "alg", "HS256"),
            with(ec, "x", ec["y"]), with(ec, "y", .string(String(repeating: "A", count: 43))), with(ec, "use", "enc"),
            with(ec, "kty", "RSA"), with(rsa, "n", "=="),
            with(rsa, "n", .string("g" + String(repeating: "A", count: 341))),
            with(rsa, "n", .string(String(repeating: "A", count: 60_000))),
        ] {
            try await fixture.refused(
                InProcessPhone.enrollRequest(ticket: fixture.ticket, identifier: "NEW", key: key), at: .enroll, [400],
                ["invalid_body"])
        }
        #expect(await fixture.server.send(try fixture.good(.enroll)).status == 200)
    }

    @Test(
        "Unknown paths are 404",
        arguments: [
            "/", "//", "/oauth", "/oauth/token/", "/OAUTH/TOKEN", "/rich-consents/", "/rich-consents/a/b",
            "/rich-consents/%", "/rich-consents/%00", "/rich-consents/%ff", "/appliance-mfa/api/device-accounts/",
            "/appliance-mfa/api/device-accounts/%2", "/appliance-mfa/api/enroll/x", "/../oauth/token", "/oauth%2Ftoken",
            "",
        ])
    func paths(path: String) async throws {
        let fixture = try await EndpointFixture()
        for method in [HTTPMethod.get, .post, .delete] {
            var request = try fixture.good(.start)
            request.path = path
            request.method = method
            // The root path has a page for browsers.
            try await fixture.refused(request, at: .start, path == "/" && method != .get ? [405] : [404])
        }
    }

    @Test("Unknown hosts are 404", arguments: EndpointFixture.Endpoint.allCases)
    func hosts(endpoint: EndpointFixture.Endpoint) async throws {
        let fixture = try await EndpointFixture()
        let good = try fixture.good(endpoint)
        for host in [
            nil, "", "nobody.example", "dev.example.evil", "dev.example:8443", "dev.example,other.example", "é",
        ] {
            try await fixture.refused(good.with("Host", host), at: endpoint, [404])
        }
    }

    private static func changed(_ request: Request, _ change: (inout Request) -> Void) -> Request {
        var copy = request
        change(&copy)
        return copy
    }
}
