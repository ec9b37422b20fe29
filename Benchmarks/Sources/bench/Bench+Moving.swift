import Workbench
import ForeignPasswords
import OpenSSLCrypto
import PasswordHashes
import Primitives

/// Users of another server: their import by the program on a data folder, and one comparison of a password for each kind
/// of hash.
extension Bench {
    /// Hashes of `correct horse`, as other programs wrote them.
    private static let kinds: [(name: String, document: JSONObject)] = [
        (
            "bcrypt, cost 10",
            [
                "algorithm": "bcrypt",
                "hash": ["value": "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"],
            ]
        ),
        (
            "PBKDF2 of SHA-256, 27,500 rounds",
            [
                "algorithm": "pbkdf2",
                "hash": [
                    "value":
                        "$pbkdf2-sha256$i=27500,l=32$TmFDbCtzYWx0$jCogpjBGzun2SIPvr3OedCBfoS8YQ8kfnrqkBMMRv+0"
                ],
            ]
        ),
        (
            "scrypt, 16 MiB",
            [
                "algorithm": "scrypt", "keylen": 64, "salt": ["value": "NaCl+salt"],
                "hash": [
                    "encoding": "hex",
                    "value":
                        "c3b20ef7c7e5f39758db5d7bc8d8d00e56fe610015a24acf40e85f7b880ff44a6e01a32553c1fa9abea4b1de7275aa7d78bb1526af8df86e2b185253b187a20b",
                ],
            ]
        ),
        (
            "SHA-256 with salt",
            [
                "algorithm": "sha256", "salt": ["value": "NaCl+salt", "position": "prefix"],
                "hash": ["value": "0xAe8qoK44syk69C15R3Z5JJeY6vbj5fG486W05ATm8=", "encoding": "base64"],
            ]
        ),
        ("phpass, 256 rounds", ["algorithm": "phpass", "hash": ["value": "$P$6abcdefghRJFCMvnAbZH2hCiFPRxpk."]]),
    ]

    mutating func measureMoving() async throws {
        let count = 100_000
        progress("writing a file of \(formatted(Double(count))) users")
        let data = "\(folder)/moving"
        try writeFile(
            "\(folder)/moving.json",
            #"{ "tenants": [ { "id": "shop", "name": "Shop", "host": "id.shop.example" } ] }"#)
        try writeFile("\(folder)/users.json", Self.file(of: count))
        try command(["apply", "\(folder)/moving.json", "--create", "--data", data])
        progress("importing them")
        let began = ContinuousClock.now
        try command(["user", "import", "\(folder)/users.json", "--data", data])
        rows.append(
            Row(
                name: "import of \(formatted(Double(count))) users with five kinds of hash",
                value: (ContinuousClock.now - began).seconds, unit: "s", goal: .valueAtMost(60),
                note: "countersign user import, on SQLite"))
        let passwords = ServerPasswords(random: SystemRandom())
        let password = Password("correct horse")
        let own = try await passwords.hash(password)
        let reference = try await time(passwords, password, own)
        for (name, document) in Self.kinds {
            let stored = try ForeignPasswordHash(document).stored
            rows.append(
                Row(
                    name: "password of \(name)", value: try await time(passwords, password, stored), unit: "ms",
                    reference: reference, referenceName: "this server's Argon2id"))
        }
    }

    private static func file(of count: Int) -> String {
        let hashes = kinds.map { JSONWriter.string(.object($0.document)) }
        var text = "["
        for number in 0..<count {
            text += number == 0 ? "" : ",\n"
            text += """
                {"email":"person.\(number)@shop.example","email_verified":true,"user_id":"p\(number)","name":"Person \(number)",\
                "app_metadata":{"plan":"gold","customer":"C-\(number)"},"custom_password_hash":\(hashes[number % hashes.count])}
                """
        }
        return text + "]"
    }

    private func command(_ arguments: [String]) throws {
        let log = "\(folder)/moving.log"
        let child = try Child([options.serverPath] + arguments, log: log)
        guard child.wait(within: .seconds(600)) == 0 else {
            throw Failure("\(arguments.joined(separator: " ")) failed: \(((try? readText(log)) ?? "").suffix(1000))")
        }
    }

    /// Milliseconds of one comparison.
    private func time(_ passwords: ServerPasswords, _ password: Password, _ stored: String) async throws -> Double {
        var taken: [Double] = []
        for _ in 0..<9 {
            let began = ContinuousClock.now
            guard try await passwords.verify(password, against: stored) == .prepared else {
                throw Failure("a password does not match")
            }
            taken.append((ContinuousClock.now - began).seconds * 1000)
        }
        return median(taken)
    }
}
