package import Primitives

/// Secret behind an authorization request's code challenge (RFC 7636 clause 4.1). Never printed.
package struct CodeVerifier: Sendable, CustomStringConvertible, CustomReflectable {
    /// 43 to 128 unreserved characters.
    package let text: String

    /// A new verifier of 32 random bytes, as RFC 7636 clause 4.1 recommends.
    package init(_ random: some RandomSource) { text = Base64URL.encode(random.bytes(32)) }

    /// Nil for a text that RFC 7636 clause 4.1 does not allow.
    package init?(parsing text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
            default: false
            }
        }
        guard isAllowed, (43...128).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    package var description: String { "CodeVerifier([redacted])" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
