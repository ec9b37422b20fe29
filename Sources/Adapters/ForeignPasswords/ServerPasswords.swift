package import Argon2Passwords
import PasswordHashes
package import Primitives
import Threads

/// Passwords of a server: hashes of its own, and those that people brought from another one until they first log in.
///
/// A wrong password for a hash from elsewhere costs a hash of this server's, too, so that an account with a quick one
/// answers no faster than an address without an account. A slow one adds its own time, which tells that the account was
/// moved here (docs/threat-model.md).
package struct ServerPasswords: PasswordHasher {
    private let own: Argon2PasswordHasher
    /// Hashes from elsewhere may take twenty times as long: nobody with a hash of this server waits for one.
    private let foreign = Workers(threads: 1, queueLimit: 16)

    package init(random: any RandomSource) { self.init(Argon2PasswordHasher(random: random)) }

    /// For tests, which choose the cost.
    package init(_ own: Argon2PasswordHasher) { self.own = own }

    package func hash(_ form: Password.Form) async throws -> String { try await own.hash(form) }

    package func verify(_ form: Password.Form, against encoded: String) async throws -> Bool {
        guard ForeignPasswordHash.isForeign(encoded) else { return try await own.verify(form, against: encoded) }
        guard let foreign = ForeignPasswordHash(stored: encoded) else {
            throw Argon2PasswordHasher.Failure.malformedHash
        }
        let bytes = form.bytes
        // Nothing longer has a hash here.
        guard bytes.count <= ForeignComparison.passwordLimit else { return false }
        let matches: Bool
        do {
            matches = try await self.foreign.run { ForeignComparison(foreign).matches(bytes.bytes) }
        } catch is Workers.Busy {
            throw Argon2PasswordHasher.Failure.busy
        }
        if !matches { _ = try await own.hash(form) }
        return matches
    }

    package func needsRehash(_ encoded: String) -> Bool {
        ForeignPasswordHash.isForeign(encoded) || own.needsRehash(encoded)
    }

    package func refusal(ofForeign encoded: String) -> String? {
        ForeignPasswordHash(stored: encoded).map { ForeignComparison($0).refusal } ?? "is no hash that can be verified"
    }
}
