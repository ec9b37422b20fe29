import AuthorizationCore
import Endpoints
import HTTPModel
import OAuthWire
import Primitives
import Routing
import TestSupport
import Testing

/// The trusted proxies are 10.0.0.0/8, 192.0.2.43 and 2001:db8:ffff::/48.
@Suite("RFC 7239 and X-Forwarded-For: the client's address behind proxies")
struct TrustedProxiesTests {
    private static let listed = ["10.0.0.0/8", "192.0.2.43", "2001:db8:ffff::/48"].compactMap { IPNetwork($0) }

    private func client(
        _ field: ClientAddressField, _ lines: [String], peer: String = "10.0.0.1", others: HTTPFields = [:]
    ) -> String {
        var request = Request.get("/", fields: others)
        request.remoteAddress = peer
        for line in lines { request.fields.append(field == .forwarded ? "Forwarded" : "X-Forwarded-For", line) }
        return TrustedProxies(addresses: Self.listed, field: field).clientAddress(of: request)
    }

    @Test(
        "RFC 7239 4 and 6: an element yields its address; without one, the address of its proxy counts",
        arguments: [
            // Clause 4.
            (#"for="_gazonk""#, "10.0.0.1"),
            (#"For="[2001:db8:cafe::17]:4711""#, "2001:db8:cafe::17"),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            ("for=192.0.2.43, for=198.51.100.17", "198.51.100.17"),
            // Clause 6: nodes.
            (#"for="192.0.2.44:47011""#, "192.0.2.44"), (#"for="[2001:db8:cafe::17]""#, "2001:db8:cafe::17"),
            ("for=unknown", "10.0.0.1"), (#"for="_gazonk:800""#, "10.0.0.1"),
            (#"for="192.0.2.60:_OBf.u-s_1""#, "192.0.2.60"), (#"for="[2001:DB8:0:0::17]:_x""#, "2001:db8::17"),
            (#"for="[::ffff:192.0.2.60]""#, "192.0.2.60"), (#"for="1\92.0.2.60""#, "192.0.2.60"),
            // Clause 7.1.
            (#"for=192.0.2.60, for="[2001:db8:cafe::17]", for=unknown"#, "10.0.0.1"),
            (#"for=192.0.2.60, for="[2001:db8:ffff::17]""#, "192.0.2.60"),
            (#"for=192.0.2.60,for="[2001:db8:ffff::17]",for=10.1.1.1"#, "192.0.2.60"),
            ("for=192.0.2.60, for=unknown, for=10.1.1.1", "10.1.1.1"),
            // Clause 4: parameters in any order, names in any case, others of any name.
            (#"proto=https;host="a,b;for=192.0.2.61";FOR=192.0.2.60;x-y="\"""#, "192.0.2.60"),
            ("by=_x ; for=192.0.2.60 ;", "192.0.2.60"), (";;for=192.0.2.60", "192.0.2.60"),
            // Malformed elements.
            ("", "10.0.0.1"), ("192.0.2.60", "10.0.0.1"), ("for", "10.0.0.1"), ("for=", "10.0.0.1"),
            ("for=192.0.2.60:47011", "10.0.0.1"), ("for=[2001:db8::1]", "10.0.0.1"),
            (#"for="2001:db8::1""#, "10.0.0.1"), (#"for="[192.0.2.60]""#, "10.0.0.1"),
            ("by=192.0.2.60", "10.0.0.1"), ("for=192.0.2.60;for=192.0.2.61", "10.0.0.1"),
            ("for=192.0.2.60 for=192.0.2.61", "10.0.0.1"), ("for =192.0.2.60", "10.0.0.1"),
            ("for= 192.0.2.60", "10.0.0.1"), ("for=192.0.2.60;proto", "10.0.0.1"),
            (#"for="192.0.2.60"#, "10.0.0.1"), (#"for=192.0.2.60""#, "10.0.0.1"),
            (#"for="192.0.2.60\""#, "10.0.0.1"), (#"for="192.0.2.60"x"#, "10.0.0.1"),
            (#"for="[2001:db8::1]:""#, "10.0.0.1"), (#"for="[2001:db8::1]x""#, "10.0.0.1"),
            (#"for="[2001:db8::1""#, "10.0.0.1"), (#"for="192.0.2.60:123456""#, "10.0.0.1"),
            (#"for="192.0.2.60:_""#, "10.0.0.1"), (#"for="192.0.2.60:8x""#, "10.0.0.1"),
            (#"for="""#, "10.0.0.1"), ("for=192.0.2.256", "10.0.0.1"),
            // RFC 9110 5.6.1.2: empty elements do not count.
            ("for=192.0.2.60, ", "192.0.2.60"),
        ])
    func elements(line: String, expected: String) { #expect(client(.forwarded, [line]) == expected, "\(line)") }

    @Test(
        "X-Forwarded-For: comma-separated addresses, some with ports",
        arguments: [
            ("192.0.2.60", "192.0.2.60"), (" 192.0.2.60\t", "192.0.2.60"), ("192.0.2.60:47011", "192.0.2.60"),
            ("2001:db8::17", "2001:db8::17"), ("[2001:db8::17]", "2001:db8::17"),
            ("[2001:db8::17]:4711", "2001:db8::17"), ("::ffff:192.0.2.60", "192.0.2.60"),
            ("2001:DB8:0:0:0:0:0:17", "2001:db8::17"), ("203.0.113.9,192.0.2.60", "192.0.2.60"),
            ("192.0.2.60, 10.9.9.9", "192.0.2.60"), ("192.0.2.60,2001:db8:ffff::9 , 10.9.9.9", "192.0.2.60"),
            ("192.0.2.60, unknown, 10.9.9.9", "10.9.9.9"), ("192.0.2.60, , 10.9.9.9", "192.0.2.60"), (",", "10.0.0.1"),
            ("10.3.3.3, 10.2.2.2", "10.3.3.3"),
            ("", "10.0.0.1"), ("192.0.2.60,", "192.0.2.60"), (", 192.0.2.60 ,\t,", "192.0.2.60"),
            ("unknown", "10.0.0.1"), ("192.0.2", "10.0.0.1"),
            ("192.0.2.60 192.0.2.61", "10.0.0.1"), (#""192.0.2.60""#, "10.0.0.1"), ("fe80::1%eth0", "10.0.0.1"),
            ("for=192.0.2.60", "10.0.0.1"), ("192.0.2.060", "10.0.0.1"), ("192.0.2.60:", "10.0.0.1"),
            ("unix:", "10.0.0.1"), ("\u{FFFD}", "10.0.0.1"),
        ])
    func addresses(line: String, expected: String) { #expect(client(.xForwardedFor, [line]) == expected, "\(line)") }

    @Test("Repeated fields form one list, in their order (RFC 9110 5.3)")
    func severalFields() {
        #expect(client(.xForwardedFor, ["203.0.113.9", "192.0.2.60", "10.9.9.9"]) == "192.0.2.60")
        #expect(client(.xForwardedFor, ["192.0.2.60, 10.8.8.8", "10.9.9.9"]) == "192.0.2.60")
        #expect(client(.xForwardedFor, ["192.0.2.60", "", "10.9.9.9"]) == "192.0.2.60")
        #expect(client(.forwarded, ["for=203.0.113.9", "for=192.0.2.60", "for=10.9.9.9"]) == "192.0.2.60")
        #expect(client(.forwarded, [#"for="203.0.113.9"#, #"for=192.0.2.60"#]) == "192.0.2.60")
    }

    @Test("Only listed proxies are trusted", arguments: ClientAddressField.allCases)
    func strangers(field: ClientAddressField) {
        for peer in ["203.0.113.9", "11.0.0.1", "127.0.0.1", "::1", "2001:db8:fffe::1", ""] {
            for line in ["192.0.2.60", "for=192.0.2.60", "10.0.0.1", "for=10.0.0.1"] {
                #expect(client(field, [line], peer: peer) == peer)
            }
        }
        #expect(TrustedProxies().clientAddress(of: .get("/", fields: ["X-Forwarded-For": "192.0.2.60"])) == "127.0.0.1")
        for peer in ["10.0.0.1", "::ffff:10.0.0.1", "2001:db8:ffff::1"] {
            #expect(client(field, [field == .forwarded ? "for=192.0.2.60" : "192.0.2.60"], peer: peer) == "192.0.2.60")
        }
        #expect(client(field, [], peer: "2001:db8:ffff:0::1") == "2001:db8:ffff::1")
    }

    @Test("Only the configured field is read; the other, which a client may set, is ignored")
    func otherField() {
        #expect(client(.xForwardedFor, ["192.0.2.60"], others: ["Forwarded": "for=203.0.113.9"]) == "192.0.2.60")
        #expect(client(.forwarded, ["for=192.0.2.60"], others: ["X-Forwarded-For": "203.0.113.9"]) == "192.0.2.60")
        #expect(client(.xForwardedFor, [], others: ["Forwarded": "for=203.0.113.9"]) == "10.0.0.1")
        #expect(client(.forwarded, [], others: ["X-Forwarded-For": "203.0.113.9"]) == "10.0.0.1")
    }

    @Test(
        "A client's own field values, even unterminated ones, do not affect the values that its proxy appends",
        arguments: [
            "203.0.113.9", "10.0.0.9", "unknown", ",", "", ",,,", #"""#, #"\"#, #"\""#, #"x=""#, #"for="\"#,
            #"for="\\"#,
            "for=203.0.113.9", "for=203.0.113.9;", #"for=203.0.113.9;by=""#, #"for=203.0.113.9;by="\"#, "for=", "[",
            #"for="[2001:db8::1"#, #"""""#, #"by="a,b"#, "203.0.113.9, 203.0.113.9;", "\u{0}",
        ])
    func forged(line: String) {
        let appended: [(ClientAddressField, String, String)] = [
            (.xForwardedFor, "192.0.2.60", "192.0.2.60"), (.xForwardedFor, "2001:db8::17", "2001:db8::17"),
            (.forwarded, "for=192.0.2.60", "192.0.2.60"), (.forwarded, #"for="[2001:db8::17]""#, "2001:db8::17"),
            (.forwarded, #"by="a\"b\\";for=192.0.2.60;host="x,y""#, "192.0.2.60"),
        ]
        for (field, element, expected) in appended {
            #expect(client(field, ["\(line), \(element)"]) == expected)
            #expect(client(field, ["\(line),\(element)"]) == expected)
            #expect(client(field, [line, element]) == expected)
            // A second proxy appends the first proxy's address.
            let second = field == .forwarded ? "for=10.4.4.4" : "10.4.4.4"
            #expect(client(field, ["\(line), \(element), \(second)"]) == expected)
        }
    }

    @Test("At most sixteen elements of a chain are read, and long or malformed fields are read fast")
    func bounded() {
        let chain = (1...20).map { "10.0.1.\($0)" }.joined(separator: ", ")
        #expect(client(.xForwardedFor, ["192.0.2.60, \(chain)"]) == "10.0.1.5")
        #expect(client(.xForwardedFor, [String(repeating: "10.0.0.1,", count: 100_000) + "10.0.0.7"]) == "10.0.0.1")
        for part in [#"""#, #"\"#, #"\""#, ",", ";", "for=", "for=10.0.0.1;", #"","#] {
            #expect(client(.forwarded, [String(repeating: part, count: 100_000)]) == "10.0.0.1")
        }
    }

    @Test("Listed proxies are trusted by OAuth, devices, the Management API and the audit log")
    func everywhere() async throws {
        let management = "https://\(InProcessServer.host)/api/v2/"
        let fixture = try await EndpointFixture { setup in
            setup.clientAddressProxies = Self.listed
            setup.clients.append(
                Samples.client("operator") {
                    $0.grantTypes = [.clientCredentials]
                    $0.limit(to: [management: nil])
                })
        }
        func proxied(_ request: Request, for client: String) -> Request {
            var request = request.with("X-Forwarded-For", "203.0.113.9, \(client)")
            request.remoteAddress = "10.0.0.1"
            return request
        }
        let kinds: [(EndpointFixture.Endpoint, String)] = [
            (.start, "ciba_start_succeeded"), (.code, "seacft"), (.refresh, "sertft"), (.clientCredentials, "seccft"),
            (.enroll, "gd_enrollment_complete"), (.consent, "rich_consents_access"), (.resolve, "gd_auth_succeed"),
            (.update, "gd_update_device_account"), (.remove, "gd_unenroll"),
        ]
        for (number, (endpoint, kind)) in kinds.enumerated() {
            let address = "192.0.2.\(100 + number)"
            let answer = await fixture.server.send(proxied(try fixture.good(endpoint), for: address))
            #expect((200...204).contains(answer.status), "\(endpoint) \(answer.text)")
            #expect(try await fixture.server.auditAddresses(kind).last == address, "\(kind)")
        }
        let refused = Request.form(
            "/bc-authorize", fixture.client.startParameters().merging(["client_secret": "x"]) { $1 })
        #expect(await fixture.server.send(proxied(refused, for: "192.0.2.200")).status == 401)
        #expect(try await fixture.server.auditAddresses("ciba_start_failed").last == "192.0.2.200")

        let form: [String: String?] = [
            "grant_type": "client_credentials", "client_id": "operator", "client_secret": Samples.secret,
            "audience": management,
        ]
        let token = try (await fixture.server.send(.form("/oauth/token", form))["access_token"]?.stringValue)
            .orThrow("no token")
        let created = Request.json(
            .post, "/api/v2/roles", ["name": "Auditor"], fields: ["Authorization": "Bearer \(token)"])
        #expect(await fixture.server.send(proxied(created, for: "2001:db8:0::17")).status == 200)
        #expect(try await fixture.server.auditAddresses("sapi").last == "2001:db8::17")
    }

    @Test("A poll through a proxy takes no task either, whatever client address the proxy reports")
    func polls() async throws {
        for field in ClientAddressField.allCases {
            let fixture = try await EndpointFixture { setup in
                setup.clientAddressProxies = Self.listed
                setup.certificateProxies = Self.listed
                setup.clientAddressField = field
            }
            let application = fixture.server.application
            for number in 0..<5 {
                var poll = Request.form(
                    "/oauth/token", fixture.client.pollParameters(fixture.authReqID),
                    fields: [
                        "X-Forwarded-For": "192.0.2.\(number)", "Forwarded": "for=192.0.2.\(number), for=10.0.0.9",
                    ])
                poll.remoteAddress = "10.0.0.1"
                let answer = await HTTPAnswer(try application.answerSynchronously(poll).orThrow("left to a task"))
                #expect(answer.code == "authorization_pending")
                fixture.server.clock.advance(by: .seconds(5))
                let certified = poll.with("Client-Cert", ":AAAA:")
                #expect(application.answerSynchronously(certified) == nil)
            }
        }
    }
}
