import COpenSSL
import JOSE

/// A key prepared for one algorithm and one direction.
///
/// Finding and setting up a signature implementation costs up to a tenth of an ES256 signature, so it is done once.
/// Each operation works on a copy of the context.
final class SignatureContext: Sendable {
    enum Direction { case sign, verify }

    let key: KeyHandle
    let algorithm: JWSAlgorithm
    private let direction: Direction
    private let digest: DigestMethod
    private let maximumSize: Int
    /// Only copied after `init`. Nil for EdDSA, which signs the message itself and not its hash.
    private nonisolated(unsafe) let template: OpaquePointer?

    init(_ key: KeyHandle, _ algorithm: JWSAlgorithm, _ direction: Direction) throws(OpenSSLFailure) {
        self.key = key
        self.algorithm = algorithm
        self.direction = direction
        digest = .of(algorithm.hash)
        maximumSize = Int(EVP_PKEY_get_size(key.pointer))
        guard algorithm != .edDSA else {
            template = nil
            return
        }
        let operation = "prepare a key for \(algorithm.rawValue)"
        let context = try openSSL(operation, EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil))
        do {
            switch direction {
            case .sign: try openSSL(operation, EVP_PKEY_sign_init(context))
            case .verify: try openSSL(operation, EVP_PKEY_verify_init(context))
            }
            try Self.configure(context, algorithm, digest, operation)
        } catch {
            EVP_PKEY_CTX_free(context)
            throw error
        }
        template = context
    }

    deinit { EVP_PKEY_CTX_free(template) }

    private static func configure(
        _ context: OpaquePointer, _ algorithm: JWSAlgorithm, _ digest: DigestMethod, _ operation: String
    ) throws(OpenSSLFailure) {
        switch algorithm {
        case .rs256, .rs384, .rs512: try openSSL(operation, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING))
        case .ps256, .ps384:
            try openSSL(operation, EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING))
            // RFC 7518 clause 3.5: the salt has the hash's length, and MGF1 uses the same hash.
            try openSSL(operation, EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(digest.size)))
            try openSSL(operation, EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.pointer))
        case .es256, .es384, .edDSA: break
        }
        try openSSL(operation, EVP_PKEY_CTX_set_signature_md(context, digest.pointer))
    }

    func sign(_ message: [UInt8]) throws(OpenSSLFailure) -> [UInt8] {
        let operation = "sign with \(algorithm.rawValue)"
        var signature = [UInt8](repeating: 0, count: maximumSize)
        var count = maximumSize
        if let template {
            let context = try openSSL(operation, EVP_PKEY_CTX_dup(template))
            defer { EVP_PKEY_CTX_free(context) }
            let hash = digest.digest(message)
            try openSSL(operation, EVP_PKEY_sign(context, &signature, &count, hash, hash.count))
        } else {
            let context = try openSSL(operation, EVP_MD_CTX_new())
            defer { EVP_MD_CTX_free(context) }
            try openSSL(operation, EVP_DigestSignInit(context, nil, nil, nil, key.pointer))
            try openSSL(operation, EVP_DigestSign(context, &signature, &count, message, message.count))
        }
        signature.removeLast(signature.count - count)
        guard let size = algorithm.ecdsaIntegerSize else { return signature }
        guard let raw = ECDSASignature.raw(fromDER: signature, integerSize: size) else { throw .last(operation) }
        return raw
    }

    func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        // A later call must not report the errors of a refused signature.
        defer { ERR_clear_error() }
        if let size = algorithm.ecdsaIntegerSize {
            guard let der = ECDSASignature.der(fromRaw: signature, integerSize: size) else { return false }
            return verifyEncoded(der, of: message)
        }
        // OpenSSL accepts a PSS signature without its leading zero bytes; RFC 8017 clause 8.1.2 does not.
        guard signature.count == maximumSize else { return false }
        return verifyEncoded(signature, of: message)
    }

    private func verifyEncoded(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        if let template {
            guard let context = EVP_PKEY_CTX_dup(template) else { return false }
            defer { EVP_PKEY_CTX_free(context) }
            let hash = digest.digest(message)
            return EVP_PKEY_verify(context, signature, signature.count, hash, hash.count) == 1
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// Converts an ECDSA signature between OpenSSL's ASN.1 form and that of RFC 7518 clause 3.4: r and s side by side, each
/// as long as the curve's order.
enum ECDSASignature {
    static func raw(fromDER der: [UInt8], integerSize size: Int) -> [UInt8]? {
        guard der.count > 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var raw = [UInt8](repeating: 0, count: 2 * size)
        var place = 2
        for end in [size, 2 * size] {
            guard place + 2 <= der.count, der[place] == 0x02 else { return nil }
            let first = place + 2
            place = first + Int(der[place + 1])
            guard first < place, place <= der.count else { return nil }
            // A zero byte before a high bit keeps the integer positive.
            let magnitude = der[(der[first] == 0 ? first + 1 : first)..<place]
            guard magnitude.count <= size else { return nil }
            raw.replaceSubrange(end - magnitude.count..<end, with: magnitude)
        }
        return place == der.count ? raw : nil
    }

    /// Nil if the length is wrong. OpenSSL refuses r and s of zero or beyond the order.
    static func der(fromRaw raw: [UInt8], integerSize size: Int) -> [UInt8]? {
        guard raw.count == 2 * size else { return nil }
        let integers = integer(raw[..<size]) + integer(raw[size...])
        // At most 2 * 51 bytes for these curves, so each length is one byte.
        return [0x30, UInt8(integers.count)] + integers
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var magnitude = bytes.drop { $0 == 0 }
        if magnitude.first.map({ $0 >= 0x80 }) ?? true { magnitude = [0] + magnitude }
        return [0x02, UInt8(magnitude.count)] + magnitude
    }
}
