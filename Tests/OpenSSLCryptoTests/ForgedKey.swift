import JOSE
import OpenSSLCrypto
import Primitives

/// A private key of any kind and size.
struct ForgedKey {
    enum Name {
        static let rsa = DER.name([1, 2, 840, 113_549, 1, 1, 1])
        static let ec = DER.name([1, 2, 840, 10_045, 2, 1])
        static let dsa = DER.name([1, 2, 840, 10_040, 4, 1])
        static let dh = DER.name([1, 2, 840, 113_549, 1, 3, 1])
        static let p256 = DER.name([1, 2, 840, 10_045, 3, 1, 7])
        static let p384 = DER.name([1, 3, 132, 0, 34])
        static let secp256k1 = DER.name([1, 3, 132, 0, 10])
        static let primeField = DER.name([1, 2, 840, 10_045, 1, 1])
    }

    /// AlgorithmIdentifier (RFC 5280 clause 4.1.1.2).
    let algorithm: [UInt8]
    /// The inner form, which the older blocks of PEM have alone.
    let content: [UInt8]
    /// Label of the older block.
    let label: String

    static let rsaAlgorithm = DER.sequence(Name.rsa, [5, 0])

    /// PrivateKeyInfo (RFC 5208 clause 5).
    var info: [UInt8] { DER.sequence(DER.integer([0]), algorithm, DER.octets(content)) }

    /// A random odd number of exactly so many bits.
    static func number(bits: Int) -> [UInt8] {
        var bytes = SystemRandom().bytes((bits + 7) / 8)
        let top = (bits - 1) % 8
        bytes[0] = bytes[0] & UInt8((2 << top) - 1) | UInt8(1 << top)
        bytes[bytes.count - 1] |= 1
        return bytes
    }

    static func pem(_ label: String, _ content: [UInt8], header: String = "") -> SecretBytes {
        let text = Array(Base64.encode(content).utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map { start in
            String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self)
        }
        let body = lines.joined(separator: "\n")
        return SecretBytes(utf8: "-----BEGIN \(label)-----\n\(header)\(body)\n-----END \(label)-----\n")
    }
}

extension ForgedKey {
    /// A DSA key whose prime and exponent have so many bits (RFC 3279 clause 2.3.2).
    static func dsa(bits: Int) -> ForgedKey {
        let domain = DER.sequence(DER.integer(number(bits: bits)), DER.integer([7]), DER.integer([2]))
        return ForgedKey(
            algorithm: DER.sequence(Name.dsa, domain), content: DER.integer(number(bits: bits)),
            label: "DSA PRIVATE KEY")
    }

    /// A Diffie-Hellman key whose prime and exponent have so many bits (PKCS #3 clause 9).
    static func dh(bits: Int) -> ForgedKey {
        ForgedKey(
            algorithm: DER.sequence(Name.dh, DER.sequence(DER.integer(number(bits: bits)), DER.integer([2]))),
            content: DER.integer(number(bits: bits)), label: "DH PRIVATE KEY")
    }

    /// An RSA key (RFC 8017 appendix A.1.2) of the numbers n, e, d, p, q, dP, dQ and qInv.
    static func rsa(_ numbers: [[UInt8]], version: UInt8 = 0) -> ForgedKey {
        ForgedKey(
            algorithm: rsaAlgorithm, content: DER.element(0x30, ([[version]] + numbers).map(DER.integer)),
            label: "RSA PRIVATE KEY")
    }

    /// An RSA key with numbers of the usual sizes for a modulus of so many bits.
    static func rsa(bits: Int) -> ForgedKey {
        let half = (0..<5).map { _ in number(bits: bits / 2) }
        return rsa([number(bits: bits), [1, 0, 1], number(bits: bits - 1)] + half)
    }

    /// An EC key (RFC 5915 clause 3) with parameters outside of it, as PKCS #8 has them, or inside, or both.
    static func ec(outside: [UInt8], inside: [UInt8]? = nil, size: Int = 32) -> ForgedKey {
        ForgedKey(
            algorithm: DER.sequence(Name.ec, outside),
            content: DER.sequence(
                DER.integer([1]), DER.octets(number(bits: size * 8 - 1)), inside.map { DER.tagged(0, $0) } ?? []),
            label: "EC PRIVATE KEY")
    }

    /// Explicit parameters of a curve (SEC 1 clause C.2) of the author's choice.
    static func explicitCurve(bits: Int = 660) -> [UInt8] {
        let size = (bits + 7) / 8
        func coordinate() -> [UInt8] { number(bits: size * 8 - 8) }
        return DER.sequence(
            DER.integer([1]), DER.sequence(Name.primeField, DER.integer(number(bits: bits))),
            DER.sequence(DER.octets([0] + coordinate()), DER.octets([0] + coordinate())),
            DER.octets([2, 0] + coordinate()), DER.integer(number(bits: bits)), DER.integer([1]))
    }

    /// A real key, of RSA or P-256. Its inner form names the curve, as the older block must.
    init(_ signer: OpenSSLSigner) throws {
        let info = DER.parts(DER.parts(try signer.exportPKCS8().bytes)[0].content)
        algorithm = DER.element(0x30, [info[1].content])
        guard signer.algorithm == .es256 else {
            content = info[2].content
            label = "RSA PRIVATE KEY"
            return
        }
        let inner = DER.parts(DER.parts(info[2].content)[0].content)
        content = DER.sequence(
            DER.integer([1]), DER.octets(inner[1].content), DER.tagged(0, Name.p256),
            inner.last.map { DER.element($0.tag, [$0.content]) } ?? [])
        label = "EC PRIVATE KEY"
    }

    /// Numbers of a new RSA key of 2048 bits, as `rsa` takes them.
    static func realNumbers() throws -> [[UInt8]] {
        let key = try ForgedKey(OpenSSLSigner.generate(algorithm: .rs256))
        return DER.parts(DER.parts(key.content)[0].content).dropFirst().map { $0.content }
    }
}
