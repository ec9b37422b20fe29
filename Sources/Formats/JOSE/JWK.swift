public import Primitives

/// A public key (RFC 7517). It cannot hold private members: reading a key that has them fails.
public struct JWK: Sendable, Hashable {
    public enum KeyType: String, Sendable { case rsa = "RSA", ec = "EC", okp = "OKP" }

    public enum Curve: String, Sendable, CaseIterable {
        case p256 = "P-256"
        case p384 = "P-384"
        case ed25519 = "Ed25519"

        /// Bytes of one coordinate (RFC 7518 clause 6.2.1.2) or of the key (RFC 8037).
        public var coordinateSize: Int { self == .p384 ? 48 : 32 }
    }

    public enum Material: Sendable, Hashable {
        /// Modulus and exponent, big-endian, without leading zero bytes.
        case rsa(n: [UInt8], e: [UInt8])
        case ec(curve: Curve, x: [UInt8], y: [UInt8])
        case okp(x: [UInt8])
    }

    public enum Failure: Error, Sendable, Equatable {
        case notAnObject
        /// The member is missing or malformed.
        case member(String)
        case unsupportedKeyType(String)
        case unsupportedCurve(String)
        case unsupportedAlgorithm(String)
        case privateMember(String)
        /// An RSA modulus under 2048 or over 8192 bits.
        case modulusSize(bits: Int)

        /// True for a key that is well, but not for verifying signatures here, such as a key for encryption.
        package var isOfAnotherKind: Bool {
            switch self {
            case .unsupportedKeyType, .unsupportedCurve, .unsupportedAlgorithm, .member("use"), .member("key_ops"): true
            case .notAnObject, .member, .privateMember, .modulusSize: false
            }
        }
    }

    public var material: Material
    public var keyID: String?
    /// Nil if the key names no algorithm.
    public var algorithm: JWSAlgorithm?
    /// The first certificate of `x5c`, DER (RFC 7517 clause 4.7). Its key is this one.
    public var certificate: [UInt8]?

    /// Leading zero bytes of an RSA modulus or exponent are dropped: both Guardian SDKs send one.
    public init(material: Material, keyID: String? = nil, algorithm: JWSAlgorithm? = nil) {
        self.material =
            if case .rsa(let n, let e) = material {
                .rsa(n: Array(n.drop { $0 == 0 }), e: Array(e.drop { $0 == 0 }))
            } else {
                material
            }
        self.keyID = keyID
        self.algorithm = algorithm
    }

    public var keyType: KeyType {
        switch material {
        case .rsa: .rsa
        case .ec: .ec
        case .okp: .okp
        }
    }

    /// A key of P-256 as an uncompressed point of 65 bytes (SEC 1 clause 2.3.3). Nil for other keys.
    package var p256Point: [UInt8]? {
        guard case .ec(curve: .p256, let x, let y) = material else { return nil }
        return [4] + x + y
    }

    /// Reads a key that verifies signatures. Fails for an `alg` that is unknown or does not fit `kty`, and for `use`
    /// and `key_ops` of another purpose.
    public init(_ value: JSONValue) throws(Failure) {
        guard let object = value.objectValue else { throw .notAnObject }
        for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] where object[name] != nil {
            throw .privateMember(name)
        }
        func bytes(_ name: String) throws(Failure) -> [UInt8] {
            guard let bytes = object[name]?.stringValue.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else {
                throw .member(name)
            }
            return bytes
        }
        guard let type = object["kty"]?.stringValue else { throw .member("kty") }
        let material: Material
        switch KeyType(rawValue: type) {
        case .rsa: material = .rsa(n: try bytes("n"), e: try bytes("e"))
        case .ec:
            let curve = try Self.curve(object)
            guard curve != .ed25519 else { throw .unsupportedCurve(curve.rawValue) }
            let x = try bytes("x")
            let y = try bytes("y")
            guard x.count == curve.coordinateSize else { throw .member("x") }
            guard y.count == curve.coordinateSize else { throw .member("y") }
            material = .ec(curve: curve, x: x, y: y)
        case .okp:
            let curve = try Self.curve(object)
            guard curve == .ed25519 else { throw .unsupportedCurve(curve.rawValue) }
            let x = try bytes("x")
            guard x.count == curve.coordinateSize else { throw .member("x") }
            material = .okp(x: x)
        case nil: throw .unsupportedKeyType(type)
        }
        var algorithm: JWSAlgorithm?
        if let name = object["alg"] {
            guard let text = name.stringValue else { throw .member("alg") }
            guard let known = JWSAlgorithm(name: text) else { throw .unsupportedAlgorithm(text) }
            algorithm = known
        }
        if let use = object["use"], use.stringValue != "sig" { throw .member("use") }
        // 4.3: a key for other operations verifies nothing, and `use` and `key_ops` must agree.
        if let operations = object["key_ops"] {
            guard let names = operations.stringsValue, names.contains("verify"),
                names.allSatisfy({ ["verify", "sign"].contains($0) }),
                Set(names).count == names.count
            else { throw .member("key_ops") }
        }
        if let id = object["kid"], id.stringValue == nil { throw .member("kid") }
        self.init(material: material, keyID: object["kid"]?.stringValue, algorithm: algorithm)
        if let chain = object["x5c"] { certificate = try ownCertificate(chain) }
        if let algorithm, !allows(algorithm) { throw .member("alg") }
        if case .rsa(let n, let e) = self.material {
            let bits = n.count * 8 - (n.first?.leadingZeroBitCount ?? 0)
            guard (2048...8192).contains(bits) else { throw .modulusSize(bits: bits) }
            guard let last = e.last, last & 1 == 1, e.count <= 8, e != [1] else { throw .member("e") }
        }
    }

    /// The first certificate of a chain, whose key "MUST match" the other members (RFC 7517 clause 4.7).
    private func ownCertificate(_ chain: JSONValue) throws(Failure) -> [UInt8] {
        let texts = chain.stringsValue ?? []
        let certificates = texts.compactMap { text in
            Base64.decode(text).flatMap { Base64.encode($0) == text ? $0 : nil }
        }
        guard let first = certificates.first, certificates.count == texts.count,
            let key = PublicKeyInfo.key(ofCertificate: first), key.isSameKey(as: self)
        else { throw .member("x5c") }
        return first
    }

    private static func curve(_ object: JSONObject) throws(Failure) -> Curve {
        guard let name = object["crv"]?.stringValue else { throw .member("crv") }
        guard let curve = Curve(rawValue: name) else { throw .unsupportedCurve(name) }
        return curve
    }

    /// True if the key's type and curve fit the algorithm, and its own `alg`, if any, is that algorithm.
    public func allows(_ algorithm: JWSAlgorithm) -> Bool {
        if let own = self.algorithm, own != algorithm { return false }
        return switch (material, algorithm) {
        case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384): true
        case (.ec(.p256, _, _), .es256), (.ec(.p384, _, _), .es384), (.okp, .edDSA): true
        default: false
        }
    }

    /// Required members sorted by name, as RFC 7638 clause 3.2 hashes them.
    private var required: [(name: String, value: String)] {
        switch material {
        case .rsa(let n, let e): [("e", Base64URL.encode(e)), ("kty", "RSA"), ("n", Base64URL.encode(n))]
        case .ec(let curve, let x, let y):
            [("crv", curve.rawValue), ("kty", "EC"), ("x", Base64URL.encode(x)), ("y", Base64URL.encode(y))]
        case .okp(let x): [("crv", Curve.ed25519.rawValue), ("kty", "OKP"), ("x", Base64URL.encode(x))]
        }
    }

    /// The thumbprint's 32 bytes (RFC 7638, SHA-256).
    public func thumbprint(_ hashing: some Hashing) -> [UInt8] {
        hashing.sha256(JSONWriter.object { writer in for (name, value) in required { writer.member(name, value) } })
    }

    public var json: JSONValue {
        var object = JSONObject()
        for (name, value) in required { object[name] = .string(value) }
        object["use"] = "sig"
        if let keyID { object["kid"] = .string(keyID) }
        if let algorithm { object["alg"] = .string(algorithm.rawValue) }
        if let certificate { object["x5c"] = [.string(Base64.encode(certificate))] }
        return .object(object)
    }

    /// True if both have the same key material, whatever their `kid`, `use` and `alg`.
    public func isSameKey(as other: JWK) -> Bool { material == other.material }
}

/// A JWK set (RFC 7517 clause 5). Reading skips keys that verify no signatures here, as clause 5 asks.
public struct JWKSet: Sendable, Equatable {
    public var keys: [JWK]

    public init(keys: [JWK]) { self.keys = keys }

    public init(_ value: JSONValue) throws(JWK.Failure) { try self.init(value) { _, _ in } }

    /// `malformed` gets the index and the failure of each skipped key that is not of another kind.
    package init(_ value: JSONValue, malformed: (Int, JWK.Failure) -> Void) throws(JWK.Failure) {
        guard let list = value["keys"]?.arrayValue else { throw .member("keys") }
        keys = []
        for (index, element) in list.enumerated() {
            do throws(JWK.Failure) {
                keys.append(try JWK(element))
            } catch {
                if !error.isOfAnotherKind { malformed(index, error) }
            }
        }
    }

    /// The key that a header names. Nil if the set lacks the `kid`. Without a `kid`, the only fitting key, or nil if
    /// several fit.
    public func key(id: String?, for algorithm: JWSAlgorithm) -> JWK? {
        let fitting = keys.filter { $0.allows(algorithm) && (id == nil || $0.keyID == id) }
        return id == nil ? (fitting.count == 1 ? fitting[0] : nil) : fitting.first
    }

    public var json: JSONValue { ["keys": .array(keys.map(\.json))] }
}
