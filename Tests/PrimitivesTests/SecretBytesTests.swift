import Primitives
import Testing

@Suite("Secrets")
struct SecretBytesTests {
    /// An internal type: a local or private one is printed with an address, which may contain any digits.
    struct Holder {
        var secret = SecretBytes(utf8: "hunter2")
    }

    @Test("A secret is never printed")
    func redaction() {
        let secret = SecretBytes(utf8: "hunter2")
        var dumped = ""
        dump(Holder(), to: &dumped)
        let texts = [
            "\(secret)", String(reflecting: secret), String(describing: Holder()), String(reflecting: [secret]), dumped,
        ]
        for text in texts { #expect(!text.contains("hunter2") && !text.contains("104")) }
    }

    @Test("A copy has the same bytes")
    func copying() {
        #expect(SecretBytes(utf8: "a").bytes == [0x61] && SecretBytes([]).bytes.isEmpty)
        let copy = SecretBytes(utf8: "abc").withBytes { SecretBytes(copying: $0) }
        #expect(copy.bytes == Array("abc".utf8) && copy.count == 3)
    }

    @Test("Comparison in constant time compares every byte")
    func comparison() {
        #expect(constantTimeEquals([], []) && constantTimeEquals([1, 2], [1, 2]))
        #expect(!constantTimeEquals([1, 2], [1, 3]) && !constantTimeEquals([1], [1, 0]))
    }
}
