#if canImport(CryptoKit)
    import CryptoKit
    package import Foundation
    package import JOSE
    import Security

    /// A private key of this device and its signatures. P-256 keys are in the Secure Enclave if there is one
    /// (simulators and older Macs have none), else in memory. RSA keys have 2048 bits and use Security.
    package struct AppleSigner: Signer {
        private enum Key: Sendable {
            case enclave(SecureEnclave.P256.Signing.PrivateKey)
            case memory(P256.Signing.PrivateKey)
            case rsa(RSAPrivateKey)
        }

        package let publicKey: JWK
        package let algorithm: JWSAlgorithm
        private let key: Key

        /// Creates a key for ES256 or RS256.
        package static func generate(algorithm: JWSAlgorithm) throws -> AppleSigner {
            switch algorithm {
            case .es256 where SecureEnclave.isAvailable: AppleSigner(try SecureEnclave.P256.Signing.PrivateKey())
            case .es256: AppleSigner(P256.Signing.PrivateKey())
            case .rs256: try AppleSigner(RSAPrivateKey())
            default: throw SecurityFailure(operation: "create a key", reason: "\(algorithm.rawValue) is not supported")
            }
        }

        /// Restores a key from its ``data``.
        package init(data: Data, algorithm: JWSAlgorithm) throws {
            switch algorithm {
            case .es256:
                if let key = try? P256.Signing.PrivateKey(derRepresentation: data) {
                    self.init(key)
                } else {
                    self.init(try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: data))
                }
            case .rs256: try self.init(RSAPrivateKey(pkcs1: data))
            default: throw SecurityFailure(operation: "read a key", reason: "\(algorithm.rawValue) is not supported")
            }
        }

        /// Reads an unencrypted P-256 key in PEM. `keyID` becomes the public key's id.
        package init(pem: String, keyID: String?) throws {
            let key = try P256.Signing.PrivateKey(pemRepresentation: pem)
            self.init(.memory(key), key.publicKey, keyID: keyID)
        }

        private init(_ key: SecureEnclave.P256.Signing.PrivateKey) { self.init(.enclave(key), key.publicKey) }
        private init(_ key: P256.Signing.PrivateKey) { self.init(.memory(key), key.publicKey) }

        private init(_ key: Key, _ publicKey: P256.Signing.PublicKey, keyID: String? = nil) {
            // The x and y coordinates have 32 bytes each.
            let point = Array(publicKey.rawRepresentation)
            let material = JWK.Material.ec(curve: .p256, x: Array(point.prefix(32)), y: Array(point.suffix(32)))
            self.key = key
            algorithm = .es256
            self.publicKey = JWK(material: material, keyID: keyID, algorithm: algorithm)
        }

        init(_ key: RSAPrivateKey) throws {
            let publicKey = try key.publicKey
            self.key = .rsa(key)
            algorithm = .rs256
            self.publicKey = JWK(material: .rsa(n: publicKey.modulus, e: publicKey.exponent), algorithm: algorithm)
        }

        package func sign(_ message: [UInt8]) throws -> [UInt8] {
            switch key {
            case .enclave(let key): Array(try key.signature(for: message).rawRepresentation)
            case .memory(let key): Array(try key.signature(for: message).rawRepresentation)
            case .rsa(let key): try key.sign(message)
            }
        }

        /// The key as PKCS #8 (P-256) or PKCS #1 (RSA), or the Secure Enclave's handle.
        package var data: Data {
            get throws {
                switch key {
                case .enclave(let key): key.dataRepresentation
                case .memory(let key): key.derRepresentation
                case .rsa(let key): try key.pkcs1
                }
            }
        }

        /// The RSA key. Nil means that the key has another type.
        var rsa: RSAPrivateKey? { if case .rsa(let key) = key { key } else { nil } }
    }
#endif
