/// This device's enrolment. Store it in a ``DeviceStore``. Printing it shows no secret.
///
/// It is `Codable` for the app's own stores. Its encoding contains the device's token, the parameters of one-time
/// passwords and a ``SigningKeyReference``, so treat it as a secret. A key in the keychain is only referenced by its
/// tag.
public struct EnrolledDevice: AuthenticationDevice, Codable, CustomStringConvertible, CustomReflectable {
    /// The enrolment's id, as in ``Notification/enrollmentId`` of a notification.
    public let id: String
    /// The id of the person, as in the claim `sub` of the server's tokens.
    public let userId: String
    /// Authorises changes of the enrolment. Tokens signed by the key do too.
    public let deviceToken: String
    /// The APNs token. When the system issues another one, send it to the server with
    /// ``DeviceAPI/update(localIdentifier:name:notificationToken:)``, set it here and save the device.
    public var notificationToken: String?
    public let signingKey: any SigningKey
    /// Nil means that the server does not offer one-time passwords.
    public let totp: OTPParameters?
    /// `iss` of this device's answers.
    public let localIdentifier: String
    /// The name that the user sees. ``DeviceAPI/update(localIdentifier:name:notificationToken:)`` changes it at the
    /// server.
    public var name: String?
    /// The server's display name.
    public let issuer: String?
    /// The domain or URL of the enrolment, for later calls.
    public let domain: String?
    /// Abilities that the server was told of. Nil for a device of a version that did not note them.
    var announcedCapabilities: [String]?

    /// - Parameters:
    ///   - id: The enrolment's id at the server.
    ///   - userId: The id of the device's user.
    ///   - deviceToken: The token that authorises changes of the enrolment.
    ///   - notificationToken: The APNs token in hexadecimal. Nil means that the device has none.
    ///   - signingKey: The key that signs this device's answers.
    ///   - totp: Parameters of one-time passwords. Nil means that the server does not offer them.
    ///   - localIdentifier: The identifier at enrolment. The default is the one that
    ///     ``enroll(forDomain:usingUri:notificationToken:signingKey:verificationKey:deviceName:configuration:)``
    ///     derives from the key.
    ///   - name: The name that the user sees among their devices.
    ///   - issuer: The server's display name.
    ///   - domain: The domain or URL of the enrolment.
    public init(
        id: String, userId: String, deviceToken: String, notificationToken: String?, signingKey: any SigningKey,
        totp: OTPParameters? = nil, localIdentifier: String? = nil, name: String? = nil, issuer: String? = nil,
        domain: String? = nil
    ) {
        self.id = id
        self.userId = userId
        self.deviceToken = deviceToken
        self.notificationToken = notificationToken
        self.signingKey = signingKey
        self.totp = totp
        self.localIdentifier = localIdentifier ?? (try? signingKey.verificationKey())?.deviceIdentifier ?? id
        self.name = name
        self.issuer = issuer
        self.domain = domain
    }

    /// - Throws: ``GuardianError`` if the key is not available, with ``GuardianError/Code/keyNotFound`` for
    ///   ``SigningKeyReference/named(_:)``, which only a ``DeviceStore`` can find.
    public init(from decoder: any Decoder) throws { self = try StoredDevice(from: decoder).device(finding: nil) }

    /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotStorable`` for a key without
    ///   ``SigningKey/reference``.
    public func encode(to encoder: any Encoder) throws { try StoredDevice(self).encode(to: encoder) }

    public var description: String { "EnrolledDevice(id: \(id))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// A device with a reference to its key, so that it can be removed even if the key is lost.
struct StoredDevice: Sendable {
    let id: String
    private let domain: String?
    private let userID: String
    private let name: String?
    private let localIdentifier: String
    private let issuer: String?
    private let token: String
    private let notificationToken: String?
    private let totp: OTPParameters?
    private let capabilities: [String]?
    private let key: SigningKeyReference

    init(_ device: EnrolledDevice) throws {
        id = device.id
        domain = device.domain
        userID = device.userId
        name = device.name
        localIdentifier = device.localIdentifier
        issuer = device.issuer
        token = device.deviceToken
        notificationToken = device.notificationToken
        totp = device.totp
        capabilities = device.announcedCapabilities
        key = try device.signingKey.reference
    }

    func device(finding find: SigningKeyReference.Finder?) throws -> EnrolledDevice {
        var device = EnrolledDevice(
            id: id, userId: userID, deviceToken: token, notificationToken: notificationToken,
            signingKey: try key.key(find), totp: totp, localIdentifier: localIdentifier, name: name, issuer: issuer,
            domain: domain)
        device.announcedCapabilities = capabilities
        return device
    }
}

extension StoredDevice: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, domain, userID, name, localIdentifier, issuer, token, notificationToken, totp
        case capabilities
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        domain = try container.decodeIfPresent(String.self, forKey: .domain)
        userID = try container.decode(String.self, forKey: .userID)
        name = try container.decodeIfPresent(String.self, forKey: .name)
        localIdentifier = try container.decode(String.self, forKey: .localIdentifier)
        issuer = try container.decodeIfPresent(String.self, forKey: .issuer)
        token = try container.decode(String.self, forKey: .token)
        notificationToken = try container.decodeIfPresent(String.self, forKey: .notificationToken)
        totp = try container.decodeIfPresent(OTPParameters.self, forKey: .totp)
        capabilities = try container.decodeIfPresent([String].self, forKey: .capabilities)
        key = try SigningKeyReference(from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(domain, forKey: .domain)
        try container.encode(userID, forKey: .userID)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encode(localIdentifier, forKey: .localIdentifier)
        try container.encodeIfPresent(issuer, forKey: .issuer)
        try container.encode(token, forKey: .token)
        try container.encodeIfPresent(notificationToken, forKey: .notificationToken)
        try container.encodeIfPresent(totp, forKey: .totp)
        try container.encodeIfPresent(capabilities, forKey: .capabilities)
        try key.encode(to: encoder)
    }
}
