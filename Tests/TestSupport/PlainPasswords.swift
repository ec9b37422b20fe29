package import Primitives
import Synchronization

/// Fake password hashes that contain the password and count comparisons.
package final class PlainPasswords: PasswordHasher {
    private let compared = Mutex(0)

    package init() {}

    package var comparisons: Int { compared.withLock { $0 } }

    package static func encoded(_ password: String) -> String { "hash of \(password)" }
    /// A hash with other costs.
    package static func outdated(_ password: String) -> String { "old hash of \(password)" }

    package func hash(_ form: Password.Form) async throws -> String {
        Self.encoded(String(decoding: form.bytes.bytes, as: UTF8.self))
    }

    package func verify(_ form: Password.Form, against encoded: String) async throws -> Bool {
        compared.withLock { $0 += 1 }
        let password = String(decoding: form.bytes.bytes, as: UTF8.self)
        return encoded == Self.encoded(password) || encoded == Self.outdated(password)
    }

    package func needsRehash(_ encoded: String) -> Bool { encoded.hasPrefix("old ") }
}
