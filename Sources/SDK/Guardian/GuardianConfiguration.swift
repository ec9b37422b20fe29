import Foundation
import GuardianWire
public import HTTPModel
import Primitives
import Synchronization

/// How the SDK reaches servers.
public struct GuardianConfiguration: Sendable {
    /// Makes the requests. By default URLSession on Apple platforms and libcurl elsewhere.
    public var transport: any HTTPClient
    /// The app's name and version, told to servers in `Auth0-Client`; nil tells only the SDK's own.
    public var app: (name: String, version: String)?
    /// How long the device channel may be silent before it is taken for dead. Servers send something well before.
    public var channelIdleTimeout: Duration = .seconds(90)

    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// A number from 0 up to 1.
    var jitter: @Sendable () -> Double = { Double.random(in: 0..<1) }

    /// - Parameters:
    ///   - certificateAuthorityFile: PEM certificates that vouch for servers instead of the system's. Apps on Apple
    ///     platforms must also loosen App Transport Security for such a server's host, with
    ///     `NSExceptionAllowsInsecureHTTPLoads` under `NSAppTransportSecurity` in the Info.plist: it refuses a CA that
    ///     the system does not know whatever is named here. These certificates go on being required.
    ///   - trustAdvice: Ends the text of an error about a certificate that is not trusted: how the app's user names the
    ///     right CA, such as an option.
    public init(
        certificateAuthorityFile: String? = nil,
        trustAdvice: String = "Name the CA in GuardianConfiguration(certificateAuthorityFile:)."
    ) {
        transport = PlatformTransport(certificateAuthorityFile: certificateAuthorityFile, trustAdvice: trustAdvice)
    }

    public init(transport: any HTTPClient) { self.transport = transport }

    private static let shared = Mutex(GuardianConfiguration())

    /// What calls without a configuration of their own use.
    public internal(set) static var current: GuardianConfiguration {
        get { shared.withLock { $0 } }
        set { shared.withLock { $0 = newValue } }
    }

    var timestamp: Timestamp { Timestamp(milliseconds: Int64(now().timeIntervalSince1970 * 1000)) }

    var clientHeader: String {
        var environment = ["swift": "6"]
        if let app { environment[app.name] = app.version }
        return Auth0ClientHeader(name: "Countersign.swift", version: Release.version, environment: environment)
            .fieldValue
    }
}

/// Sets what later calls use; those already made keep what they had. Call it once, when the app starts.
public func configure(_ configuration: GuardianConfiguration) { GuardianConfiguration.current = configuration }
