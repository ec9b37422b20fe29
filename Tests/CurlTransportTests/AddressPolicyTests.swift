import Dispatch
import HTTPModel
import Testing

@testable import CurlTransport

@Suite("Server-side request forgery: which addresses a transport connects to")
struct AddressPolicyTests {
    private typealias Policy = CurlTransport.Configuration.AddressPolicy

    private static func v4(_ text: String) -> UInt32 {
        text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
    }

    private static func v6(_ words: [UInt16]) -> [UInt8] {
        words.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    @Test(
        "IPv4 addresses of special purpose are refused (RFC 6890)",
        arguments: [
            "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.1.1",
            "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255",
        ])
    func specialV4(_ address: String) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        let number = Self.v4(address)
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        let isLoopback = address.hasPrefix("127.")
        #expect(!Policy.publicOnly.allows(v4: number))
        #expect(Policy.publicOrLoopback.allows(v4: number) == isLoopback)
        #expect(Policy.any.allows(v4: number))
        for prefix in [mapped, translated] {
            #expect(!Policy.publicOnly.allows(v6: prefix + bytes))
            #expect(Policy.publicOrLoopback.allows(v6: prefix + bytes) == isLoopback)
        }
    }

    @Test(
        "Public IPv4 addresses are allowed",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255",
        ])
    func publicV4(_ address: String) {
        #expect(Policy.publicOnly.allows(v4: Self.v4(address)))
    }

    @Test("Of IPv6, global unicast addresses that are not special are allowed")
    func v6() {
        for words: [UInt16] in [
            [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1], [0xFE80, 0, 0, 0, 0, 0, 0, 1],
            [0xFC00, 0, 0, 0, 0, 0, 0, 1], [0xFD12, 0, 0, 0, 0, 0, 0, 1], [0xFF02, 0, 0, 0, 0, 0, 0, 1],
            [0x0100, 0, 0, 0, 0, 0, 0, 1], [0x2001, 0, 0, 0, 0, 0, 0, 1], [0x2001, 0xDB8, 0, 0, 0, 0, 0, 1],
            [0x2002, 0x0A00, 1, 0, 0, 0, 0, 1], [0x3FFF, 1, 0, 0, 0, 0, 0, 1], [0xFEC0, 0, 0, 0, 0, 0, 0, 1],
        ] { #expect(!Policy.publicOnly.allows(v6: Self.v6(words)), "\(words)") }
        for words: [UInt16] in [
            [0x2606, 0x4700, 0x4700, 0, 0, 0, 0, 0x1111], [0x2A00, 0x1450, 0, 0, 0, 0, 0, 1],
            [0x2001, 0x4860, 0x4860, 0, 0, 0, 0, 0x8888],
        ] { #expect(Policy.publicOnly.allows(v6: Self.v6(words)), "\(words)") }
        #expect(Policy.publicOrLoopback.allows(v6: Self.v6([0, 0, 0, 0, 0, 0, 0, 1])))
        #expect(!Policy.publicOrLoopback.allows(v6: Self.v6([0xFE80, 0, 0, 0, 0, 0, 0, 1])))
    }

    @Test("The check is of what the name resolved to, at the connection itself", arguments: ["127.0.0.1", "localhost"])
    func connection(host: String) async throws {
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        let url = server.url("/").replacing("127.0.0.1", with: host)
        var configuration = CurlTransport.Configuration()
        configuration.addresses = .publicOnly
        let refusing = try CurlTransport(configuration)
        await #expect(throws: HTTPClientError.cannotConnect("the host's address is not a public one")) {
            try await refusing.send(ClientRequest(method: .get, url: url))
        }
        configuration.addresses = .publicOrLoopback
        let response = try await CurlTransport(configuration).send(
            ClientRequest(method: .get, url: server.url("/")))
        #expect(response.status == 200)
    }
}
