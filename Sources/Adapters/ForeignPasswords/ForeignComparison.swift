import Argon2Passwords
import CCrypt
import OpenSSLCrypto
import PasswordHashes
import Primitives

/// Compares passwords with one hash of another server. Each comparison may take a core about a second.
struct ForeignComparison {
    static let passwordLimit = 4096
    /// Rounds, times the blocks of 64 bytes of a password that each reads. The person who guesses chooses its length.
    static let workLimit = 1 << 20

    private let hash: ForeignPasswordHash

    init(_ hash: ForeignPasswordHash) { self.hash = hash }

    /// Reason that this machine cannot compare. Nil if it can.
    var refusal: String? {
        guard let function, !ForeignDigests.has(function) else { return nil }
        return "needs \(function.rawValue), which OpenSSL has in its legacy provider alone: install that "
            + "(Debian 13: openssl-provider-legacy), or let the person set a new password"
    }

    private var function: ForeignPasswordHash.HashFunction? {
        switch hash.scheme {
        case .digest(let function, _, _), .hmac(let function, _, _, _), .pbkdf2(let function, _, _, _): function
        case .crypt, .phpass, .argon2, .scrypt: nil
        }
    }

    /// Rounds that each read the whole password.
    private var rounds: Int {
        switch hash.scheme {
        case .phpass(let rounds, _, _): rounds
        case .crypt(let encoded): ForeignPasswordHash.cryptRounds(of: encoded)
        case .digest, .hmac, .pbkdf2, .argon2, .scrypt: 1
        }
    }

    /// False for a password that the encoding cannot write, or with which the hash would take many times as long.
    func matches(_ typed: [UInt8]) -> Bool {
        guard let password = hash.encoding.bytes(of: typed), rounds * (password.count / 64 + 1) <= Self.workLimit
        else { return false }
        switch hash.scheme {
        case .argon2(let encoded, let variant):
            return Argon2PasswordHasher.matches(password, encoded, variant)
        case .crypt(let encoded): return equal(Array(encoded.utf8), Self.crypt(password, encoded))
        case .phpass(let rounds, let salt, let expected):
            return equal(expected, ForeignDigests.md5(password, salt: salt, rounds: rounds))
        case .digest(let function, let salt, let expected):
            return equal(expected, ForeignDigests.digest(function, salt.applied(to: password)))
        case .hmac(let function, let key, let salt, let expected):
            return equal(expected, ForeignDigests.hmac(function, key: key, salt.applied(to: password)))
        case .pbkdf2(let function, let iterations, let salt, let expected):
            return equal(
                expected,
                ForeignDigests.pbkdf2(function, password, salt: salt, iterations: iterations, count: expected.count))
        case .scrypt(let cost, let blockSize, let lanes, let salt, let expected):
            return equal(
                expected,
                ForeignDigests.scrypt(
                    password, salt: salt, cost: cost, blockSize: blockSize, lanes: lanes, count: expected.count))
        }
    }

    /// In constant time.
    private func equal(_ expected: [UInt8], _ computed: [UInt8]?) -> Bool {
        computed.map { constantTimeEquals(expected, $0) } ?? false
    }

    /// Nil for a password with a NUL, which crypt(3) would end at, or beyond its limit of bytes.
    private static func crypt(_ password: [UInt8], _ setting: String) -> [UInt8]? {
        guard !password.contains(0), password.count < Int(CRYPT_MAX_PASSPHRASE_SIZE) else { return nil }
        let size = MemoryLayout<crypt_data>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<crypt_data>.alignment)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        defer {
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            memory.deallocate()
        }
        let phrase = (password + [0]).map(CChar.init(bitPattern:))
        guard let output = crypt_rn(phrase, setting, memory, Int32(size)) else { return nil }
        return Array(String(cString: output).utf8)
    }
}
