#if canImport(CryptoKit)
import CryptoKit
import Foundation
import JOSE
import Primitives
import Security

struct AppleHashing: Hashing {
    func hash(_ algorithm: HashAlgorithm, _ message: [UInt8]) -> [UInt8] {
        switch algorithm {
        case .sha1: Array(Insecure.SHA1.hash(data: message))
        case .sha256: Array(SHA256.hash(data: message))
        case .sha384: Array(SHA384.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        }
    }

    func hmac(_ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: key)
        return switch algorithm {
        case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
        case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
        }
    }
}

/// CryptoKit for curves, Security for RSA, which CryptoKit has not.
struct AppleVerifier: Verifier {
    func verify(_ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, key: JWK) -> Bool {
        guard key.allows(algorithm) else { return false }
        switch key.material {
        case .ec(.p256, let x, let y):
            guard let key = try? P256.Signing.PublicKey(x963Representation: [0x04] + x + y),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .ec(.p384, let x, let y):
            guard let key = try? P384.Signing.PublicKey(x963Representation: [0x04] + x + y),
                let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .ec: return false
        case .okp(let x):
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else { return false }
            return key.isValidSignature(signature, for: message)
        case .rsa(let n, let e):
            return Self.verifyRSA(signature, of: message, algorithm: algorithm, modulus: n, exponent: e)
        }
    }

    private static func verifyRSA(
        _ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, modulus: [UInt8], exponent: [UInt8]
    ) -> Bool {
        let scheme: SecKeyAlgorithm
        switch algorithm {
        case .rs256: scheme = .rsaSignatureMessagePKCS1v15SHA256
        case .rs384: scheme = .rsaSignatureMessagePKCS1v15SHA384
        case .rs512: scheme = .rsaSignatureMessagePKCS1v15SHA512
        case .ps256: scheme = .rsaSignatureMessagePSSSHA256
        case .ps384: scheme = .rsaSignatureMessagePSSSHA384
        case .es256, .es384, .edDSA: return false
        }
        // RSAPublicKey of RFC 8017 appendix A.1.1.
        let der = derElement(0x30, derInteger(modulus) + derInteger(exponent))
        let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic]
        guard let key = SecKeyCreateWithData(Data(der) as CFData, attributes as CFDictionary, nil) else { return false }
        return SecKeyVerifySignature(key, scheme, Data(message) as CFData, Data(signature) as CFData, nil)
    }

    /// A positive number: a leading zero byte keeps the top bit from being a sign.
    private static func derInteger(_ bytes: [UInt8]) -> [UInt8] {
        derElement(0x02, (bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes)
    }

    private static func derElement(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
#endif
