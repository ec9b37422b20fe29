package import Primitives

/// A password's hash from another server, in the form of Auth0's `custom_password_hash`. It cannot hold one that would
/// cost more to verify than the limits of ``Limit``.
///
/// The next login with the password replaces it by a hash of this server's own.
package struct ForeignPasswordHash: Sendable, Equatable {
    package enum Scheme: Sendable, Equatable {
        /// A text of crypt(3): bcrypt, or MD5, SHA-256 and SHA-512 in rounds.
        case crypt(String)
        /// MD5 in rounds, of phpass.
        case phpass(rounds: Int, salt: [UInt8], hash: [UInt8])
        case argon2(String, Argon2Variant)
        case digest(HashFunction, Salt, hash: [UInt8])
        case hmac(HashFunction, key: [UInt8], Salt, hash: [UInt8])
        case pbkdf2(HashFunction, iterations: Int, salt: [UInt8], hash: [UInt8])
        case scrypt(cost: Int, blockSize: Int, lanes: Int, salt: [UInt8], hash: [UInt8])
    }

    package enum Argon2Variant: String, Sendable, CaseIterable { case argon2i, argon2d, argon2id }

    /// Hash functions, by OpenSSL's names.
    package enum HashFunction: String, Sendable, CaseIterable {
        case md4 = "MD4"
        case md5 = "MD5"
        case ripemd160 = "RIPEMD160"
        case sha1 = "SHA1"
        case sha224 = "SHA224"
        case sha256 = "SHA256"
        case sha384 = "SHA384"
        case sha512 = "SHA512"
        case whirlpool = "WHIRLPOOL"

        /// Bytes of a hash.
        package var size: Int {
            switch self {
            case .md4, .md5: 16
            case .ripemd160, .sha1: 20
            case .sha224: 28
            case .sha256: 32
            case .sha384: 48
            case .sha512, .whirlpool: 64
            }
        }
    }

    /// A salt, which stands before or behind the password.
    package struct Salt: Sendable, Equatable {
        package let bytes: [UInt8]
        package let isBehind: Bool

        package static let none = Salt(bytes: [], isBehind: false)

        package func applied(to password: [UInt8]) -> [UInt8] { isBehind ? password + bytes : bytes + password }
    }

    /// Reason that a document is not taken.
    package struct Problem: Error, Sendable, Equatable {
        /// The member, from the document's root.
        package let path: String
        package let message: String

        package init(_ path: String, _ message: String) {
            self.path = path
            self.message = message
        }
    }

    /// Highest costs. Each takes a core about a second at most.
    package enum Limit {
        package static let bcryptCost = 4...14
        package static let cryptRounds = 1_000...500_000
        /// Logarithm of phpass's rounds.
        package static let phpassRounds = 7...20
        /// Iterations, times the blocks of the derived key.
        package static let pbkdf2Iterations = 2_000_000
        /// scrypt's cost times block size times lanes: 256 MiB, and what they take.
        package static let scryptWork = 1 << 21
        /// scrypt's block size times lanes: 128 KiB, so that what comes beside the cost is small.
        package static let scryptBlocks = 1024
        /// Memory in KiB, and memory times passes.
        package static let argon2Memory = 262_144
        package static let argon2Work = 1_048_576
        package static let argon2Lanes = 16
        package static let saltBytes = 256
        /// Sizes of a derived key. A shorter one is a digest that was cut, which many passwords have.
        package static let hashBytes = 16...128
        /// The document as JSON.
        package static let documentBytes = 4096
    }

    package let scheme: Scheme
    package let encoding: PasswordEncoding
    /// As it was given, without anything unknown.
    private let document: JSONObject

    /// Reads a `custom_password_hash`. Beside Auth0's algorithms, `phpass` and `crypt` are known.
    package init(_ document: JSONObject) throws(Problem) {
        guard JSONWriter.bytes(.object(document)).count <= Limit.documentBytes else {
            throw Problem("", "must have at most \(Limit.documentBytes) bytes")
        }
        (scheme, encoding) = try ForeignHashReader(document).read()
        self.document = document
    }

    /// Reads a `password_hash`: a text of bcrypt or, beyond Auth0, of phpass or crypt(3).
    package init(text: String) throws(Problem) {
        let algorithm = text.hasPrefix("$P$") || text.hasPrefix("$H$") ? "phpass" : Self.cryptAlgorithm(of: text)
        do throws(Problem) {
            try self.init(["algorithm": .string(algorithm), "hash": ["value": .string(text)]])
        } catch {
            throw Problem("", error.message)
        }
    }

    /// Rounds of a text of crypt(3) that each read the whole password: not those of bcrypt, which reads 72 bytes once.
    package static func cryptRounds(of text: String) -> Int {
        guard !text.hasPrefix("$2") else { return 1 }
        let marked = text.split(separator: "$").first { $0.hasPrefix("rounds=") }
        return marked.flatMap { Int($0.dropFirst("rounds=".count)) } ?? 5_000
    }

    private static func cryptAlgorithm(of text: String) -> String {
        ["$1$", "$5$", "$6$"].contains { text.hasPrefix($0) } ? "crypt" : "bcrypt"
    }

    private static let prefix = "$foreign$"

    /// Text for the column of passwords' hashes.
    package var stored: String { Self.prefix + JSONWriter.string(.object(document)) }

    /// True for texts of ``stored``, and no others.
    package static func isForeign(_ stored: String) -> Bool { stored.hasPrefix(prefix) }

    /// Nil for other texts, and for one that was changed beyond the limits.
    package init?(stored: String) {
        guard Self.isForeign(stored),
            let document = try? JSONReader.parse(Array(stored.utf8.dropFirst(Self.prefix.utf8.count))).objectValue,
            let hash = try? ForeignPasswordHash(document)
        else { return nil }
        self = hash
    }
}
