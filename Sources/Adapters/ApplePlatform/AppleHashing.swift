#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    package import Primitives

    /// SHA-1, SHA-2 and HMAC from CryptoKit.
    package struct AppleHashing: Hashing {
        package init() {}

        package func hash(_ algorithm: HashAlgorithm, _ message: [UInt8]) -> [UInt8] {
            switch algorithm {
            case .sha1: Array(Insecure.SHA1.hash(data: message))
            case .sha256: Array(SHA256.hash(data: message))
            case .sha384: Array(SHA384.hash(data: message))
            case .sha512: Array(SHA512.hash(data: message))
            }
        }

        package func hmac(_ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
            let key = SymmetricKey(data: key)
            return switch algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha384: Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        }
    }
#endif
