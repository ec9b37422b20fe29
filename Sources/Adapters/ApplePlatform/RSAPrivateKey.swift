#if canImport(CryptoKit)
    import Foundation
    import Security

    /// An RSA key of Security. It is immutable and may be used from any thread.
    struct RSAPrivateKey: @unchecked Sendable {
        let secKey: SecKey

        init(secKey: SecKey) { self.secKey = secKey }

        init() throws {
            var failure: Unmanaged<CFError>?
            let attributes = coreFoundation([
                (kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeySizeInBits, NSNumber(value: 2048)),
            ])
            guard let key = SecKeyCreateRandomKey(attributes, &failure) else {
                throw SecurityFailure(failure, operation: "create an RSA key")
            }
            secKey = key
        }

        init(pkcs1: Data) throws { secKey = try .rsa(Array(pkcs1), class: kSecAttrKeyClassPrivate) }

        var pkcs1: Data { get throws { Data(try secKey.exported) } }

        var publicKey: RSAPublicKey {
            get throws {
                guard let key = SecKeyCopyPublicKey(secKey), let publicKey = RSAPublicKey(der: try key.exported) else {
                    throw SecurityFailure(operation: "export a public key", reason: "it is not an RSA key")
                }
                return publicKey
            }
        }

        /// RSASSA-PKCS1-v1_5 with SHA-256.
        func sign(_ message: [UInt8]) throws -> [UInt8] {
            var failure: Unmanaged<CFError>?
            let signature = SecKeyCreateSignature(
                secKey, .rsaSignatureMessagePKCS1v15SHA256, coreFoundation(message), &failure)
            guard let signature else { throw SecurityFailure(failure, operation: "sign") }
            return Array(Data(referencing: signature as NSData))
        }
    }

    extension SecKey {
        /// Reads an RSA key in PKCS #1.
        static func rsa(_ der: [UInt8], class keyClass: CFString) throws -> SecKey {
            var failure: Unmanaged<CFError>?
            let attributes = coreFoundation([(kSecAttrKeyType, kSecAttrKeyTypeRSA), (kSecAttrKeyClass, keyClass)])
            guard let key = SecKeyCreateWithData(coreFoundation(der), attributes, &failure) else {
                throw SecurityFailure(failure, operation: "read an RSA key")
            }
            return key
        }

        fileprivate var exported: [UInt8] {
            get throws {
                var failure: Unmanaged<CFError>?
                guard let data = SecKeyCopyExternalRepresentation(self, &failure) else {
                    throw SecurityFailure(failure, operation: "export a key")
                }
                return Array(Data(referencing: data as NSData))
            }
        }
    }

    /// An error of Security as text and status number. Status 0 means that Security gave none.
    struct SecurityFailure: CustomNSError, CustomStringConvertible {
        static var errorDomain: String { NSOSStatusErrorDomain }

        let description: String
        let errorCode: Int
        var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

        init(operation: String, reason: String, status: OSStatus = errSecSuccess) {
            description = "cannot \(operation): \(reason)"
            errorCode = Int(status)
        }

        init(_ failure: Unmanaged<CFError>?, operation: String) {
            let reason = failure.map { String(describing: $0.takeRetainedValue()) } ?? "no reason given"
            self.init(operation: operation, reason: reason)
        }

        init(_ status: OSStatus, operation: String) {
            self.init(operation: operation, reason: "status \(status)", status: status)
        }
    }

    func coreFoundation(_ bytes: [UInt8]) -> CFData { NSData(data: Data(bytes)) as CFData }

    func coreFoundation(_ attributes: [(CFString, Any)]) -> CFDictionary {
        let dictionary = NSMutableDictionary()
        for (name, value) in attributes { dictionary.setObject(value, forKey: name as NSString) }
        return (dictionary as NSDictionary) as CFDictionary
    }
#endif
