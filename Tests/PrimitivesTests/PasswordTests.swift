import Primitives
import Synchronization
import Testing

@Suite("Passwords")
struct PasswordTests {
    /// Hashes that are the password's bytes. Counts comparisons.
    private final class Bytes: PasswordHasher {
        let compared = Mutex(0)

        func hash(_ form: Password.Form) async throws -> String { Hex.encode(form.bytes.bytes) }

        func verify(_ form: Password.Form, against encoded: String) async throws -> Bool {
            compared.withLock { $0 += 1 }
            return Hex.encode(form.bytes.bytes) == encoded
        }

        func needsRehash(_ encoded: String) -> Bool { false }
    }

    @Test(
        "RFC 8265 4.2.2: letters are composed, spaces become U+0020; case and compatible characters stay apart",
        arguments: [
            ("correct horse", "correct horse"), ("u\u{308}ber", "über"), ("\u{212B}", "Å"), ("a\u{A0}b", "a b"),
            ("a\u{3000}\u{2003}b", "a  b"), ("ﬁ", "ﬁ"), ("Ａ", "Ａ"), ("Ab", "Ab"), ("a\tb", "a\tb"), ("", ""),
            ("\u{1F511}\u{200D}", "\u{1F511}\u{200D}"),
        ])
    func prepared(typed: String, expected: String) async throws {
        #expect(Password(typed).text.utf8.elementsEqual(expected.utf8))
        #expect(Password(SecretBytes(utf8: typed)).text.utf8.elementsEqual(expected.utf8))
        #expect(try await Bytes().hash(Password(typed)) == Hex.encode(Array(expected.utf8)))
        #expect(Password(typed).length == expected.unicodeScalars.count)
    }

    @Test("A password fits however its letters were composed when it was set and when it is typed")
    func compared() async throws {
        let hasher = Bytes()
        let (composed, decomposed) = ("über", "u\u{308}ber")
        for (set, typed) in [(composed, decomposed), (decomposed, composed)] {
            #expect(try await hasher.verify(Password(typed), against: hasher.hash(Password(set))) == .prepared)
        }
        // A hash from before passwords were prepared.
        let old = Hex.encode(Array(decomposed.utf8))
        #expect(try await hasher.verify(Password(decomposed), against: old) == .typed)
        #expect(try await hasher.verify(Password(composed), against: old) == .none)
    }

    @Test(
        "A wrong password costs two hashes only if preparation changes it",
        arguments: [("über", 1), ("u\u{308}ber", 2)])
    func cost(typed: String, hashes: Int) async throws {
        let hasher = Bytes()
        #expect(try await hasher.verify(Password(typed), against: "") == .none)
        #expect(hasher.compared.withLock { $0 } == hashes)
    }

    @Test("A password is never printed")
    func unprinted() {
        let password = Password("u\u{308}ber")
        var dumped = ""
        dump(password, to: &dumped)
        for text in ["\(password)", String(reflecting: password), dumped] { #expect(!text.contains("ber"), "\(text)") }
    }

    @Test("Bytes that are no UTF-8 stay as they are")
    func bytes() async throws {
        #expect(try await Bytes().hash(Password(SecretBytes([0x75, 0xCC, 0xFF]))) == "75ccff")
    }
}
