#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    package import JOSE
    import Security

    /// Verifies signatures with CryptoKit, and RSA signatures, which CryptoKit does not support, with Security.
    package struct AppleVerifier: Verifier {
        package init() {}

        package func verify(_ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, key: JWK) -> Bool {
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
                return Self.verifyRSA(signature, of: message, algorithm, RSAPublicKey(modulus: n, exponent: e))
            }
        }

        /// True if CryptoKit or Security accepts the key.
        package func isUsable(_ key: JWK) -> Bool {
            switch key.material {
            case .ec(.p256, let x, let y): (try? P256.Signing.PublicKey(x963Representation: [0x04] + x + y)) != nil
            case .ec(.p384, let x, let y): (try? P384.Signing.PublicKey(x963Representation: [0x04] + x + y)) != nil
            case .ec: false
            case .okp(let x): (try? Curve25519.Signing.PublicKey(rawRepresentation: x)) != nil
            case .rsa(let n, let e):
                (try? SecKey.rsa(RSAPublicKey(modulus: n, exponent: e).der, class: kSecAttrKeyClassPublic)) != nil
            }
        }

        private static func verifyRSA(
            _ signature: [UInt8], of message: [UInt8], _ algorithm: JWSAlgorithm, _ key: RSAPublicKey
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
            guard let key = try? SecKey.rsa(key.der, class: kSecAttrKeyClassPublic) else { return false }
            return SecKeyVerifySignature(key, scheme, coreFoundation(message), coreFoundation(signature), nil)
        }
    }
#endif
