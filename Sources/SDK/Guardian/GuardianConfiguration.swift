import Foundation
import GuardianWire
public import HTTPModel
import Primitives
import Synchronization

/// Settings for connections to servers.
public struct GuardianConfiguration: Sendable {
    /// The HTTP client. The default is URLSession on Apple platforms and libcurl elsewhere.
    public var transport: any HTTPClient
    /// The app's name and version for the field `Auth0-Client`. Nil sends only the SDK's.
    public var app: (name: String, version: String)?
    /// True if the app lets people pick one of ``Consent/matchingChoices`` and passes the pick with the answer. The server
    /// learns it when a device is enrolled or changed, and from
    /// ``announceCapabilities(forDomain:device:store:configuration:)``. It then may ask for a number. An app that cannot
    /// show numbers must leave it false, or the person cannot allow such requests.
    public var showsMatchingNumbers = false
    /// True if the app has a field for the number of a consent with ``Consent/asksTypedNumber``, and passes the number with
    /// the answer. The server learns it as it learns ``showsMatchingNumbers``. An app that has no such field must leave it
    /// false. The server then names the number in the message, for the person to compare.
    public var typesMatchingNumbers = false

    /// True if the app shows one-time passwords (``EnrolledDevice/totp``). Login pages then offer to type one.
    public var showsOneTimePasswords = false
    /// Maximum silence of the device channel before it reconnects. Servers send data more often.
    public var channelIdleTimeout: Duration = .seconds(90)

    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// A number in `0..<1`.
    var jitter: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// - Parameters:
    ///   - certificateAuthorityFile: PEM certificates that are trusted instead of the system's. App Transport Security
    ///     refuses such a CA, so apps on Apple platforms must also set `NSExceptionAllowsInsecureHTTPLoads` for that
    ///     host under `NSAppTransportSecurity` in the Info.plist. These certificates are still required then.
    ///   - trustAdvice: Added to errors about certificates that are not trusted. It should tell the app's user how to
    ///     name the right CA.
    public init(
        certificateAuthorityFile: String? = nil,
        trustAdvice: String = "Name the CA in GuardianConfiguration(certificateAuthorityFile:)."
    ) {
        transport = PlatformTransport(certificateAuthorityFile: certificateAuthorityFile, trustAdvice: trustAdvice)
    }

    /// A configuration with the app's own HTTP client, such as one for tests.
    public init(transport: any HTTPClient) { self.transport = transport }

    private static let shared = Mutex(GuardianConfiguration())

    /// The default configuration of calls.
    public internal(set) static var current: GuardianConfiguration {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    var capabilities: Set<DeviceCapability> {
        var capabilities: Set<DeviceCapability> = [.signedDigest]
        if showsMatchingNumbers { capabilities.insert(.numberMatching) }
        if typesMatchingNumbers { capabilities.insert(.numberTyping) }
        if showsOneTimePasswords { capabilities.insert(.oneTimeCode) }
        return capabilities
    }

    /// In a fixed order.
    var capabilityNames: [String] { DeviceCapability.allCases.filter(capabilities.contains).map(\.rawValue) }

    var timestamp: Timestamp { Timestamp(milliseconds: Int64(now().timeIntervalSince1970 * 1000)) }

    var clientHeader: String {
        var environment = ["swift": "6"]
        if let app { environment[app.name] = app.version }
        return Auth0ClientHeader(name: "Countersign.swift", version: Release.version, environment: environment)
            .fieldValue
    }
}

/// Sets the default configuration of later calls. Call it once, when the app starts.
public func configure(_ configuration: GuardianConfiguration) { GuardianConfiguration.current = configuration }
