import Primitives
import Testing

@Suite("Base64, Base32, hexadecimal and percent-encoding")
struct EncodingTests {
    @Test(
        "RFC 4648 10: test vectors",
        arguments: [
            ("", "", "", ""), ("f", "Zg==", "MY", "66"), ("fo", "Zm8=", "MZXQ", "666f"),
            ("foo", "Zm9v", "MZXW6", "666f6f"),
            ("foob", "Zm9vYg==", "MZXW6YQ", "666f6f62"), ("fooba", "Zm9vYmE=", "MZXW6YTB", "666f6f6261"),
            ("foobar", "Zm9vYmFy", "MZXW6YTBOI", "666f6f626172"),
        ])
    func vectors(text: String, base64: String, base32: String, hex: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.encode(bytes) == base64 && Base64.decode(base64) == bytes)
        let unpadded = String(base64.prefix { $0 != "=" })
        #expect(Base64URL.encode(bytes) == unpadded && Base64URL.decode(unpadded) == bytes)
        #expect(Base32.encode(bytes) == base32 && Base32.decode(base32.lowercased()) == bytes)
        #expect(Hex.encode(bytes) == hex && Hex.decode(hex.uppercased()) == bytes)
    }

    @Test("Every byte and length survives encoding and decoding")
    func roundTrip() {
        let all = (0...255).map { UInt8($0) }
        for count in 0...256 {
            let bytes = Array(all.shuffled().prefix(count))
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Substring("x" + Base64URL.encode(bytes)).dropFirst()) == bytes)
            #expect(Base64URL.encode(([0] + bytes).dropFirst()) == Base64URL.encode(bytes))
            let first = Array(Base64URL.encodedBytes(bytes + [0, 0, 0, 0, 0, 0]).prefix(8))
            let number = (bytes + [0, 0, 0, 0, 0, 0]).prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            #expect(first.withUnsafeBufferPointer { Base64URL.number($0) } == number)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base32.decode(Base32.encode(bytes)) == bytes)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
    }

    @Test(
        "RFC 7515 2: base64url has one spelling per value",
        arguments: [
            "A", "AAAAA", "AB", "A9", "AAB", "AA==", "AAA=", "AA A", "AAA\n", "A+A", "A/AA", "AA.A", "=", "\u{E9}A",
        ])
    func nonCanonical(text: String) { #expect(Base64URL.decode(text) == nil) }

    @Test("Symbols outside base64url, and values too large for a number, are refused")
    func noNumber() {
        for text in ["A+", "=", "é", "AAAAAAAAAAA"] {
            #expect(Array(text.utf8).withUnsafeBufferPointer { Base64URL.number($0) } == nil)
        }
        #expect([UInt8]().withUnsafeBufferPointer { Base64URL.number($0) } == 0)
        #expect(Array("__________".utf8).withUnsafeBufferPointer { Base64URL.number($0) } == (1 << 60) - 1)
    }

    @Test(
        "Base64 with padding is read in its canonical form only",
        arguments: [
            "Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm9v====", "Zm-v", "=Zg=", "Zg==Zg==", "Z=g=",
        ])
    func nonCanonicalBase64(text: String) { #expect(Base64.decode(text) == nil) }

    @Test("Characters outside the alphabets are refused")
    func alphabets() {
        for text in ["1", "M0", "M!", "\u{E9}"] { #expect(Base32.decode(text) == nil) }
        for text in ["0", "0g", "0x", " 00", "\u{FF10}\u{FF10}"] { #expect(Hex.decode(text) == nil) }
    }

    @Test("RFC 3986 2: percent-encoding")
    func percent() {
        #expect(PercentEncoding.encode("a/b ?\u{E9}~") == "a%2Fb%20%3F%C3%A9~")
        #expect(PercentEncoding.decode(Array("a+b%2f%2F".utf8)) == "a+b//")
        #expect(PercentEncoding.decode(Array("a+b".utf8), plusIsSpace: true) == "a b")
        #expect(PercentEncoding.decode("%41b".utf8.dropLast()) == "A")
        for text in ["%", "%1", "%g1", "%1g", "%00", "%ff", "%%41", "a%"] {
            #expect(PercentEncoding.decode(Array(text.utf8)) == nil)
        }
    }
}
