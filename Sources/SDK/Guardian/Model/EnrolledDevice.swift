/// This device as it was enrolled. Keep it in a ``DeviceStore``. Printing it shows no secret.
///
/// It is `Codable` for stores of the app's own. Encoded, it holds the device's token, what one-time passwords are made
/// with, and a ``SigningKeyReference``: treat it as the secret that it is. A key in the keychain is named there by its
/// tag and stays where it is.
public struct EnrolledDevice: AuthenticationDevice, Codable, CustomStringConvertible, CustomReflectable {
    /// The enrolment's id; a notification's ``Notification/enrollmentId`` names it.
    public let id: String
    public let userId: String
    /// Authorises changes of the enrolment; the key does so too.
    public let deviceToken: String
    /// The APNs token. When the system gives another, tell the server with
    /// ``DeviceAPI/update(localIdentifier:name:notificationToken:)``, change it here and save the device.
    public var notificationToken: String?
    public let signingKey: any SigningKey
    /// Nil where the server offers no one-time passwords.
    public let totp: OTPParameters?
    /// `iss` of this device's answers.
    public let localIdentifier: String
    /// The name that the user sees. ``DeviceAPI/update(localIdentifier:name:notificationToken:)`` changes it at the server.
    public var name: String?
    /// Name that the server gives itself.
    public let issuer: String?
    /// The domain or URL that it was enrolled at, which calls on its behalf go to.
    public let domain: String?

    /// - Parameters:
    ///   - id: the server's name of this device
    ///   - userId: whose device it is
    ///   - deviceToken: what the device shows when it changes or removes itself
    ///   - notificationToken: the APNs token in hexadecimal, if there is one
    ///   - signingKey: signs this device's answers
    ///   - totp: how one-time passwords are made, where the server offers them
    ///   - localIdentifier: the identifier at enrolment; by default the one ``enroll(forDomain:usingUri:notificationToken:signingKey:verificationKey:deviceName:configuration:)``
    ///     derives from the key
    ///   - name: what the user sees among their devices
    ///   - issuer: what the server calls itself
    ///   - domain: the domain or URL that it was enrolled at
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

    /// - Throws: ``GuardianError`` where the key cannot be had: with ``GuardianError/Code/keyNotFound`` for one of
    ///   ``SigningKeyReference/named(_:)``, which only a ``DeviceStore`` finds
    public init(from decoder: any Decoder) throws { self = try StoredDevice(from: decoder).device(finding: nil) }

    /// - Throws: ``GuardianError`` with ``GuardianError/Code/keyNotStorable`` for a key without a
    ///   ``SigningKey/reference``
    public func encode(to encoder: any Encoder) throws { try StoredDevice(self).encode(to: encoder) }

    public var description: String { "EnrolledDevice(id: \(id))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// A device as it is stored: with its key by name, so that one whose key is gone can be removed.
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
        key = try device.signingKey.reference
    }

    func device(finding find: SigningKeyReference.Finder?) throws -> EnrolledDevice {
        EnrolledDevice(
            id: id, userId: userID, deviceToken: token, notificationToken: notificationToken,
            signingKey: try key.key(find), totp: totp, localIdentifier: localIdentifier, name: name, issuer: issuer,
            domain: domain)
    }
}

extension StoredDevice: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, domain, userID, name, localIdentifier, issuer, token, notificationToken, totp
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
        try key.encode(to: encoder)
    }
}
