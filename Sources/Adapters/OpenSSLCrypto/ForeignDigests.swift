import COpenSSLSeam
package import PasswordHashes

/// Functions of passwords' hashes from other servers, which nothing of this server is made with.
package enum ForeignDigests {
    package typealias HashFunction = ForeignPasswordHash.HashFunction

    /// False for functions of OpenSSL's legacy provider on a machine without it.
    package static func has(_ function: HashFunction) -> Bool {
        countersign_openssl_password_has(function.rawValue) == 1
    }

    /// Nil if the machine lacks the function, or memory.
    package static func digest(_ function: HashFunction, _ message: [UInt8]) -> [UInt8]? {
        computed(function.size) {
            countersign_openssl_password_digest(function.rawValue, message, message.count, $0, function.size)
        }
    }

    package static func hmac(_ function: HashFunction, key: [UInt8], _ message: [UInt8]) -> [UInt8]? {
        // An empty key still needs an address.
        let memory = key.isEmpty ? [0] : key
        return computed(function.size) {
            countersign_openssl_password_hmac(
                function.rawValue, memory, key.count, message, message.count, $0, function.size)
        }
    }

    package static func pbkdf2(
        _ function: HashFunction, _ password: [UInt8], salt: [UInt8], iterations: Int, count: Int
    ) -> [UInt8]? {
        guard let iterations = UInt32(exactly: iterations) else { return nil }
        let characters = password.characters
        return computed(count) {
            countersign_openssl_password_pbkdf2(
                function.rawValue, characters, password.count, salt, salt.count, iterations, $0, count)
        }
    }

    package static func scrypt(
        _ password: [UInt8], salt: [UInt8], cost: Int, blockSize: Int, lanes: Int, count: Int
    ) -> [UInt8]? {
        // Blocks of 128 bytes, and room for OpenSSL's own.
        let memory = 128 * blockSize * (cost + lanes + 2) + 1_048_576
        let characters = password.characters
        return computed(count) {
            countersign_openssl_password_scrypt(
                characters, password.count, salt, salt.count, UInt(cost), UInt(blockSize), UInt(lanes), UInt(memory),
                $0, count)
        }
    }

    /// MD5 of salt and password, and then `rounds` times of the result and the password.
    package static func md5(_ password: [UInt8], salt: [UInt8], rounds: Int) -> [UInt8]? {
        computed(HashFunction.md5.size) {
            countersign_openssl_password_md5_rounds(
                password, password.count, salt, salt.count, UInt(rounds), $0)
        }
    }

    private static func computed(_ count: Int, _ work: (UnsafeMutablePointer<UInt8>) -> Int32) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: count)
        let status = output.withUnsafeMutableBufferPointer { $0.baseAddress.map(work) ?? 0 }
        return status == 1 ? output : nil
    }
}

extension [UInt8] {
    /// OpenSSL takes a null password for none, so an empty one still needs an address.
    fileprivate var characters: [CChar] { isEmpty ? [0] : map(CChar.init(bitPattern:)) }
}
