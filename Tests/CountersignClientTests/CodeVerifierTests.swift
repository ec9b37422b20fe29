import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("RFC 7636: code verifier and challenge")
struct CodeVerifierTests {
    private static let hashing = OpenSSLHashing()
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("Appendix B: the challenge of the RFC's verifier")
    func example() throws {
        let verifier = try #require(CodeVerifier(parsing: Self.verifier))
        #expect(CodeChallenge(of: verifier.text, Self.hashing).description == Self.challenge)
        let challenge = try CodeChallenge(parsing: Self.challenge)
        #expect(challenge.matches(Self.verifier, Self.hashing))
        #expect(!challenge.matches(Self.verifier + "A", Self.hashing))
        #expect(!challenge.matches("", Self.hashing))
    }

    @Test("Clause 4.1: a new verifier has 32 random bytes in 43 characters, and is not printed")
    func generation() {
        let random = SeededRandom()
        let verifier = CodeVerifier(random)
        #expect(verifier.text.utf8.count == 43)
        #expect(Base64URL.decode(verifier.text)?.count == 32)
        #expect(CodeVerifier(random).text != verifier.text)
        #expect(!"\(verifier)".contains(verifier.text) && !String(reflecting: verifier).contains(verifier.text))
    }

    @Test("Clause 4.1: a verifier is 43 to 128 unreserved characters")
    func syntax() {
        let letters = String(repeating: "a", count: 128)
        #expect(CodeVerifier(parsing: letters) != nil)
        #expect(CodeVerifier(parsing: letters + "a") == nil)
        #expect(CodeVerifier(parsing: String(letters.prefix(43)))?.text.count == 43)
        #expect(CodeVerifier(parsing: String(letters.prefix(42))) == nil)
        #expect(CodeVerifier(parsing: letters.prefix(42) + "~") != nil)
        for wrong in ["/", "+", "=", "\\", "é", " "] {
            #expect(CodeVerifier(parsing: letters.prefix(43) + wrong) == nil)
        }
    }

    @Test("Clause 4.2: a challenge is 32 bytes in canonical base64url")
    func challengeSyntax() {
        for wrong in [
            "", String(Self.challenge.dropLast()), Self.challenge + "A", Self.challenge.dropLast() + "=",
            Self.challenge.dropLast() + "N", Self.challenge.replacing("-", with: "+"),
        ] { #expect((try? CodeChallenge(parsing: String(wrong))) == nil, "\(wrong)") }
    }

    @Test("A verifier is compared byte by byte")
    func opaqueBytes() throws {
        let odd = "with\\_escape é"
        let challenge = try CodeChallenge(parsing: Base64URL.encode(Self.hashing.sha256(Array(odd.utf8))))
        #expect(challenge.matches(odd, Self.hashing))
    }
}
