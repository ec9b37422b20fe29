import COpenSSL
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport

/// Keys and signatures of the receipts' vectors. They are the same in every run, so the vectors are too.
struct VectorKeys {
    let shopRS256: any Signer
    let shopPS256: any Signer
    let shopEdDSA: any Signer
    let phoneRS256: any Signer
    let phonePS256: any Signer
    let passkey: any Signer
    let es256: (shop: any Signer, other: any Signer, phone: any Signer, otherPhone: any Signer)

    init() throws {
        func rsa(_ text: String) throws -> SecretBytes { SecretBytes(try Base64.decode(text).found()) }
        shopRS256 = try OpenSSLSigner(
            pkcs8DER: rsa(VectorRSAKeys.tenant), algorithm: .rs256, keyID: "shop-rs256")
        shopPS256 = try SaltedSigner(rsa(VectorRSAKeys.tenant), keyID: "shop-ps256")
        phoneRS256 = try OpenSSLSigner(pkcs8DER: rsa(VectorRSAKeys.phone), algorithm: .rs256)
        phonePS256 = try SaltedSigner(rsa(VectorRSAKeys.phone), keyID: nil)
        // RFC 8410 clause 7: the prefix of an Ed25519 key of 32 bytes.
        let prefix = try Hex.decode("302e020100300506032b657004220420").found()
        shopEdDSA = try OpenSSLSigner(
            pkcs8DER: SecretBytes(prefix + secret("shop")), algorithm: .edDSA, keyID: "shop-eddsa")
        passkey = try ScalarSigner(name: "passkey")
        es256 = (
            try ScalarSigner(name: "shop", keyID: "shop-es256"), try ScalarSigner(name: "other", keyID: "shop-es256"),
            try ScalarSigner(name: "phone"), try ScalarSigner(name: "other phone")
        )
    }

    /// An authenticator with a passkey of the vectors' issuer.
    func authenticator(_ algorithm: JWSAlgorithm = .es256) throws -> SoftwareAuthenticator {
        SoftwareAuthenticator(host: "id.shop.example", signer: algorithm == .rs256 ? phoneRS256 : passkey)
    }

    /// Keys of the vectors' issuer without certificates.
    var published: JWKSet {
        JWKSet(keys: [es256.shop, shopRS256, shopPS256, shopEdDSA].map(\.publicKey))
    }
}

/// A secret of 32 bytes.
private func secret(_ name: String) -> [UInt8] {
    OpenSSLHashing().sha256(Array("receipt vectors: \(name)".utf8))
}

struct NotFound: Error {}

extension Optional {
    func found() throws -> Wrapped {
        guard let self else { throw NotFound() }
        return self
    }
}

/// ES256 with the nonces of RFC 6979 clause 3.2.
final class ScalarSigner: Signer {
    let algorithm = JWSAlgorithm.es256
    let publicKey: JWK
    private let secret: [UInt8]

    convenience init(name: String, keyID: String? = nil) throws {
        try self.init(secret: ApprovalWireTests.secret(name), keyID: keyID)
    }

    init(secret: [UInt8], keyID: String? = nil) throws {
        self.secret = secret
        let point = try Curve().point(secret)
        publicKey = JWK(material: .ec(curve: .p256, x: point.x, y: point.y), keyID: keyID, algorithm: .es256)
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        let curve = try Curve()
        let digest = try curve.reduced(OpenSSLHashing().sha256(message))
        func mac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] { OpenSSLHashing().hmac(.sha256, key: key, message) }
        var value = [UInt8](repeating: 1, count: 32)
        var key = [UInt8](repeating: 0, count: 32)
        for byte in [UInt8(0), 1] {
            key = mac(key, value + [byte] + secret + digest)
            value = mac(key, value)
        }
        // A nonce beyond the order, one of 2^32, would make the reduction below wrong, and the vector invalid.
        return try curve.signature(digest, secret: secret, nonce: mac(key, value))
    }
}

/// Arithmetic of P-256.
private final class Curve {
    private let group: OpaquePointer
    private let context: OpaquePointer
    private let order: OpaquePointer

    init() throws {
        group = try EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1).found()
        context = try BN_CTX_new().found()
        order = try EC_GROUP_get0_order(group).found()
    }

    deinit {
        EC_GROUP_free(group)
        BN_CTX_free(context)
    }

    private func number(_ bytes: [UInt8]) throws -> OpaquePointer {
        try BN_bin2bn(bytes, Int32(bytes.count), nil).found()
    }

    private func bytes(_ number: OpaquePointer) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard BN_bn2binpad(number, &bytes, 32) == 32 else { throw NotFound() }
        return bytes
    }

    func point(_ scalar: [UInt8]) throws -> (x: [UInt8], y: [UInt8]) {
        let (factor, x, y) = (try number(scalar), try BN_new().found(), try BN_new().found())
        let point = try EC_POINT_new(group).found()
        defer {
            EC_POINT_free(point)
            for number in [factor, x, y] { BN_free(number) }
        }
        guard EC_POINT_mul(group, point, factor, nil, nil, context) == 1,
            EC_POINT_get_affine_coordinates(group, point, x, y, context) == 1
        else { throw NotFound() }
        return (try bytes(x), try bytes(y))
    }

    func reduced(_ value: [UInt8]) throws -> [UInt8] {
        let number = try number(value)
        defer { BN_free(number) }
        guard BN_nnmod(number, number, order, context) == 1 else { throw NotFound() }
        return try bytes(number)
    }

    /// FIPS 186-5 clause 6.4.1.
    func signature(_ digest: [UInt8], secret: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        let first = try reduced(try point(nonce).x)
        let (hash, key, inverse, r) = (
            try number(digest), try number(secret), try number(nonce), try number(first)
        )
        defer { for number in [hash, key, inverse, r] { BN_free(number) } }
        guard BN_mod_mul(key, key, r, order, context) == 1, BN_mod_add(key, key, hash, order, context) == 1,
            BN_mod_inverse(inverse, inverse, order, context) != nil,
            BN_mod_mul(key, key, inverse, order, context) == 1
        else { throw NotFound() }
        return first + (try bytes(key))
    }
}

/// PS256 with a constant salt (RFC 8017 clause 8.1.1).
final class SaltedSigner: Signer {
    let algorithm = JWSAlgorithm.ps256
    let publicKey: JWK
    private let keyInfo: SecretBytes

    init(_ keyInfo: SecretBytes, keyID: String?) throws {
        let signer = try OpenSSLSigner(pkcs8DER: keyInfo, algorithm: .rs256)
        self.keyInfo = keyInfo
        publicKey = JWK(material: signer.publicKey.material, keyID: keyID, algorithm: .ps256)
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        let hashing = OpenSSLHashing()
        let salt = [UInt8](repeating: 0x5A, count: 32)
        let hash = hashing.sha256([UInt8](repeating: 0, count: 8) + hashing.sha256(message) + salt)
        let size = 256
        var block = [UInt8](repeating: 0, count: size - 32 - 32 - 2) + [1] + salt
        var mask: [UInt8] = []
        for counter in UInt8(0)..<8 { mask += hashing.sha256(hash + [0, 0, 0, counter]) }
        for index in block.indices { block[index] ^= mask[index] }
        block[0] &= 0x7F
        return try power(block + hash + [0xBC], size: size)
    }

    private func power(_ encoded: [UInt8], size: Int) throws -> [UInt8] {
        let key = try keyInfo.withBytes { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, bytes.count)
        }.found()
        var (modulus, exponent): (OpaquePointer?, OpaquePointer?) = (nil, nil)
        let (number, context) = (try BN_bin2bn(encoded, Int32(encoded.count), nil).found(), try BN_CTX_new().found())
        defer {
            EVP_PKEY_free(key)
            for number in [modulus, exponent, number] { BN_free(number) }
            BN_CTX_free(context)
        }
        var signature = [UInt8](repeating: 0, count: size)
        guard EVP_PKEY_get_bn_param(key, "n", &modulus) == 1, EVP_PKEY_get_bn_param(key, "d", &exponent) == 1,
            BN_mod_exp(number, number, exponent, modulus, context) == 1,
            BN_bn2binpad(number, &signature, Int32(size)) == Int32(size)
        else { throw NotFound() }
        return signature
    }
}
