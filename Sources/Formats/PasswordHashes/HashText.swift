import Primitives

/// Hashes that are one text with all that verifies them.
enum HashText {
    typealias Scheme = ForeignPasswordHash.Scheme
    typealias Limit = ForeignPasswordHash.Limit
    typealias HashFunction = ForeignPasswordHash.HashFunction

    struct Failure: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    /// Standard or URL-safe, with or without padding.
    static func base64(_ text: String) -> [UInt8]? {
        let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding == 0 || (padding < 3 && text.utf8.count % 4 == 0) else { return nil }
        return Base64URL.decode(
            text.utf8.dropLast(padding).map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            })
    }

    // MARK: crypt(3)

    /// Symbols of crypt(3), each with six bits: phpass and the older formats.
    private static let symbols = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// The same for bcrypt.
    private static let bcryptSymbols = Array("./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// `$2b$10$`, 22 symbols of the salt and 31 of the hash.
    static func bcrypt(_ text: String) throws(Failure) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: { text.hasPrefix($0) }),
            bytes[6] == UInt8(ascii: "$"), let cost = Int(ascii: bytes[4..<6]),
            bytes[7...].allSatisfy(bcryptSymbols.contains)
        else { throw Failure("must be a hash of bcrypt: $2a$, $2b$ or $2y$, the cost, and 53 symbols") }
        guard Limit.bcryptCost.contains(cost) else {
            throw Failure(
                "has the cost \(cost); it must be from \(Limit.bcryptCost.lowerBound) to \(Limit.bcryptCost.upperBound)"
            )
        }
        // 128 bits in 22 symbols and 184 in 31. Other bits would be lost, so that no password has such a hash.
        guard let salt = bcryptSymbols.firstIndex(of: bytes[28]), salt & 0xF == 0,
            let hash = bcryptSymbols.firstIndex(of: bytes[59]), hash & 0x3 == 0
        else { throw Failure("is no hash that bcrypt writes: its salt or hash ends in other bits") }
        return text
    }

    /// `$5$rounds=5000$SALT$HASH`, the same with `$6$`, and `$1$SALT$HASH`. Others are bcrypt.
    static func crypt(_ text: String) throws(Failure) -> String {
        if text.hasPrefix("$2") { return try bcrypt(text) }
        var parts = text.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
        let sizes = ["1": (salt: 8, hash: 22), "5": (salt: 16, hash: 43), "6": (salt: 16, hash: 86)]
        guard text.utf8.first == UInt8(ascii: "$"), let kind = parts.popFirst(), let size = sizes[String(kind)] else {
            throw Failure("must be a text of crypt(3) that begins with $1$, $2a$, $2b$, $2y$, $5$ or $6$")
        }
        if let first = parts.first, kind != "1", first.hasPrefix("rounds=") {
            guard let rounds = Int(ascii: Array(first.utf8.dropFirst(7))), Limit.cryptRounds.contains(rounds) else {
                throw Failure("must have \(Limit.cryptRounds.lowerBound) to \(Limit.cryptRounds.upperBound) rounds")
            }
            parts.removeFirst()
        }
        guard parts.count == 2, let salt = parts.first, let hash = parts.last,
            (1...size.salt).contains(salt.utf8.count),
            hash.utf8.count == size.hash, salt.utf8.allSatisfy(symbols.contains),
            hash.utf8.allSatisfy(symbols.contains)
        else { throw Failure("must be a text of crypt(3): $\(kind)$, salt, $ and \(size.hash) symbols") }
        return text
    }

    /// `$P$` or `$H$`, the logarithm of the rounds, 8 bytes of salt and 22 symbols.
    static func phpass(_ text: String) throws(Failure) -> Scheme {
        let bytes = Array(text.utf8)
        guard bytes.count == 34, text.hasPrefix("$P$") || text.hasPrefix("$H$"),
            let rounds = symbols.firstIndex(of: bytes[3]), bytes[4...].allSatisfy(symbols.contains),
            let hash = littleEndian(bytes[12...], count: 16)
        else { throw Failure("must be a hash of phpass: $P$ or $H$, and 31 symbols") }
        guard Limit.phpassRounds.contains(rounds) else {
            throw Failure(
                "must have 2^\(Limit.phpassRounds.lowerBound) to 2^\(Limit.phpassRounds.upperBound) rounds, not 2^\(rounds)"
            )
        }
        return .phpass(rounds: 1 << rounds, salt: Array(bytes[4..<12]), hash: hash)
    }

    /// Four symbols for three bytes, the lowest bits first. Nil for bits beyond the bytes.
    private static func littleEndian(_ text: ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        var (bytes, bits, held) = ([UInt8](), 0, 0)
        for symbol in text {
            guard let value = symbols.firstIndex(of: symbol) else { return nil }
            bits |= value << held
            held += 6
            while held >= 8, bytes.count < count {
                bytes.append(UInt8(bits & 0xFF))
                bits >>= 8
                held -= 8
            }
        }
        return bytes.count == count && bits == 0 ? bytes : nil
    }

    // MARK: the PHC string format

    /// `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`. Returns it with the parameters in libargon2's order.
    static func argon2(_ text: String) throws(Failure) -> Scheme {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].isEmpty,
            let variant = ForeignPasswordHash.Argon2Variant(rawValue: String(parts[1])),
            parts[2] == "v=19" || parts[2] == "v=16", let costs = parameters(parts[3], ["m", "t", "p"]),
            let memory = costs["m"], let passes = costs["t"], let lanes = costs["p"],
            let salt = Base64URL.decode(urlSafe(parts[4])), let hash = Base64URL.decode(urlSafe(parts[5]))
        else {
            throw Failure("must be a PHC string of Argon2, such as $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH")
        }
        guard (8...Limit.saltBytes).contains(salt.count), Limit.hashBytes.contains(hash.count) else {
            throw Failure(
                "must have a salt of 8 to \(Limit.saltBytes) bytes and a hash of \(Limit.hashBytes.lowerBound) to "
                    + "\(Limit.hashBytes.upperBound)")
        }
        guard (1...Limit.argon2Lanes).contains(lanes), (8 * lanes...Limit.argon2Memory).contains(memory), passes > 0,
            passes <= Limit.argon2Work / memory
        else {
            throw Failure(
                "must have m of at most \(Limit.argon2Memory) KiB, m × t of at most \(Limit.argon2Work) and p of at most "
                    + "\(Limit.argon2Lanes)")
        }
        let ordered = "$\(variant.rawValue)$\(parts[2])$m=\(memory),t=\(passes),p=\(lanes)$\(parts[4])$\(parts[5])"
        return .argon2(ordered, variant)
    }

    /// `$pbkdf2-sha512$i=100000,l=64$SALT$HASH`.
    static func pbkdf2(_ text: String) throws(Failure) -> Scheme {
        var parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4 || parts.count == 5, parts[0].isEmpty, parts[1].hasPrefix("pbkdf2-") else {
            throw Failure("must be a PHC string of PBKDF2, such as $pbkdf2-sha512$i=100000,l=64$SALT$HASH")
        }
        guard let function = function(parts[1].dropFirst(7)) else {
            throw Failure("must name one of the digests \(HashFunction.names)")
        }
        var given: [String: Int]? = [:]
        if parts.count == 5 { given = parameters(parts.remove(at: 2), ["i", "l"]) }
        guard let given, let salt = base64(String(parts[2])), let hash = base64(String(parts[3])) else {
            throw Failure("must have i and l, salt and hash in Base64")
        }
        let iterations = given["i"] ?? 100_000
        guard hash.count == given["l"] ?? 64, Limit.hashBytes.contains(hash.count) else {
            throw Failure(
                "must have a hash of l bytes, from \(Limit.hashBytes.lowerBound) to \(Limit.hashBytes.upperBound); l is 64 "
                    + "by default")
        }
        guard salt.count <= Limit.saltBytes else {
            throw Failure("must have a salt of at most \(Limit.saltBytes) bytes")
        }
        let blocks = (hash.count + function.size - 1) / function.size
        guard iterations > 0, iterations <= Limit.pbkdf2Iterations / blocks else {
            throw Failure("must have at most \(Limit.pbkdf2Iterations / blocks) iterations")
        }
        return .pbkdf2(function, iterations: iterations, salt: salt, hash: hash)
    }

    /// Names such as `RSA-SHA256` and `sha256WithRSAEncryption`, as programs with OpenSSL have them.
    private static func function(_ text: Substring) -> HashFunction? {
        var name = text.lowercased()
        for prefix in ["rsa-", "ssl3-"] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        for suffix in ["withrsaencryption", "withrsa"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        return HashFunction(name: ["ripemd": "ripemd160", "rmd160": "ripemd160", "sha1-2": "sha1"][name] ?? name)
    }

    private static func urlSafe(_ text: Substring) -> [UInt8] {
        text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
    }

    /// Whole numbers by their names. Nil for one that is unknown, repeated or no number.
    private static func parameters(_ text: Substring, _ names: [String]) -> [String: Int]? {
        var found: [String: Int] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, names.contains(String(pair[0])), found[String(pair[0])] == nil,
                let number = Int(ascii: Array(pair[1].utf8))
            else { return nil }
            found[String(pair[0])] = number
        }
        return found
    }

    // MARK: LDAP

    /// A `userPassword` (RFC 2307 clause 5.3): `{SSHA512}` and Base64 of the hash with its salt behind.
    static func ldap(_ text: String) throws(Failure) -> Scheme {
        guard text.first == "{", let end = text.firstIndex(of: "}") else {
            throw Failure("must begin with a scheme in braces, such as {SSHA512}")
        }
        var scheme = text[text.index(after: text.startIndex)..<end].lowercased()
        let rest = String(text[text.index(after: end)...])
        if scheme == "crypt" { return .crypt(try crypt(rest)) }
        let functions: [String: HashFunction] = [
            "md5": .md5, "sha": .sha1, "sha1": .sha1, "sha224": .sha224, "sha256": .sha256, "sha384": .sha384,
            "sha512": .sha512,
        ]
        let isSalted = functions[scheme] == nil && scheme.hasPrefix("s")
        if isSalted { scheme.removeFirst() }
        guard let function = functions[scheme] else {
            throw Failure("must have the scheme MD5, SMD5, SHA, SSHA, one of SHA-2 such as SSHA512, or CRYPT")
        }
        guard let bytes = base64(rest), isSalted ? bytes.count > function.size : bytes.count == function.size,
            bytes.count <= function.size + Limit.saltBytes
        else { throw Failure("must be Base64 of \(function.size) bytes\(isSalted ? " and a salt" : "")") }
        let salt = ForeignPasswordHash.Salt(bytes: Array(bytes[function.size...]), isBehind: true)
        return .digest(function, salt, hash: Array(bytes[..<function.size]))
    }
}

extension Int {
    /// Digits alone, without a sign.
    fileprivate init?(ascii digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
