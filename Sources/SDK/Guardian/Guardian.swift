public import Foundation
import GuardianWire

// The entry points are functions of the module, so that apps write `Guardian.authentication(…)` and the types stay
// reachable as `Guardian.Notification` next to Foundation's of the same name.

/// The low-level client of a server's device API.
///
/// - Parameters:
///   - domain: the tenant's domain or URL, the one the app is built for
///   - configuration: how to reach servers; by default what ``configure(_:)`` was given
public func api(forDomain domain: String, configuration: GuardianConfiguration = .current) -> API {
    API(server: Server(domain: domain, configuration: configuration))
}

/// The low-level client of a server's device API, by URL.
public func api(url: URL, configuration: GuardianConfiguration = .current) -> API {
    api(forDomain: url.absoluteString, configuration: configuration)
}

/// Allows and rejects requests in the name of an enrolled device.
///
/// ```swift
/// Guardian
///     .authentication(forDomain: "id.example.org", device: device)
///     .allow(notification: notification)
///     .start { result in … }
/// ```
public func authentication(
    forDomain domain: String, device: any AuthenticationDevice, configuration: GuardianConfiguration = .current
) -> Authentication {
    Authentication(api: api(forDomain: domain, configuration: configuration), device: device)
}

/// Allows and rejects requests in the name of an enrolled device, by the server's URL.
public func authentication(
    url: URL, device: any AuthenticationDevice, configuration: GuardianConfiguration = .current
) -> Authentication {
    authentication(forDomain: url.absoluteString, device: device, configuration: configuration)
}

/// Enrols this device with the URI of an enrolment QR code.
///
/// ```swift
/// let signingKey = try P256PrivateKey.new()
/// let device = try await Guardian
///     .enroll(forDomain: "id.example.org", usingUri: uri, notificationToken: apnsToken,
///             signingKey: signingKey, verificationKey: try signingKey.verificationKey())
///     .start()
/// ```
///
/// - Parameters:
///   - domain: the tenant's domain or URL
///   - uri: `otpauth://totp/…?enrollment_tx_id=…`
///   - notificationToken: the APNs token in hexadecimal; nil for a device that listens to ``notifications(forDomain:device:after:configuration:)``
///   - signingKey: signs this device's answers and never leaves it
///   - verificationKey: its public half, which the server stores
///   - deviceName: what the user will see among their devices, best `UIDevice.current.name` on phones; by default the
///     model there, and the host's name elsewhere
///   - configuration: how requests are sent
public func enroll(
    forDomain domain: String, usingUri uri: String, notificationToken: String?, signingKey: any SigningKey,
    verificationKey: VerificationKey, deviceName: String? = nil, configuration: GuardianConfiguration = .current
) -> EnrollRequest {
    let ticket = (try? EnrollmentURI(parsing: uri))?.transactionID
    return enroll(
        forDomain: domain, usingTicket: ticket ?? "", notificationToken: notificationToken, signingKey: signingKey,
        verificationKey: verificationKey, deviceName: deviceName, configuration: configuration)
}

/// Enrols this device with the URI of an enrolment QR code, by the server's URL.
public func enroll(
    url: URL, usingUri uri: String, notificationToken: String?, signingKey: any SigningKey,
    verificationKey: VerificationKey, deviceName: String? = nil, configuration: GuardianConfiguration = .current
) -> EnrollRequest {
    enroll(
        forDomain: url.absoluteString, usingUri: uri, notificationToken: notificationToken, signingKey: signingKey,
        verificationKey: verificationKey, deviceName: deviceName, configuration: configuration)
}

/// Enrols this device with an enrolment ticket, as an email carries it.
public func enroll(
    forDomain domain: String, usingTicket ticket: String, notificationToken: String?, signingKey: any SigningKey,
    verificationKey: VerificationKey, deviceName: String? = nil, configuration: GuardianConfiguration = .current
) -> EnrollRequest {
    let identifier = verificationKey.deviceIdentifier
    let name = deviceName ?? platformDeviceName
    return api(forDomain: domain, configuration: configuration)
        .enroll(
            withTicket: ticket, identifier: identifier, name: name, notificationToken: notificationToken,
            verificationKey: verificationKey
        )
        .map { enrollment in
            EnrolledDevice(
                id: enrollment.identifier, userId: enrollment.userId, deviceToken: enrollment.token,
                notificationToken: notificationToken, signingKey: signingKey, totp: enrollment.totp,
                localIdentifier: identifier, name: name, issuer: enrollment.issuer, domain: domain)
        }
}

/// Enrols this device with an enrolment ticket, by the server's URL.
public func enroll(
    url: URL, usingTicket ticket: String, notificationToken: String?, signingKey: any SigningKey,
    verificationKey: VerificationKey, deviceName: String? = nil, configuration: GuardianConfiguration = .current
) -> EnrollRequest {
    enroll(
        forDomain: url.absoluteString, usingTicket: ticket, notificationToken: notificationToken,
        signingKey: signingKey, verificationKey: verificationKey, deviceName: deviceName,
        configuration: configuration)
}

/// Reads what a push carried; nil where it is no request of this kind.
///
/// ```swift
/// if let notification = Guardian.notification(from: userInfo) { … }
/// ```
public func notification(from userInfo: [AnyHashable: Any]) -> Notification? {
    Notification(userInfo: userInfo)
}

/// Fetches consent records, with a key named at each call.
public func consent(forDomain domain: String, configuration: GuardianConfiguration = .current) -> ConsentAPI {
    ConsentAPI(server: Server(domain: domain, configuration: configuration))
}

/// Fetches consent records, by the server's URL.
public func consent(consentUrl url: URL, configuration: GuardianConfiguration = .current) -> ConsentAPI {
    consent(forDomain: url.absoluteString, configuration: configuration)
}

/// Fetches consent records with an enrolled device's key.
public func consent(
    forDomain domain: String, device: any AuthenticationDevice, configuration: GuardianConfiguration = .current
) -> DeviceConsentAPI {
    DeviceConsentAPI(consent: consent(forDomain: domain, configuration: configuration), device: device)
}

/// Listens to the device channel: requests reach a running app without any push service.
///
/// The stream connects again by itself, waiting longer after each failure, and gets what came meanwhile. It throws
/// when the server refuses the device (it was unenrolled, for example), and when the first connection finds nobody to
/// vouch for the server's certificate; cancelling the task that reads it closes it.
///
/// - Parameters:
///   - domain: the tenant's domain or URL
///   - device: the enrolled device, whose key signs the token that opens the channel
///   - eventID: the id of the last event that an earlier run handled
///   - configuration: how requests are sent
public func notifications(
    forDomain domain: String, device: EnrolledDevice, after eventID: String? = nil,
    configuration: GuardianConfiguration = .current
) -> AsyncThrowingStream<DeviceChannelEvent, any Error> {
    DeviceChannel(
        server: Server(domain: domain, configuration: configuration), device: device, lastEventID: eventID
    ).events()
}

/// A request to enrol this device.
public typealias EnrollRequest = Request<EnrolledDevice>
