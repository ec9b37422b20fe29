import CArgon2
package import PasswordHashes
package import Primitives
import Threads

/// Argon2id (RFC 9106) by libargon2, on its own threads.
package struct Argon2PasswordHasher: PasswordHasher {
    package enum Failure: Error, Sendable, Equatable {
        /// The queue is full. Try again later.
        case busy
        /// The stored hash is not Argon2id in the standard encoding, or its costs are beyond the limits.
        case malformedHash
        /// The requested costs are beyond the limits.
        case parameters
        /// The password has more than 4096 bytes.
        case passwordLength
        /// libargon2's error code and message, which do not contain the password.
        case library(code: Int32, text: String)
    }

    private static let saltSize = 16
    private static let hashSize = 32
    private static let passwordLimit = 4096

    package let parameters: Argon2Parameters
    private let random: any RandomSource
    private let workers: Workers

    /// Computes hashes of the default cost one after the other.
    package init(random: any RandomSource) {
        parameters = Argon2Parameters()
        self.random = random
        workers = Workers(threads: 1, queueLimit: 64)
    }

    /// - Parameters:
    ///   - threads: Number of hashes computed at the same time. Each uses a core and the parameters' memory.
    ///   - queueLimit: Number of waiting hashes. Further ones fail with `Failure.busy`.
    package init(
        parameters: Argon2Parameters, random: any RandomSource, threads: Int = 1, queueLimit: Int = 64
    ) throws(Failure) {
        guard parameters.isWithinLimits else { throw .parameters }
        self.parameters = parameters
        self.random = random
        workers = Workers(threads: threads, queueLimit: queueLimit)
    }

    /// - Throws: `Failure`.
    package func hash(_ form: Password.Form) async throws -> String {
        let password = form.bytes
        guard password.count <= Self.passwordLimit else { throw Failure.passwordLength }
        let salt = random.bytes(Self.saltSize)
        let parameters = parameters
        return try await run { () throws(Failure) in
            var encoded = [CChar](repeating: 0, count: EncodedHash.lengthLimit)
            let status = password.withBytes { password in
                argon2id_hash_encoded(
                    parameters.passes, parameters.memory, parameters.lanes, password.baseAddress, password.count, salt,
                    salt.count, Self.hashSize, &encoded, encoded.count)
            }
            guard status == ARGON2_OK.rawValue else { throw .of(status) }
            return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// - Throws: `Failure`. A wrong password is not an error.
    package func verify(_ form: Password.Form, against encoded: String) async throws -> Bool {
        let password = form.bytes
        guard EncodedHash(encoded) != nil else { throw Failure.malformedHash }
        // `hash` refuses such passwords, so no account has one.
        guard password.count <= Self.passwordLimit else { return false }
        return try await run { () throws(Failure) in
            let status = password.withBytes { argon2id_verify(encoded, $0.baseAddress, $0.count) }
            switch status {
            case ARGON2_OK.rawValue: return true
            case ARGON2_VERIFY_MISMATCH.rawValue: return false
            case ARGON2_DECODING_FAIL.rawValue: throw .malformedHash
            default: throw .of(status)
            }
        }
    }

    private func run<Result: Sendable>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws -> Result {
        do {
            return try await workers.run(work)
        } catch is Workers.Busy {
            throw Failure.busy
        }
    }

    package func needsRehash(_ encoded: String) -> Bool { EncodedHash(encoded)?.parameters != parameters }

    /// Compares a password with a hash of another server, on the calling thread. False for one that cannot be computed.
    package static func matches(
        _ password: [UInt8], _ encoded: String, _ variant: ForeignPasswordHash.Argon2Variant
    ) -> Bool {
        let type =
            switch variant {
            case .argon2i: Argon2_i
            case .argon2d: Argon2_d
            case .argon2id: Argon2_id
            }
        return argon2_verify(encoded, password, password.count, type) == ARGON2_OK.rawValue
    }
}

extension Argon2PasswordHasher.Failure {
    fileprivate static func of(_ status: Int32) -> Self {
        .library(code: status, text: argon2_error_message(status).map { String(cString: $0) } ?? "")
    }
}

extension Argon2PasswordHasher.Failure: TransientError { package var isTransient: Bool { self == .busy } }
