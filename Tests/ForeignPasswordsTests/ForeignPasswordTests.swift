import Argon2Passwords
import ForeignPasswords
import OpenSSLCrypto
import PasswordHashes
import Primitives
import Testing

/// A hash that another program wrote: Python's hashlib, hmac and crypt, and the published vectors of Argon2 and phpass.
struct ForeignHashVector: Sendable, CustomTestStringConvertible {
    let name: String
    let document: JSONObject
    var password = "correct horse"

    var testDescription: String { name }

    private static func one(_ algorithm: String, _ value: String) -> ForeignHashVector {
        ForeignHashVector(
            name: "\(algorithm) \(value.prefix(20))",
            document: ["algorithm": .string(algorithm), "hash": ["value": .string(value)]])
    }

    private static func digest(
        _ algorithm: String, _ value: String, encoding: JSONValue = "hex", salt: String? = nil, password: String? = nil,
        as passwordEncoding: JSONValue? = nil
    ) -> ForeignHashVector {
        var document: JSONObject = [
            "algorithm": .string(algorithm), "hash": ["value": .string(value), "encoding": encoding],
        ]
        if let salt { document["salt"] = ["value": "TmFDbCtzYWx0", "encoding": "base64", "position": .string(salt)] }
        if let passwordEncoding { document["password"] = ["encoding": passwordEncoding] }
        return ForeignHashVector(
            name: "\(algorithm) \(salt ?? "") \(passwordEncoding?.stringValue ?? "")", document: document,
            password: password ?? "correct horse")
    }

    private static func hmac(_ digest: String, _ value: String) -> ForeignHashVector {
        ForeignHashVector(
            name: "hmac \(digest)",
            document: [
                "algorithm": "hmac",
                "hash": [
                    "value": .string(value), "encoding": "hex", "digest": .string(digest),
                    "key": ["value": "key of the old server"],
                ],
            ])
    }

    static let all: [ForeignHashVector] =
        [
            one("bcrypt", "$2a$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2"),
            one("bcrypt", "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"),
            one("bcrypt", "$2y$05$ABCDEFGHIJKLMNOPQRSTUOUtCXPn2UzFzzGv0RszF9Q8W6l19.Y9O"),
            one("crypt", "$1$saltsalt$NuzA7WTAelpl95xgBGWN60"),
            one("crypt", "$5$rounds=1000$saltstring$95Bg/RfV2QriLpMdLPHK9el0Ighm6E3CBqMKzZKgCa2"),
            one(
                "crypt",
                "$6$saltstring$.r0X7ub5wGR2v4Xz7svCIozfnlorFh19V89t8KC9Umd81uGhFgsyTRNyzQDXDIm17fFcR9z3z7oBNdsyYBbtm/"),
            one("ldap", "{CRYPT}$1$saltsalt$NuzA7WTAelpl95xgBGWN60"),
            one(
                "ldap",
                "{SSHA512}3u0Hp0OG8513+7Snfym61BhZhO1x2kKt9EkDuNNkexQluLZWJ5tqnlt4oppnTAGOGqcQRo2SZ1VnlscMQsd/0k5hQ2wrc2FsdA=="
            ),
            one("ldap", "{SSHA}x369yqA11g2WP3BM1KN8ji2W+xpOYUNsK3NhbHQ="),
            one("ldap", "{SMD5}gJ8fz4bPo93Hpj7YwNiOCU5hQ2wrc2FsdA=="), one("ldap", "{MD5}PLTnMmMfR+brlh80VUt83g=="),
            one("ldap", "{sha}L55TUjtiq8FBorTWAZ0jy6g129A="),
            one("ldap", "{SHA256}QQTTb42iwlQ0n4WDZ5Pr4CngyVcGOjTJHC6SAxh7VjE="),
            one(
                "pbkdf2",
                "$pbkdf2-sha512$i=1000,l=64$TmFDbCtzYWx0$emcOqUwfU/dcAIh5cOIynDZAvFkWNL2AjhhgbWDfusN+JdAbsvwD78yGZVezXch7pgKNgbsPbx6hj8Ahjpj+rA"
            ),
            one("pbkdf2", "$pbkdf2-RSA-SHA256$i=27500,l=32$TmFDbCtzYWx0$jCogpjBGzun2SIPvr3OedCBfoS8YQ8kfnrqkBMMRv+0"),
            one("pbkdf2", "$pbkdf2-sha1WithRSAEncryption$l=20,i=4096$TmFDbCtzYWx0$vVZEjcyvDe95cci6M6MCgQp5JTY"),
            one(
                "pbkdf2",
                "$pbkdf2-md5$i=10,l=40$TmFDbCtzYWx0$Z2F2i9pcOHme2xyU7xTK0j0rA4n1ruWRqeFU2n+zBHF33wLeQHtjmw"),
            one(
                "pbkdf2",
                "$pbkdf2-sha512$TmFDbCtzYWx0$nBFAyeWoWA/DhDFPHDJgqtSUa4/ys/m8IhFvWFzNOS94H5CtV6afRZoPAxx3IitlBvE8ZkERtCJkRxic6brpdQ"
            ),
            one("phpass", "$P$6abcdefghRJFCMvnAbZH2hCiFPRxpk."),
            one("phpass", "$H$6abcdefghRJFCMvnAbZH2hCiFPRxpk."),
            ForeignHashVector(
                name: "phpass, published",
                document: ["algorithm": "phpass", "hash": ["value": "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"]],
                password: "test12345"),
            digest("md5", "3cb4e732631f47e6eb961f34554b7cde"),
            digest("md5", "Us1dVjrtTpgNQ8MHnYkUtQ==", encoding: "base64", salt: "prefix"),
            digest("md5", "809F1FCF86CFA3DDC7A63ED8C0D88E09", salt: "suffix"),
            digest("sha1", "AvS4_ntFKh4Q76A9WcLOihBA4f8", encoding: "base64", salt: "prefix"),
            digest("sha1", "c77ebdcaa035d60d963f704cd4a37c8e2d96fb1a", salt: "suffix"),
            digest("sha256", "4104d36f8da2c254349f85836793ebe029e0c957063a34c91c2e9203187b5631"),
            digest("sha256", "0xAe8qoK44syk69C15R3Z5JJeY6vbj5fG486W05ATm8=", encoding: "base64", salt: "prefix"),
            digest(
                "sha512",
                "deed07a74386f39d77fbb4a77f29bad4185984ed71da42adf44903b8d3647b1425b8b656279b6a9e5b78a29a674c018e1aa710468d9267556796c70c42c77fd2",
                salt: "suffix"),
            digest("sha1", "024f3320464bdcdb095a476d9a07734602ef06cb", password: "pässwörd", as: "utf16le"),
            digest("sha1", "024f3320464bdcdb095a476d9a07734602ef06cb", password: "pässwörd", as: "ucs2"),
            digest("sha1", "125b7982778481ce257ae3ba763b12cd80f85190", password: "pässwörd", as: "utf16be"),
            digest("sha1", "798c481d8ec06c08915eb09639f9c210131fa4bf", password: "pässwörd", as: "latin1"),
            digest("md4", "b4fe5d2ad49f136f957a7a6b1c029cd2"),
            hmac("md5", "3f8806f741fad2470f39bd05f70a5df2"),
            hmac("sha256", "a99ec3548bbf681cc78d5955bf4223ea6f1edd8d823c9ff611baffdae9f150c0"),
            hmac("ripemd160", "4525c4e81c2b715d5d1a7a463bf75853d89baaa6"),
        ] + argon2 + scrypt

    private static let argon2 = [
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
        "$argon2i$v=19$t=2,p=1,m=65536$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
        "$argon2i$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ",
    ].map { value in
        ForeignHashVector(
            name: value.prefix(14).description,
            document: ["algorithm": "argon2", "hash": ["value": .string(value), "encoding": "utf8"]],
            password: "password")
    }

    private static let scrypt = [
        ForeignHashVector(
            name: "scrypt by its defaults",
            document: [
                "algorithm": "scrypt", "keylen": 64, "salt": ["value": "NaCl+salt"],
                "hash": [
                    "encoding": "hex",
                    "value":
                        "c3b20ef7c7e5f39758db5d7bc8d8d00e56fe610015a24acf40e85f7b880ff44a6e01a32553c1fa9abea4b1de7275aa7d78bb1526af8df86e2b185253b187a20b",
                ],
            ]),
        ForeignHashVector(
            name: "scrypt",
            document: [
                "algorithm": "scrypt", "keylen": 32, "cost": 1024, "blockSize": 4, "parallelization": 3,
                "salt": ["value": "4e61436c2b73616c74", "encoding": "hex"],
                "hash": ["encoding": "base64", "value": "mPA0Oa5j2x3tLJJ7Bury0560s6roT2PTEUDIxEyzt5Q="],
            ]),
    ]
}

@Suite("Passwords from other servers")
struct ForeignPasswordTests {
    private let passwords: ServerPasswords

    /// OpenSSL has MD4 only with its legacy provider.
    private static func isAvailable(_ vector: ForeignHashVector) -> Bool {
        guard vector.name.hasPrefix("md4"), let stored = try? ForeignPasswordHash(vector.document).stored else {
            return true
        }
        return ServerPasswords(random: SystemRandom()).refusal(ofForeign: stored) == nil
    }

    init() throws {
        passwords = ServerPasswords(
            try Argon2PasswordHasher(
                parameters: Argon2Parameters(memory: 64, passes: 1, lanes: 1), random: SystemRandom()))
    }

    @Test(
        "A hash that another program wrote verifies its password and no other, and is due to be replaced",
        arguments: ForeignHashVector.all.filter(Self.isAvailable))
    func vectors(_ vector: ForeignHashVector) async throws {
        let stored = try ForeignPasswordHash(vector.document).stored
        #expect(passwords.refusal(ofForeign: stored) == nil)
        #expect(try await passwords.verify(Password(vector.password), against: stored) == .prepared)
        for other in ["", vector.password + "x", String(vector.password.dropLast()), vector.password.uppercased()] {
            #expect(try await passwords.verify(Password(other), against: stored) == .none, "\(other)")
        }
        #expect(passwords.needsRehash(stored))
        // A new hash is this server's own.
        let new = try await passwords.hash(Password(vector.password))
        #expect(!passwords.needsRehash(new))
        #expect(try await passwords.verify(Password(vector.password), against: new) == .prepared)
    }

    @Test("A password that its encoding cannot write, or with a NUL for crypt(3), has no such hash")
    func unwritable() async throws {
        let ascii = try ForeignPasswordHash([
            "algorithm": "sha1", "password": ["encoding": "ascii"],
            "hash": ["value": "2f9e53523b62abc141a2b4d6019d23cba835dbd0", "encoding": "hex"],
        ]).stored
        #expect(try await passwords.verify(Password("correct horse"), against: ascii) == .prepared)
        #expect(try await passwords.verify(Password("correct hörse"), against: ascii) == .none)
        let bcrypt = try ForeignPasswordHash(
            text: "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"
        ).stored
        #expect(try await passwords.verify(Password("correct horse\u{0}x"), against: bcrypt) == .none)
        #expect(
            try await passwords.verify(Password(String(repeating: "x", count: 5000)), against: bcrypt) == .none)
    }

    @Test("A long password matches only where its rounds are few: each reads all of it")
    func longPasswords() async throws {
        let password = Password(String(repeating: "a", count: 500))
        let quick =
            "$6$rounds=100000$saltstring$"
            + "qs.5fEwjNK8FLDiT0jDsBSoIy6I0hLEcph2JX9/8E7lXoYcc3FCS.DSXJUamG/6cH0TpQ.TAFxjMjLq.O64BA/"
        let slow =
            "$6$rounds=200000$saltstring$"
            + "BRt61fCLKTeGO4kFD11D.geanUEBAkG8/9RfPFEwesNMXTa2ta5hAxGO2cgHJ.uzMY1mor/LW28uzZf7ZAZnE."
        for (text, expected) in [(quick, Password.Match.prepared), (slow, .none)] {
            let stored = try ForeignPasswordHash(text: text).stored
            #expect(try await passwords.verify(password, against: stored) == expected)
        }
    }

    @Test("A stored hash that somebody changed beyond the limits is an error, and is not computed")
    func changedRow() async throws {
        let stored = try ForeignPasswordHash(
            text: "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"
        ).stored
        await #expect(throws: Argon2PasswordHasher.Failure.malformedHash) {
            try await passwords.verify(Password("x"), against: stored.replacing("$2b$10$", with: "$2b$31$"))
        }
    }
}
