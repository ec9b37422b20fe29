import COpenSSL
import JOSE

/// Owns an `EVP_PKEY`, public or private.
final class KeyHandle: Sendable {
    /// Never changed after `init`; OpenSSL counts references to it atomically.
    nonisolated(unsafe) let pointer: OpaquePointer

    /// Takes ownership of one reference.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    static let rsaBits = 2048...8192
    /// Bits of a public exponent at most, as in a JWK. The cost of a verification grows with them.
    private static let exponentLimit = 64

    /// Builds a public key. Throws for a point that is not on its curve, and for an RSA key of another size.
    convenience init(_ material: JWK.Material) throws(OpenSSLFailure) {
        switch material {
        case .rsa(let n, let e):
            guard Self.rsaBits.contains(Self.bits(n)), Self.bits(e) <= Self.exponentLimit else {
                throw OpenSSLFailure(
                    operation: "read a public key of type RSA",
                    reason: "RSA keys have 2048 to 8192 bits, and exponents of at most \(Self.exponentLimit)")
            }
            try self.init(type: "RSA") { builder in
                let modulus = BN_bin2bn(n, Int32(n.count), nil)
                let exponent = BN_bin2bn(e, Int32(e.count), nil)
                defer {
                    BN_free(modulus)
                    BN_free(exponent)
                }
                guard OSSL_PARAM_BLD_push_BN(builder, COpenSSL_PKEY_RSA_N, modulus) == 1,
                    OSSL_PARAM_BLD_push_BN(builder, COpenSSL_PKEY_RSA_E, exponent) == 1
                else { return nil }
                return OSSL_PARAM_BLD_to_param(builder)
            }
        case .ec(let curve, let x, let y):
            let point = [4] + x + y
            try self.init(type: "EC") { builder in
                curve.groupName.withCString { group in
                    point.withUnsafeBytes { point in
                        guard OSSL_PARAM_BLD_push_utf8_string(builder, COpenSSL_PKEY_GROUP_NAME, group, 0) == 1,
                            OSSL_PARAM_BLD_push_octet_string(
                                builder, COpenSSL_PKEY_PUB_KEY, point.baseAddress, point.count) == 1
                        else { return nil }
                        return OSSL_PARAM_BLD_to_param(builder)
                    }
                }
            }
        case .okp(let x):
            self.init(
                taking: try openSSL(
                    "read an Ed25519 key", EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, x, x.count)))
        }
    }

    /// Bits of a number, big-endian.
    private static func bits(_ number: [UInt8]) -> Int {
        let magnitude = number.drop { $0 == 0 }
        return magnitude.count * 8 - (magnitude.first?.leadingZeroBitCount ?? 0)
    }

    private convenience init(
        type: String, parameters: (OpaquePointer) -> UnsafeMutablePointer<OSSL_PARAM>?
    ) throws(OpenSSLFailure) {
        let operation = "read a public key of type \(type)"
        let builder = try openSSL(operation, OSSL_PARAM_BLD_new())
        defer { OSSL_PARAM_BLD_free(builder) }
        guard let parameters = parameters(builder) else { throw .last(operation) }
        defer { OSSL_PARAM_free(parameters) }
        let context = try openSSL(operation, EVP_PKEY_CTX_new_from_name(nil, type, nil))
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        try openSSL(operation, EVP_PKEY_fromdata_init(context))
        try openSSL(operation, EVP_PKEY_fromdata(context, &key, COpenSSL_PKEY_PUBLIC_KEY, parameters))
        self.init(taking: try openSSL(operation, key))
    }

    /// Generates a key pair that fits `algorithm`.
    convenience init(generating algorithm: JWSAlgorithm, rsaBits: Int) throws(OpenSSLFailure) {
        let operation = "generate a key for \(algorithm.rawValue)"
        let context = try openSSL(operation, EVP_PKEY_CTX_new_from_name(nil, algorithm.openSSLKeyType, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try openSSL(operation, EVP_PKEY_keygen_init(context))
        switch algorithm {
        case .rs256, .rs384, .rs512, .ps256, .ps384:
            guard Self.rsaBits.contains(rsaBits) else {
                throw OpenSSLFailure(operation: operation, reason: "RSA keys have 2048 to 8192 bits")
            }
            try openSSL(operation, EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(rsaBits)))
        case .es256: try openSSL(operation, EVP_PKEY_CTX_set_group_name(context, JWK.Curve.p256.groupName))
        case .es384: try openSSL(operation, EVP_PKEY_CTX_set_group_name(context, JWK.Curve.p384.groupName))
        case .edDSA: break
        }
        var key: OpaquePointer?
        try openSSL(operation, EVP_PKEY_generate(context, &key))
        self.init(taking: try openSSL(operation, key))
    }

    /// Reads the public half. Throws for a key type, curve or size that JWK does not support.
    func publicMaterial() throws(OpenSSLFailure) -> JWK.Material {
        let operation = "read the public half of a key"
        if EVP_PKEY_is_a(pointer, "RSA") == 1 {
            guard Self.rsaBits.contains(Int(EVP_PKEY_get_bits(pointer))) else {
                throw OpenSSLFailure(operation: operation, reason: "RSA keys have 2048 to 8192 bits")
            }
            return .rsa(n: try integer(OSSL_PKEY_PARAM_RSA_N), e: try integer(OSSL_PKEY_PARAM_RSA_E))
        }
        if EVP_PKEY_is_a(pointer, "EC") == 1 {
            var name = [CChar](repeating: 0, count: 64)
            try openSSL(operation, EVP_PKEY_get_group_name(pointer, &name, name.count, nil))
            let curve = JWK.Curve.allCases.first { curve in
                curve != .ed25519 && name.starts(with: curve.groupName.utf8CString)
            }
            guard let curve else { throw OpenSSLFailure(operation: operation, reason: "the curve is not supported") }
            return .ec(
                curve: curve,
                x: try integer(OSSL_PKEY_PARAM_EC_PUB_X, size: curve.coordinateSize),
                y: try integer(OSSL_PKEY_PARAM_EC_PUB_Y, size: curve.coordinateSize))
        }
        if EVP_PKEY_is_a(pointer, "ED25519") == 1 {
            var bytes = [UInt8](repeating: 0, count: JWK.Curve.ed25519.coordinateSize)
            var count = bytes.count
            try openSSL(operation, EVP_PKEY_get_raw_public_key(pointer, &bytes, &count))
            return .okp(x: bytes)
        }
        throw OpenSSLFailure(operation: operation, reason: "the key type is not supported")
    }

    private func integer(_ name: String, size: Int? = nil) throws(OpenSSLFailure) -> [UInt8] {
        let operation = "read the public half of a key"
        var number: OpaquePointer?
        try openSSL(operation, EVP_PKEY_get_bn_param(pointer, name, &number))
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: size ?? Int(BN_num_bits(number) + 7) / 8)
        guard BN_bn2binpad(number, &bytes, Int32(bytes.count)) == bytes.count else { throw .last(operation) }
        return bytes
    }
}

extension JWK.Curve {
    /// OpenSSL's name of the curve.
    var groupName: String {
        switch self {
        case .p256: "prime256v1"
        case .p384: "secp384r1"
        case .ed25519: "ED25519"
        }
    }
}

extension JWSAlgorithm {
    var openSSLKeyType: String {
        switch keyType {
        case .rsa: "RSA"
        case .ec: "EC"
        case .okp: "ED25519"
        }
    }

    /// Bytes of each of r and s for ECDSA (RFC 7518 clause 3.4). Nil for other algorithms.
    var ecdsaIntegerSize: Int? {
        switch self {
        case .es256: 32
        case .es384: 48
        default: nil
        }
    }
}
