/// A password, prepared so that it compares equal however a keyboard composes its letters: `OpaqueString` of RFC 8265
/// clause 4.2.2. Spaces beyond ASCII become U+0020, and the text is in Normalization Form C. Case and compatible characters
/// (Form KC) stay apart. The profile refuses some characters, which are permitted here: passwords with them exist.
package struct Password: Sendable {
    /// Bytes that a hasher gets. Only a password makes them.
    package struct Form: Sendable {
        package let bytes: SecretBytes

        fileprivate init(_ bytes: SecretBytes) { self.bytes = bytes }
    }

    /// Result of a comparison with a stored hash.
    package enum Match: Sendable, Equatable {
        case none
        /// The hash is of the prepared password.
        case prepared
        /// The hash is of the password as typed, as hashes from before passwords were prepared.
        case typed
    }

    fileprivate let prepared: Form
    /// The password as it was typed. Nil if preparation changed nothing.
    fileprivate let typed: Form?
    /// The prepared password.
    package let text: String

    /// Characters of the prepared password (Unicode scalars).
    package var length: Int { text.unicodeScalars.count }

    private init(text: String, prepared: Form, typed: Form?) {
        self.text = text
        self.prepared = prepared
        self.typed = typed
    }

    package init(_ typed: String) {
        let spaced = typed.unicodeScalars.map { scalar in
            !scalar.isASCII && scalar.properties.generalCategory == .spaceSeparator ? " " : scalar
        }
        let text = String(String.UnicodeScalarView(spaced)).composed
        self.init(
            text: text, prepared: Form(SecretBytes(utf8: text)),
            typed: text.utf8.elementsEqual(typed.utf8) ? nil : Form(SecretBytes(utf8: typed)))
    }

    /// Bytes that are no UTF-8 stay as they are.
    package init(_ secret: SecretBytes) {
        guard let text = String(validating: secret.bytes, as: UTF8.self) else {
            self.init(text: String(decoding: secret.bytes, as: UTF8.self), prepared: Form(secret), typed: nil)
            return
        }
        self.init(text)
    }
}

extension Password: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[redacted]" }
    package var debugDescription: String { "[redacted]" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Slow hashes for passwords (RFC 9106). Implementations run on threads of their own.
package protocol PasswordHasher: Sendable {
    /// Returns the encoded hash with its parameters and salt.
    func hash(_ form: Password.Form) async throws -> String
    func verify(_ form: Password.Form, against encoded: String) async throws -> Bool

    /// True if a stored hash has other costs than new ones get, so that the next successful login should replace it.
    /// Also true for an unreadable hash.
    func needsRehash(_ encoded: String) -> Bool

    /// Reason that a hash of another server cannot be verified here. Nil if it can.
    func refusal(ofForeign encoded: String) -> String?
}

extension PasswordHasher {
    package func refusal(ofForeign encoded: String) -> String? { nil }

    package func hash(_ password: Password) async throws -> String { try await hash(password.prepared) }

    /// Computes one hash, and another one if the first is not equal and preparation changed the password. The number of
    /// hashes for a wrong password depends on the password alone.
    package func verify(_ password: Password, against encoded: String) async throws -> Password.Match {
        if try await verify(password.prepared, against: encoded) { return .prepared }
        guard let typed = password.typed, try await verify(typed, against: encoded) else { return .none }
        return .typed
    }
}
