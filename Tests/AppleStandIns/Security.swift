// Declarations of Apple's Security and Core Foundation that ApplePlatform uses, with types and without
// implementation, and of Foundation's additions on Apple platforms. Nothing runs them.
public import Foundation
@_exported public import FoundationNetworking

public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFDictionary = NSDictionary
public typealias CFArray = NSArray
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias CFAllocator = NSObject
public typealias OSStatus = Int32

public final class CFError: NSObject, Error, @unchecked Sendable {}
public final class SecKey: NSObject {}
public final class SecTrust: NSObject {}
public final class SecCertificate: NSObject {}

public struct SecKeyAlgorithm: Sendable {
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm()
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm()
}

public let errSecSuccess: OSStatus = 0
public let errSecItemNotFound: OSStatus = -25300
public var kSecClass: CFString { "" }
public var kSecClassKey: CFString { "" }
public var kSecClassGenericPassword: CFString { "" }
public var kSecAttrService: CFString { "" }
public var kSecAttrAccount: CFString { "" }
public var kSecUseDataProtectionKeychain: CFString { "" }
public var kSecAttrKeyType: CFString { "" }
public var kSecAttrKeyTypeRSA: CFString { "" }
public var kSecAttrKeySizeInBits: CFString { "" }
public var kSecAttrKeyClass: CFString { "" }
public var kSecAttrKeyClassPublic: CFString { "" }
public var kSecAttrKeyClassPrivate: CFString { "" }
public var kSecAttrApplicationTag: CFString { "" }
public var kSecAttrIsPermanent: CFString { "" }
public var kSecAttrAccessible: CFString { "" }
public var kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString { "" }
public var kSecMatchLimit: CFString { "" }
public var kSecMatchLimitAll: CFString { "" }
public var kSecReturnRef: CFString { "" }
public var kSecReturnData: CFString { "" }
public var kSecValueRef: CFString { "" }
public var kSecValueData: CFString { "" }

public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { nil }

public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? { nil }

public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { nil }

public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }

public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }

public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool { false }

public func SecKeyGetTypeID() -> CFTypeID { 0 }
public func CFGetTypeID(_ object: CFTypeRef?) -> CFTypeID { 0 }

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { -1 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { -1 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { -1 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { -1 }

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchors: CFArray?) -> OSStatus { -1 }
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ only: Bool) -> OSStatus { -1 }
public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool { false }

public enum tls_protocol_version_t: UInt16, Sendable {
    case TLSv12 = 0x0303
}

// Part of Foundation on Apple platforms.
extension URLSessionConfiguration {
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { .TLSv12 }
        set {}
    }
}

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}
