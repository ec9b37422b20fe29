/// A device that may answer: anything that has the enrolled key and the identifier it enrolled with.
public protocol AuthenticationDevice: Sendable {
    var signingKey: any SigningKey { get }
    var localIdentifier: String { get }
}

/// This device as it was enrolled. Keep it where only this app reads it. Printing it shows no secret.
public struct EnrolledDevice: AuthenticationDevice, CustomStringConvertible, CustomReflectable {
    /// The enrolment's id; a notification's ``Notification/enrollmentId`` names it.
    public let id: String
    public let userId: String
    /// Authorises changes of the enrolment; the key does so too.
    public let deviceToken: String
    /// The APNs token. When the system gives another, tell the server with ``DeviceAPI/update(localIdentifier:name:notificationToken:)``.
    public let notificationToken: String?
    public let signingKey: any SigningKey
    /// Nil where the server offers no one-time passwords.
    public let totp: OTPParameters?
    /// `iss` of this device's answers.
    public let localIdentifier: String
    public let name: String?
    /// What the server calls itself.
    public let issuer: String?

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
    public init(
        id: String, userId: String, deviceToken: String, notificationToken: String?, signingKey: any SigningKey,
        totp: OTPParameters? = nil, localIdentifier: String? = nil, name: String? = nil, issuer: String? = nil
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
    }

    public var description: String { "EnrolledDevice(id: \(id))" }
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
