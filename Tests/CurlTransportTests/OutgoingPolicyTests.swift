import CurlTransport
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Server-side request forgery: addresses from tenants")
struct OutgoingPolicyTests {
    private static let special = [
        "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1",
        "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255",
    ]

    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text)") }

    @Test("RFC 6890: special-purpose IPv4 addresses are refused, also within IPv6", arguments: special)
    func specialV4(_ text: String) throws {
        // Mapped (RFC 4291 2.5.5.2), compatible (2.5.5.1), NAT64 (RFC 6052, and RFC 8215 for a network's own).
        for form in [text, "::ffff:\(text)", "::\(text)", "64:ff9b::\(text)", "64:ff9b:1::\(text)"] {
            #expect(try !OutgoingPolicy().allows(address(form), isSecure: true), "\(form)")
        }
        let bytes = try address(text).bytes
        let sixToFour = try #require(IPAddress(bytes: [0x20, 0x02] + bytes + [UInt8](repeating: 0, count: 10)))
        #expect(!OutgoingPolicy().allows(sixToFour, isSecure: true), "6to4 (RFC 3056)")
    }

    @Test(
        "Public IPv4 addresses are allowed over TLS only",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255",
        ])
    func publicV4(_ text: String) throws {
        for form in [text, "::ffff:\(text)", "64:ff9b::\(text)"] {
            #expect(try OutgoingPolicy().allows(address(form), isSecure: true), "\(form)")
            #expect(try !OutgoingPolicy().allows(address(form), isSecure: false), "\(form)")
        }
    }

    @Test(
        "URL Standard 3.5: a host is not one of this machine in another spelling, and is a host at all",
        arguments: [
            "localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.0.0.1.", "127.1", "2130706433", "0x7f.1",
            "1.0x7F",
            "[::1]", "[::1", "]", "[]", "", ".", "a..b", "[push.example]",
        ])
    func hosts(_ text: String) {
        #expect(!OutgoingPolicy().mayAllow(host: text))
    }

    @Test(
        "Names and public addresses may be connected to",
        arguments: ["push.example", "Push.Example.", "1.1.1.1", "[2606:4700::1111]", "7.example", "localhost.example"])
    func otherHosts(_ text: String) {
        #expect(OutgoingPolicy().mayAllow(host: text))
    }

    @Test("Global unicast IPv6 addresses that are not special are allowed over TLS only")
    func v6() throws {
        for text in [
            "::", "::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "100::1", "2001::1", "2001:10::1", "2001:db8::1",
            "2002:a00:1::1", "3fff:1::1", "5f00::1", "fec0::1",
        ] { #expect(try !OutgoingPolicy().allows(address(text), isSecure: true), "\(text)") }
        for text in ["2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"] {
            #expect(try OutgoingPolicy().allows(address(text), isSecure: true), "\(text)")
            #expect(try !OutgoingPolicy().allows(address(text), isSecure: false), "\(text)")
        }
    }

    @Test("Networks that the operator lists are allowed with and without TLS, and no others")
    func named() throws {
        let policy = OutgoingPolicy(allowing: ["10.1.0.0/16", "fd12::/32"].compactMap { IPNetwork($0) })
        for text in ["10.1.2.3", "::ffff:10.1.2.3", "fd12::7"] {
            #expect(try policy.allows(address(text), isSecure: false), "\(text)")
            #expect(try policy.allows(address(text), isSecure: true), "\(text)")
        }
        for text in ["10.2.0.1", "127.0.0.1", "fd13::1", "::1"] {
            #expect(try !policy.allows(address(text), isSecure: true), "\(text)")
        }
        #expect(OutgoingPolicy.loopback.count == 2)
    }

    private static func server() throws -> RawServer {
        try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
    }

    @Test(
        "The policy checks the resolved address at the connection, before any byte is sent",
        arguments: ["127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "localhost."])
    func connection(host: String) async throws {
        let server = try Self.server()
        let networks = [OutgoingPolicy(), OutgoingPolicy(allowing: ["10.0.0.0/8"].compactMap { IPNetwork($0) })]
        for policy in networks {
            for scheme in ["http", "https"] {
                let url = "\(scheme)://\(host):\(server.port)/"
                await #expect(throws: HTTPClientError.self, "\(url)") {
                    try await OutgoingTransport(policy).send(ClientRequest(method: .get, url: url))
                }
            }
        }
        #expect(server.connections == 0)
    }

    @Test("A listed network is reached; a redirect is returned, not followed")
    func allowed() async throws {
        let inner = try Self.server()
        let place = inner.url("/inner")
        let outer = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n")
        }
        let transport = try OutgoingTransport(OutgoingPolicy(allowing: OutgoingPolicy.loopback))
        let redirect = try await transport.send(ClientRequest(method: .get, url: outer.url("/")))
        #expect(redirect.status == 302)
        #expect(inner.connections == 0)
        #expect(try await transport.send(ClientRequest(method: .get, url: inner.url("/"))).status == 200)
    }

    @Test("A request is sent under the policy that admitted it, by https or http only")
    func admitted() async throws {
        let server = try Self.server()
        let wide = OutgoingPolicy(allowing: OutgoingPolicy.loopback)
        let request = try wide.admit(ClientRequest(method: .get, url: server.url("/")))
        let narrow = try OutgoingTransport(OutgoingPolicy())
        await #expect(throws: HTTPClientError.self) { try await narrow.send(request) }
        for url in ["ftp://127.0.0.1/", "file:///etc/passwd", "HTTPS://a.example/", "gopher://a.example/", ""] {
            #expect(throws: HTTPClientError.self, "\(url)") { try wide.admit(ClientRequest(method: .get, url: url)) }
        }
        #expect(server.connections == 0)
    }
}
