#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    import JOSE
    import Primitives
    import Security

    struct PlatformHashing: Hashing {
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

    /// In the Secure Enclave where there is one; simulators and older Macs have none.
    enum PlatformP256Key: Sendable {
        case enclave(SecureEnclave.P256.Signing.PrivateKey)
        case memory(P256.Signing.PrivateKey)

        init() throws {
            self =
                SecureEnclave.isAvailable
                ? .enclave(try SecureEnclave.P256.Signing.PrivateKey()) : .memory(P256.Signing.PrivateKey())
        }

        init(data: Data) throws {
            if let key = try? P256.Signing.PrivateKey(derRepresentation: data) {
                self = .memory(key)
            } else {
                self = .enclave(try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data))
            }
        }

        var data: Data {
            get throws {
                switch self {
                case .enclave(let key): key.dataRepresentation
                case .memory(let key): key.derRepresentation
                }
            }
        }

        var publicKey: JWK {
            get throws {
                let point =
                    switch self {
                    case .enclave(let key): Array(key.publicKey.rawRepresentation)
                    case .memory(let key): Array(key.publicKey.rawRepresentation)
                    }
                // Both coordinates, 32 bytes each.
                return JWK(
                    material: .ec(curve: .p256, x: Array(point.prefix(32)), y: Array(point.suffix(32))),
                    algorithm: .es256)
            }
        }

        func signature(for message: Data) throws -> Data {
            switch self {
            case .enclave(let key): try key.signature(for: message).rawRepresentation
            case .memory(let key): try key.signature(for: message).rawRepresentation
            }
        }
    }

    /// Security's keys may be used from any thread; the reference is never changed.
    struct PlatformRSAKey: @unchecked Sendable {
        let secKey: SecKey

        init() throws {
            var failure: Unmanaged<CFError>?
            let attributes = attributes([
                (kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeySizeInBits, NSNumber(value: 2048)),
            ])
            guard let key = SecKeyCreateRandomKey(attributes, &failure) else {
                throw SecurityFailure(failure, operation: "make an RSA key")
            }
            secKey = key
        }

        init(secKey: SecKey) { self.secKey = secKey }

        init(data: Data) throws {
            var failure: Unmanaged<CFError>?
            let attributes = attributes([
                (kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeyClass, kSecAttrKeyClassPrivate),
            ])
            guard let key = SecKeyCreateWithData(NSData(data: data) as CFData, attributes, &failure) else {
                throw SecurityFailure(failure, operation: "read an RSA key")
            }
            secKey = key
        }

        var data: Data { get throws { try Self.export(secKey) } }

        var publicKey: JWK {
            get throws {
                guard let key = SecKeyCopyPublicKey(secKey),
                    let info = RSAPublicKeyInfo(der: Array(try Self.export(key)))
                else { throw GuardianError(.invalidKey) }
                return JWK(material: info.material, algorithm: .rs256)
            }
        }

        func signature(for message: Data) throws -> Data {
            var failure: Unmanaged<CFError>?
            let signature = SecKeyCreateSignature(
                secKey, .rsaSignatureMessagePKCS1v15SHA256, NSData(data: message) as CFData, &failure)
            guard let signature else { throw SecurityFailure(failure, operation: "sign") }
            return Data(referencing: signature as NSData)
        }

        private static func export(_ key: SecKey) throws -> Data {
            var failure: Unmanaged<CFError>?
            guard let data = SecKeyCopyExternalRepresentation(key, &failure) else {
                throw SecurityFailure(failure, operation: "export a key")
            }
            return Data(referencing: data as NSData)
        }
    }

    /// What Security said, as text.
    struct SecurityFailure: Error, CustomStringConvertible {
        let description: String

        init(_ failure: Unmanaged<CFError>?, operation: String) {
            let reason = failure.map { String(describing: $0.takeRetainedValue()) } ?? "no reason given"
            description = "cannot \(operation): \(reason)"
        }
    }

    func attributes(_ pairs: [(CFString, Any)]) -> CFDictionary {
        let dictionary = NSMutableDictionary()
        for (name, value) in pairs { dictionary.setObject(value, forKey: name as NSString) }
        return (dictionary as NSDictionary) as CFDictionary
    }
#endif
