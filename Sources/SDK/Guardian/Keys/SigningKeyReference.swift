public import Foundation

/// Reference by which a stored device finds its key. A reference with data is as secret as the key. Printing it shows
/// no secret.
public enum SigningKeyReference: Sendable, Hashable {
    /// The key's `data`: the key itself, or the Secure Enclave's handle.
    case data(Data, SigningAlgorithm)
    /// The tag of an RSA key in the keychain (Apple platforms).
    case keychain(tag: String)
    /// The app's name for its own key. A ``DeviceStore`` asks the app for the key.
    case named(String)

    /// Returns the app's key with a name.
    public typealias Finder = @Sendable (_ name: String) throws -> any SigningKey

    func key(_ find: Finder?) throws -> any SigningKey {
        switch self {
        case .data(let data, .es256): return try P256PrivateKey(data: data)
        case .data(let data, .rs256): return try DataRSAPrivateKey(data: data)
        case .named(let name):
            guard let find else { throw GuardianError(.keyNotFound) }
            return try find(name)
        case .keychain(let tag):
            #if canImport(CryptoKit)
                return try KeychainRSAPrivateKey(tag: tag)
            #else
                throw GuardianError(.keyNotFound, detail: "this platform has no keychain for \(tag)")
            #endif
        }
    }
}

extension SigningKeyReference: Codable {
    /// Keys are encoded beside the members of the device.
    private enum CodingKeys: String, CodingKey { case algorithm, key, keychainTag, keyName }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let tag = try container.decodeIfPresent(String.self, forKey: .keychainTag) {
            self = .keychain(tag: tag)
        } else if let name = try container.decodeIfPresent(String.self, forKey: .keyName) {
            self = .named(name)
        } else {
            let name = try container.decode(String.self, forKey: .algorithm)
            guard let algorithm = SigningAlgorithm(rawValue: name) else {
                throw GuardianError(.invalidKey, detail: "this version does not know the algorithm \(name)")
            }
            self = .data(try container.decode(Data.self, forKey: .key), algorithm)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .data(let data, let algorithm):
            try container.encode(algorithm.rawValue, forKey: .algorithm)
            try container.encode(data, forKey: .key)
        case .keychain(let tag): try container.encode(tag, forKey: .keychainTag)
        case .named(let name): try container.encode(name, forKey: .keyName)
        }
    }
}

extension SigningKeyReference: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .data(_, let algorithm): "SigningKeyReference(\(algorithm.rawValue))"
        case .keychain(let tag): "SigningKeyReference(keychain: \(tag))"
        case .named(let name): "SigningKeyReference(named: \(name))"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: ["reference": description]) }
}
