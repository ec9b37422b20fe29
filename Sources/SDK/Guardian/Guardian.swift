public import Foundation
import GuardianWire

// The entry points are functions of the module, so that apps write `Guardian.authentication(…)` and the types stay
// reachable as `Guardian.Notification` next to Foundation's of the same name.

/// The low-level client of a server's device API.
///
/// - Parameters:
///   - domain: The tenant's domain or URL.
///   - configuration: Transport and other settings. The default is the one given to ``configure(_:)``.
public func api(forDomain domain: String, configuration: GuardianConfiguration = .current) -> API {
    API(server: Server(domain: domain, configuration: configuration))
}

/// The low-level client of a server's device API, by URL.
public func api(url: URL, configuration: GuardianConfiguration = .current) -> API {
    api(forDomain: url.absoluteString, configuration: configuration)
}

/// Allows and rejects requests for an enrolled device.
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

/// Allows and rejects requests for an enrolled device, by the server's URL.
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
///   - domain: The tenant's domain or URL.
///   - uri: `otpauth://totp/…?enrollment_tx_id=…`
///   - notificationToken: The APNs token in hexadecimal. Nil for a device that uses
///     ``notifications(forDomain:device:after:configuration:)``.
///   - signingKey: The key that signs this device's answers. It stays on the device.
///   - verificationKey: The public half of `signingKey`, which the server stores.
///   - deviceName: The name that the user sees among their devices, on phones best `UIDevice.current.name`. The default
///     is the model on phones and the host name elsewhere.
///   - configuration: Transport and other settings.
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

/// Enrols this device with an enrolment ticket, for example from an e-mail.
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
            var device = EnrolledDevice(
                id: enrollment.identifier, userId: enrollment.userId, deviceToken: enrollment.token,
                notificationToken: notificationToken, signingKey: signingKey, totp: enrollment.totp,
                localIdentifier: identifier, name: name, issuer: enrollment.issuer, domain: domain)
            device.announcedCapabilities = configuration.capabilityNames
            return device
        }
}

/// Enrols this device with an enrolment ticket, by the server's URL.
public func enroll(
    url: URL, usingTicket ticket: String, notificationToken: String?, signingKey: any SigningKey,
    verificationKey: VerificationKey, deviceName: String? = nil, configuration: GuardianConfiguration = .current
) -> EnrollRequest {
    enroll(
        forDomain: url.absoluteString, usingTicket: ticket, notificationToken: notificationToken,
        signingKey: signingKey, verificationKey: verificationKey, deviceName: deviceName, configuration: configuration)
}

/// Tells the server what the app can do (``GuardianConfiguration/showsMatchingNumbers``), if the server was last told
/// something else, and notes that in the store.
///
/// Call it when the app starts, so that phones that were enrolled by an earlier version get the abilities of this one.
/// It sends at most one request. After an error the app can go on, and try again at the next start.
///
/// - Parameters:
///   - domain: The tenant's domain or URL.
///   - device: The enrolled device, as it is stored.
///   - store: The store of the device.
///   - configuration: Transport and other settings.
public func announceCapabilities(
    forDomain domain: String, device: EnrolledDevice, store: any DeviceStore,
    configuration: GuardianConfiguration = .current
) async throws {
    let names = configuration.capabilityNames
    guard device.announcedCapabilities != names else { return }
    _ = try await api(forDomain: domain, configuration: configuration)
        .device(forEnrollmentId: device.id, userId: device.userId, signingKey: device.signingKey)
        .update().start()
    // The device may have been renamed or removed meanwhile.
    guard var stored = try await store.devices().first(where: { $0.id == device.id }) else { return }
    stored.announcedCapabilities = names
    try await store.save(stored)
}

/// Reads a push notification. Nil means that it is not a request for this user.
///
/// ```swift
/// if let notification = Guardian.notification(from: userInfo) { … }
/// ```
public func notification(from userInfo: [AnyHashable: Any]) -> Notification? { Notification(userInfo: userInfo) }

/// Reads a background push that withdraws a request. Nil means that it is none.
///
/// ```swift
/// if let withdrawal = Guardian.withdrawal(from: userInfo) { … }
/// ```
public func withdrawal(from userInfo: [AnyHashable: Any]) -> Withdrawal? { Withdrawal(userInfo: userInfo) }

/// Fetches consent records with a key given for each call.
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
/// The stream reconnects by itself, with a longer pause after each failure, and then receives missed requests. It
/// throws if the server refuses the device, for example after its removal, or if the server's certificate is not
/// trusted at the first connection. Cancelling the reading task closes the channel.
///
/// - Parameters:
///   - domain: The tenant's domain or URL.
///   - device: The enrolled device, whose key signs the channel's token.
///   - eventID: The id of the last event that an earlier run handled.
///   - configuration: Transport and other settings.
public func notifications(
    forDomain domain: String, device: EnrolledDevice, after eventID: String? = nil,
    configuration: GuardianConfiguration = .current
) -> AsyncThrowingStream<DeviceChannelEvent, any Error> {
    DeviceChannel(
        server: Server(domain: domain, configuration: configuration), device: device, lastEventID: eventID
    ).events()
}
