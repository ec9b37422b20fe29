import Primitives
import Testing

@Suite("Networks that addresses are counted under")
struct CountedAddressTests {
    @Test("RFC 6177: addresses of one /64 network count as one")
    func networks() {
        let all = ["2001:db8:0:1::", "2001:db8:0:1::1", "2001:DB8:0:1:ffff:ffff:ffff:ffff"].map { CountedAddress($0) }
        #expect(Set(all).count == 1)
        #expect(all[0] != CountedAddress("2001:db8:0:2::1"))
        #expect(all[0].description == "2001:db8:0:1::/64")
    }

    @Test("RFC 4291 2.5.5.2: each IPv4 address counts by itself, and the same if mapped into IPv6")
    func addresses() {
        #expect(CountedAddress("192.0.2.1") == CountedAddress("::ffff:192.0.2.1"))
        #expect(CountedAddress("192.0.2.1") == CountedAddress("::FFFF:c000:0201"))
        #expect(CountedAddress("192.0.2.1") != CountedAddress("192.0.2.2"))
        #expect(CountedAddress("::192.0.2.1") != CountedAddress("192.0.2.1"))
        #expect(CountedAddress("192.0.2.1").description == "192.0.2.1")
        #expect(CountedAddress("::ffff:192.0.2.1").description == "192.0.2.1")
    }

    @Test("A text that is not an address counts as itself")
    func others() {
        #expect(CountedAddress("") == .other(""))
        #expect(CountedAddress("192.0.2.256").description == "192.0.2.256")
        #expect(CountedAddress("a") != CountedAddress("b"))
    }
}
