import Primitives

/// Reads Auth0's `custom_password_hash`, once and for all: what a login has to compute is known behind it.
struct ForeignHashReader {
    typealias Problem = ForeignPasswordHash.Problem
    typealias Limit = ForeignPasswordHash.Limit
    typealias Scheme = ForeignPasswordHash.Scheme
    typealias HashFunction = ForeignPasswordHash.HashFunction

    private static let algorithms = [
        "argon2", "bcrypt", "crypt", "hmac", "ldap", "md4", "md5", "pbkdf2", "phpass", "scrypt", "sha1", "sha256",
        "sha512",
    ]
    private static let scryptMembers = ["keylen", "cost", "blockSize", "parallelization"]

    private let document: JSONObject

    init(_ document: JSONObject) { self.document = document }

    func read() throws(Problem) -> (Scheme, PasswordEncoding) {
        let algorithm = try text("algorithm", in: document, at: "algorithm")
        guard Self.algorithms.contains(algorithm) else {
            throw Problem("algorithm", "must be one of \(Self.algorithms.joined(separator: ", "))")
        }
        var known = ["algorithm", "hash", "password"]
        if ["md4", "md5", "sha1", "sha256", "sha512", "hmac", "scrypt"].contains(algorithm) { known.append("salt") }
        if algorithm == "scrypt" { known += Self.scryptMembers }
        try refuseOthers(than: known, in: document, at: "")
        let hash = try object("hash", in: document)
        try refuseOthers(
            than: algorithm == "hmac" ? ["value", "encoding", "digest", "key"] : ["value", "encoding"], in: hash,
            at: "hash")
        let encoding = try passwordEncoding()
        return (try scheme(algorithm, hash), encoding)
    }

    private func scheme(_ algorithm: String, _ hash: JSONObject) throws(Problem) -> Scheme {
        switch algorithm {
        case "md4", "md5", "sha1", "sha256", "sha512":
            guard let function = HashFunction(name: algorithm) else { break }
            return .digest(function, try salt(), hash: try bytes(of: hash, count: function.size))
        case "hmac":
            let name = try text("digest", in: hash, at: "hash.digest")
            guard let function = HashFunction(name: name), name == name.lowercased() else {
                throw Problem("hash.digest", "must be one of \(HashFunction.names)")
            }
            let key = try object("key", in: hash, at: "hash.key")
            try refuseOthers(than: ["value", "encoding"], in: key, at: "hash.key")
            let keyBytes = try decoded(key, at: "hash.key", preset: "utf8")
            guard !keyBytes.isEmpty else { throw Problem("hash.key.value", "must not be empty") }
            return .hmac(function, key: keyBytes, try salt(), hash: try bytes(of: hash, count: function.size))
        case "scrypt": return try scrypt(hash)
        default: break
        }
        // The rest is one text that has everything.
        let value = try text("value", in: hash, at: "hash.value")
        guard try (optionalText("encoding", in: hash, at: "hash.encoding") ?? "utf8") == "utf8" else {
            throw Problem("hash.encoding", "must be utf8 for \(algorithm)")
        }
        do throws(HashText.Failure) {
            return switch algorithm {
            case "bcrypt": .crypt(try HashText.bcrypt(value))
            case "crypt": .crypt(try HashText.crypt(value))
            case "phpass": try HashText.phpass(value)
            case "argon2": try HashText.argon2(value)
            case "pbkdf2": try HashText.pbkdf2(value)
            default: try HashText.ldap(value)
            }
        } catch {
            throw Problem("hash.value", error.reason)
        }
    }

    private func scrypt(_ hash: JSONObject) throws(Problem) -> Scheme {
        let length = try number("keylen", preset: nil)
        let cost = try number("cost", preset: 16_384)
        let blockSize = try number("blockSize", preset: 8)
        let lanes = try number("parallelization", preset: 1)
        guard Limit.hashBytes.contains(length) else {
            throw Problem("keylen", "must be from \(Limit.hashBytes.lowerBound) to \(Limit.hashBytes.upperBound)")
        }
        guard cost > 1, cost & (cost - 1) == 0 else { throw Problem("cost", "must be a power of two above 1") }
        let limit = Limit.scryptWork
        guard cost <= limit, blockSize <= limit, lanes <= limit, blockSize * lanes <= limit / cost else {
            throw Problem("cost", "cost × blockSize × parallelization must be \(limit) at most")
        }
        guard blockSize * lanes <= Limit.scryptBlocks else {
            throw Problem("blockSize", "blockSize × parallelization must be \(Limit.scryptBlocks) at most")
        }
        guard let salt = try optionalObject("salt") else { throw Problem("salt.value", "is required for scrypt") }
        try refuseOthers(than: ["value", "encoding"], in: salt, at: "salt")
        return .scrypt(
            cost: cost, blockSize: blockSize, lanes: lanes,
            salt: try decoded(salt, at: "salt", preset: "utf8"), hash: try bytes(of: hash, count: length))
    }

    private func salt() throws(Problem) -> ForeignPasswordHash.Salt {
        guard let salt = try optionalObject("salt") else { return .none }
        try refuseOthers(than: ["value", "encoding", "position"], in: salt, at: "salt")
        let bytes = try decoded(salt, at: "salt", preset: "utf8")
        switch salt["position"] {
        case "prefix": return ForeignPasswordHash.Salt(bytes: bytes, isBehind: false)
        case "suffix": return ForeignPasswordHash.Salt(bytes: bytes, isBehind: true)
        default: throw Problem("salt.position", "must be prefix or suffix")
        }
    }

    private func passwordEncoding() throws(Problem) -> PasswordEncoding {
        guard let password = try optionalObject("password") else { return .utf8 }
        try refuseOthers(than: ["encoding"], in: password, at: "password")
        guard let name = try optionalText("encoding", in: password, at: "password.encoding") else { return .utf8 }
        guard let encoding = PasswordEncoding(rawValue: name) else {
            let names = PasswordEncoding.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem("password.encoding", "must be one of \(names)")
        }
        return encoding
    }

    // MARK: members

    private func refuseOthers(than known: [String], in object: JSONObject, at path: String) throws(Problem) {
        guard let other = object.first(where: { !known.contains($0.name) })?.name else { return }
        throw Problem(path.isEmpty ? other : "\(path).\(other)", Spelling.unknownField(other, among: known))
    }

    private func object(_ name: String, in outer: JSONObject, at path: String? = nil) throws(Problem) -> JSONObject {
        guard let object = outer[name]?.objectValue else { throw Problem(path ?? name, "must be an object") }
        return object
    }

    private func optionalObject(_ name: String) throws(Problem) -> JSONObject? {
        document[name] == nil ? nil : try object(name, in: document)
    }

    private func text(_ name: String, in object: JSONObject, at path: String) throws(Problem) -> String {
        guard let text = object[name]?.stringValue else { throw Problem(path, "must be a text") }
        return text
    }

    private func optionalText(_ name: String, in object: JSONObject, at path: String) throws(Problem) -> String? {
        object[name] == nil ? nil : try text(name, in: object, at: path)
    }

    private func number(_ name: String, preset: Int?) throws(Problem) -> Int {
        guard let value = document[name] ?? preset.map({ .number(JSONNumber($0)) }), let number = value.intValue,
            number > 0
        else { throw Problem(name, "must be a whole number above 0") }
        return number
    }

    /// The hash of a function, which has a size of its own.
    private func bytes(of hash: JSONObject, count: Int) throws(Problem) -> [UInt8] {
        let bytes = try decoded(hash, at: "hash", preset: nil)
        guard bytes.count == count else {
            throw Problem("hash.value", "must be \(count) bytes, not \(bytes.count)")
        }
        return bytes
    }

    /// `preset` nil demands one of the encodings of bytes.
    private func decoded(_ object: JSONObject, at path: String, preset: String?) throws(Problem) -> [UInt8] {
        let value = try text("value", in: object, at: "\(path).value")
        let encoding = try optionalText("encoding", in: object, at: "\(path).encoding") ?? preset
        let bytes: [UInt8]? =
            switch encoding {
            case "hex": Hex.decode(value)
            case "base64": HashText.base64(value)
            case "utf8" where preset != nil: Array(value.utf8)
            default:
                throw Problem(
                    "\(path).encoding", preset == nil ? "must be hex or base64" : "must be hex, base64 or utf8")
            }
        guard let bytes else { throw Problem("\(path).value", "is not \(encoding ?? "")") }
        guard bytes.count <= Limit.saltBytes else {
            throw Problem("\(path).value", "must have at most \(Limit.saltBytes) bytes")
        }
        return bytes
    }
}

extension ForeignPasswordHash.HashFunction {
    /// Names of Auth0's documents.
    init?(name: String) { self.init(rawValue: name.uppercased()) }

    static let names = allCases.map { $0.rawValue.lowercased() }.joined(separator: ", ")
}
