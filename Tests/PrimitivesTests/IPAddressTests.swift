import Primitives
import Testing

@Suite("IP addresses and networks")
struct IPAddressTests {
    @Test("RFC 4291 2.2: spellings of one address")
    func spellings() {
        let full = IPAddress(bytes: [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 10) + [0, 7])
        for text in ["2001:db8::7", "2001:DB8:0:0:0:0:0:7", "2001:0db8::0007", "2001:db8::0.0.0.7"] {
            #expect(IPAddress(text) == full, "\(text)")
        }
        #expect(IPAddress("::")?.bytes == [UInt8](repeating: 0, count: 16))
        #expect(IPAddress("::1")?.bytes.last == 1)
        #expect(IPAddress("1::")?.bytes.prefix(2) == [0, 1])
        #expect(IPAddress("::ffff:192.0.2.7") == IPAddress("192.0.2.7"))
        #expect(IPAddress("1:2:3:4:5:6:7::")?.bytes.count == 16)
        #expect(IPAddress("::2:3:4:5:6:7:8")?.bytes.count == 16)
    }

    @Test(
        "RFC 5952 4: one address has one text",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:DB8:0:0:0:0:0:7", "2001:db8::7"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"), ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"), ("2001:db8:0abc:0:0:0:0:0", "2001:db8:abc::"),
        ])
    func text(read: String, written: String) { #expect(IPAddress(read)?.description == written) }

    @Test(
        "Texts that are not addresses are refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "1.2.3.4 ", "+1.2.3.4", ":", ":::", "1:2",
            "1::2::3",
            "12345::", "g::", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", "::1%lo", "1.2.3.4::", ":1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:", "1:2:3:4::5:6:7:8", "::1.2.3",
        ])
    func malformed(text: String) { #expect(IPAddress(text) == nil) }

    @Test("RFC 4632: a network contains exactly the addresses with its prefix")
    func networks() throws {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"), ("192.0.2.128/25", "192.0.2.255", "192.0.2.127"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.6"), ("0.0.0.0/0", "203.0.113.9", "::1"),
            ("2001:db8::/33", "2001:db8:7fff::1", "2001:db8:8000::"), ("::1/128", "::1", "::2"),
        ] {
            let read = try #require(IPNetwork(network))
            #expect(read.contains(try #require(IPAddress(inside))), "\(network)")
            #expect(!read.contains(try #require(IPAddress(outside))), "\(network)")
        }
        for text in ["10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "x/8", "::1/129"] {
            #expect(IPNetwork(text) == nil, "\(text)")
        }
    }
}
