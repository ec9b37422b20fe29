@testable import ApplePlatform
import Testing

@Suite("RSA public keys in Security's format")
struct RSAPublicKeyTests {
    static let modulus = [UInt8](repeating: 0xC3, count: 256)
    static let der: [UInt8] =
        [0x30, 0x82, 0x01, 0x0A, 0x02, 0x82, 0x01, 0x01, 0x00] + modulus + [0x02, 0x03, 1, 0, 1]

    @Test("RFC 8017 A.1.1: a key is a SEQUENCE of modulus and exponent, a zero byte before a modulus of full length")
    func bothWays() {
        let key = RSAPublicKey(modulus: Self.modulus, exponent: [1, 0, 1])
        #expect(key.der == Self.der)
        #expect(RSAPublicKey(der: Self.der) == key)
        let short = RSAPublicKey(modulus: [0x7F], exponent: [3])
        #expect(short.der == [0x30, 6, 2, 1, 0x7F, 2, 1, 3])
        #expect(RSAPublicKey(der: short.der) == short)
    }

    @Test("A truncated or extended key is refused")
    func invalid() {
        for count in 0..<Self.der.count { #expect(RSAPublicKey(der: Array(Self.der.prefix(count))) == nil) }
        #expect(RSAPublicKey(der: Self.der + [0]) == nil)
    }
}
