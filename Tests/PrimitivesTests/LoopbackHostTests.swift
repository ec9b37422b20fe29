import Primitives
import Testing

@Suite("Hosts of this machine")
struct LoopbackHostTests {
    @Test(
        "RFC 6761 6.3, RFC 6890 2.2.2: localhost, 127.0.0.0/8 and ::1",
        arguments: ["localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "[::1]", "[0:0:0:0:0:0:0:1]"])
    func loopback(host: String) { #expect(isLoopbackHost(host)) }

    @Test(
        "Similar names and other addresses are other machines",
        arguments: [
            "", "localhost.", "localhost.example", "evil-localhost", "127.0.0.1.example", "127.1", "0127.0.0.1",
            "126.255.255.255", "128.0.0.1", "0.0.0.0", "::", "[::]", "::2", "[127.0.0.1]", "[::1", "10.0.0.1",
            "fe80::1",
        ])
    func elsewhere(host: String) { #expect(!isLoopbackHost(host)) }
}
