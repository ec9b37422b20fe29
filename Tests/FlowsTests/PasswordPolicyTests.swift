import AuthorizationCore
import OAuthWire
import Primitives
import Testing

@Suite("Passwords and e-mail addresses")
struct PasswordPolicyTests {
    private let policy = PasswordPolicy(minimumLength: 8)
    private let email = EmailAddress(parsing: "ann.smith@example.org")

    @Test(
        "NIST SP 800-63B 3.1.1.2: length counts, and common passwords are refused",
        arguments: [
            ("short", 1), ("correct horse", 0), ("ann.smith@example.org", 1), ("Ann.Smith", 1), ("Password123", 1),
            ("AZERTYUIOP", 1), ("aaaaaaaaaaaa", 1), ("aaa", 2), ("        ", 1), ("éàüßñçøå", 0), ("😀😀😀😀😀😀😀😀x", 0),
            (String(repeating: "ab", count: 128), 0), (String(repeating: "ab", count: 129), 1), ("", 1),
        ])
    func rules(password: String, objections: Int) {
        #expect(policy.objections(to: Password(password), email: email).count == objections)
    }

    @Test("The tenant sets the minimum length")
    func minimum() {
        #expect(PasswordPolicy(minimumLength: 12).objections(to: Password("short one"), email: nil).count == 1)
        #expect(PasswordPolicy(minimumLength: 12).objections(to: Password("a longer one"), email: nil).isEmpty)
    }

    @Test("RFC 8265 4.2.2: characters are Unicode scalars of the composed password, however it was typed")
    func scalars() {
        for text in ["e\u{301}e\u{301}e\u{301}e\u{300}", "éééè"] {
            #expect(policy.objections(to: Password(text), email: nil).count == 1)
            #expect(policy.objections(to: Password(text + "word"), email: nil).isEmpty)
        }
    }

    @Test(
        "RFC 5321: addresses of dot-atoms and a host name, in lower case",
        arguments: [
            ("ann@example.org", "ann@example.org"), (" Ann.O'Neil+x@Sub.Example.ORG ", "ann.o'neil+x@sub.example.org"),
            ("a@b", nil), ("ann", nil), (" \u{301}ann@example.org", nil), ("ann@example.org \u{301}", nil),
            ("@example.org", nil), ("ann@", nil), ("a@b@c.org", nil), (".a@b.org", nil),
            ("a..b@c.org", nil), ("a@-b.org", nil), ("a@b..org", nil), ("a b@c.org", nil), ("\"a\"@c.org", nil),
            ("a@[127.0.0.1]", nil), ("a@b.org\r\nBcc: x@y.org", nil), ("a\u{0}@b.org", nil), ("ä@b.org", nil),
            (String(repeating: "a", count: 65) + "@b.org", nil),
            ("a@" + String(repeating: "b.", count: 130) + "org", nil),
            ("a@\(String(repeating: "b", count: 64)).org", nil),
        ])
    func email(text: String, expected: String?) {
        #expect(EmailAddress(parsing: text)?.description == expected)
    }
}
