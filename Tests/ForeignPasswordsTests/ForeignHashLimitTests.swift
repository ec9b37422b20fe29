import PasswordHashes
import Primitives
import Testing

/// A document that no login may ever meet.
struct RefusedHash: Sendable, CustomTestStringConvertible {
    let path: String
    let message: String
    let document: JSONObject

    var testDescription: String { "\(path): \(message)" }

    init(_ path: String, _ message: String, _ document: JSONObject) {
        (self.path, self.message, self.document) = (path, message, document)
    }

    private static func text(_ algorithm: String, _ value: String, _ message: String) -> RefusedHash {
        RefusedHash("hash.value", message, ["algorithm": .string(algorithm), "hash": ["value": .string(value)]])
    }

    private static let sha1 = "2f9e53523b62abc141a2b4d6019d23cba835dbd0"
    private static let bcryptEnd = "ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"

    private static func scrypt(_ path: String, _ message: String, _ members: JSONObject) -> RefusedHash {
        var document: JSONObject = [
            "algorithm": "scrypt", "keylen": 20, "salt": ["value": "salt"],
            "hash": ["value": .string(sha1), "encoding": "hex"],
        ]
        for (name, value) in members { document[name] = value.isNull ? nil : value }
        return RefusedHash(path, message, document)
    }

    private static func digest(_ path: String, _ message: String, _ members: JSONObject) -> RefusedHash {
        var document: JSONObject = ["algorithm": "sha1", "hash": ["value": .string(sha1), "encoding": "hex"]]
        for (name, value) in members { document[name] = value }
        return RefusedHash(path, message, document)
    }

    static let all: [RefusedHash] = [
        RefusedHash("algorithm", "must be a text", ["hash": ["value": "x"]]),
        RefusedHash("algorithm", "must be one of", ["algorithm": "rot13", "hash": ["value": "x"]]),
        RefusedHash("hash", "must be an object", ["algorithm": "bcrypt"]),
        RefusedHash("hash.value", "must be a text", ["algorithm": "bcrypt", "hash": [:]]),
        RefusedHash(
            "salt", "known field", ["algorithm": "bcrypt", "hash": ["value": "x"], "salt": ["value": "x"]]),
        RefusedHash("", "must have at most 4096 bytes", ["algorithm": .string(String(repeating: "x", count: 5000))]),
        RefusedHash(
            "hash.encoding", "must be utf8",
            ["algorithm": "bcrypt", "hash": ["value": .string("$2b$10$\(bcryptEnd)"), "encoding": "hex"]]),
        text("bcrypt", "$2b$15$\(bcryptEnd)", "has the cost 15; it must be from 4 to 14"),
        text("bcrypt", "$2b$03$\(bcryptEnd)", "has the cost 3"), text("bcrypt", "$2x$10$\(bcryptEnd)", "$2a$, $2b$ or"),
        text("bcrypt", "$2b$10$\(bcryptEnd)x", "53 symbols"),
        text("bcrypt", "$2b$10$ABCDEFGHIJKLMNOPQRSTUVn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6", "ends in other bits"),
        text("bcrypt", "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e7", "ends in other bits"),
        text("crypt", "$6$rounds=999999$saltstring$x", "1000 to 500000 rounds"),
        text("crypt", "$6$saltstring$x", "86 symbols"), text("crypt", "abJnggxhB/yWI", "must be a text of crypt(3)"),
        text("crypt", "$y$j9T$salt$hash", "must be a text of crypt(3)"), text("crypt", "$1$$x", "22 symbols"),
        text("phpass", "$P$Kabcdefgh6yxVU5sbGOPIDgHP5aMHW1", "2^7 to 2^20"), text("phpass", "$P$", "31 symbols"),
        text("phpass", "$P$6abcdefghRJFCMvnAbZH2hCiFPRxpkz", "31 symbols"),
        text("argon2", "$argon2id$v=19$m=262145,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8", "262144 KiB"),
        text("argon2", "$argon2id$v=19$m=262144,t=5,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8", "m × t"),
        text("argon2", "$argon2id$v=19$m=65536,t=2,p=17$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8", "p of at most 16"),
        text("argon2", "$argon2id$v=19$m=65536,t=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8", "m × t"),
        text("argon2", "$argon2id$v=19$m=65536,t=1,p=1$c2E$CTFhFdXPJO1aFaMaO6Mm5c8", "a salt of 8"),
        text("argon2", "$argon2x$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8", "PHC string"),
        text(
            "pbkdf2", "$pbkdf2-sha512$i=2000001,l=64$c2FsdA$\(String(repeating: "A", count: 86))", "2000000 iterations"),
        text("pbkdf2", "$pbkdf2-sha1$i=500000,l=128$c2FsdA$\(String(repeating: "A", count: 171))", "285714 iterations"),
        text("pbkdf2", "$pbkdf2-sha512$i=0,l=64$c2FsdA$\(String(repeating: "A", count: 86))", "iterations"),
        text("pbkdf2", "$pbkdf2-sha512$i=1,l=32$c2FsdA$\(String(repeating: "A", count: 86))", "l bytes"),
        text("pbkdf2", "$pbkdf2-mdc2$i=1,l=64$c2FsdA$\(String(repeating: "A", count: 86))", "one of the digests"),
        text("pbkdf2", "$pbkdf2-sha512$i=1,i=2$c2FsdA$\(String(repeating: "A", count: 86))", "must have i and l"),
        text("pbkdf2", "pbkdf2_sha256$1000$salt$hash", "PHC string"),
        text("pbkdf2", "$pbkdf2-sha1$i=1,l=1$c2FsdA$AA", "16 to 128"),
        text("argon2", "$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$AAAAAA", "a hash of 16"),
        text("ldap", "plain", "a scheme in braces"), text("ldap", "{CLEARTEXT}x", "must have the scheme"),
        text("ldap", "{SHA}AAAA", "20 bytes"), text("ldap", "{SSHA}L55TUjtiq8FBorTWAZ0jy6g129A=", "and a salt"),
        scrypt("keylen", "whole number", ["keylen": nil]), scrypt("keylen", "16 to 128", ["keylen": 129]),
        scrypt("keylen", "16 to 128", ["keylen": 15]),
        scrypt("blockSize", "1024 at most", ["cost": 2, "blockSize": 1025, "parallelization": 1]),
        scrypt("hash.value", "must be 21 bytes, not 20", ["keylen": 21]),
        scrypt("cost", "power of two", ["cost": 1000]), scrypt("cost", "at most", ["cost": 524_288]),
        scrypt("cost", "at most", ["parallelization": 17]),
        scrypt("cost", "at most", ["blockSize": 9_007_199_254_740_991, "parallelization": 1]),
        scrypt("salt", "must be an object", ["salt": nil]),
        scrypt("salt.position", "known field", ["salt": ["value": "s", "position": "prefix"]]),
        digest("salt.position", "prefix or suffix", ["salt": ["value": "x"]]),
        digest(
            "salt.value", "256 bytes",
            ["salt": ["value": .string(String(repeating: "x", count: 300)), "position": "prefix"]]),
        digest("salt.value", "is not base64", ["salt": ["value": "%", "encoding": "base64", "position": "prefix"]]),
        digest(
            "salt.encoding", "hex, base64 or utf8", ["salt": ["value": "x", "encoding": "rot13", "position": "prefix"]]),
        digest("hash.encoding", "hex or base64", ["hash": ["value": .string(sha1)]]),
        digest("hash.value", "must be 20 bytes", ["hash": ["value": "abcd", "encoding": "hex"]]),
        digest("hash.value", "is not hex", ["hash": ["value": "xyz", "encoding": "hex"]]),
        digest("hash.salt", "known field", ["hash": ["value": .string(sha1), "encoding": "hex", "salt": "x"]]),
        digest("password.encoding", "must be one of", ["password": ["encoding": "ebcdic"]]),
        RefusedHash(
            "hash.digest", "must be one of",
            [
                "algorithm": "hmac",
                "hash": ["value": .string(sha1), "encoding": "hex", "digest": "crc32", "key": ["value": "k"]],
            ]),
        RefusedHash(
            "hash.key.value", "must not be empty",
            [
                "algorithm": "hmac",
                "hash": ["value": .string(sha1), "encoding": "hex", "digest": "sha1", "key": ["value": ""]],
            ]),
        RefusedHash(
            "hash.key", "must be an object",
            ["algorithm": "hmac", "hash": ["value": .string(sha1), "encoding": "hex", "digest": "sha1"]]),
    ]
}

@Suite("Limits of hashes from other servers")
struct ForeignHashLimitTests {
    @Test("A malformed or too dear hash is refused with the member and the limit", arguments: RefusedHash.all)
    func refusal(_ refused: RefusedHash) {
        do throws(ForeignPasswordHash.Problem) {
            _ = try ForeignPasswordHash(refused.document)
            Issue.record("it was taken")
        } catch {
            #expect(error.path == refused.path)
            #expect(error.message.mentions(refused.message), "\(error.message)")
        }
    }

    @Test("A stored hash is read as it was, and other texts are none")
    func stored() throws {
        for vector in ForeignHashVector.all {
            let hash = try ForeignPasswordHash(vector.document)
            #expect(ForeignPasswordHash.isForeign(hash.stored))
            #expect(ForeignPasswordHash(stored: hash.stored) == hash)
        }
        for text in ["", "$foreign$", "$foreign${}", "$foreign$[]", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAA"] {
            #expect(ForeignPasswordHash(stored: text) == nil)
        }
    }

    @Test("A password_hash is bcrypt and, beyond Auth0, phpass or crypt(3)")
    func texts() throws {
        for text in [
            "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6", "$P$6abcdefghRJFCMvnAbZH2hCiFPRxpk.",
            "$1$saltsalt$NuzA7WTAelpl95xgBGWN60",
        ] {
            _ = try ForeignPasswordHash(text: text)
        }
        #expect(throws: ForeignPasswordHash.Problem.self) { try ForeignPasswordHash(text: "secret") }
    }
}

extension String {
    fileprivate func mentions(_ text: String) -> Bool { lowercased().contains(text.lowercased()) }
}
