package import AuthorizationCore
import CurlTransport
package import Delivery
import Files
package import Flows
import HTTPModel
package import MicroHTTPServer
import OpenSSLCrypto
package import Primitives
package import Routing
package import SMTPTransport

/// Settings of one server process. Each has a default. `countersign serve --help` lists them.
package struct ServerSettings: Sendable {
    package enum TLS: Sendable, Equatable {
        /// A certificate from a local authority in the data folder.
        case local
        /// PEM files: the certificate with its intermediates, and its key.
        case files(certificate: String, key: String)
        /// Plain HTTP behind a proxy on the same machine that terminates TLS. Issuers stay `https`.
        case off
    }

    /// Delivery of mails to users.
    package enum Mail: Sendable {
        /// No delivery. Mails wait until they expire.
        case nowhere
        /// Files in a folder, for development.
        case folder(String, from: MailAddress)
        case smtp(SMTPTransport.Configuration)
    }

    /// Private networks that the server may contact because a tenant configured an address there: a client's `jwks_uri`
    /// or logout URL, an upstream provider, or a browser's push service. Nil means none, or this machine for a development tenant.
    package var outgoingNetworks: [IPNetwork]?
    /// Addresses of the services that take messages to phones' own apps.
    package var pushAddresses = PushAddresses()
    /// Maximum of open connections to Apple's push service, of which each key and each certificate needs one.
    package var appleConnections = 512
    package var store = StoreLocation.file
    /// Settings file with a password for the store. Nil if no file has one.
    package var fileWithPassword: String?
    /// Folder of the database file, the master key and the local authority.
    package var dataFolder = "countersign-data"
    package var address = "127.0.0.1"
    /// Creates a development tenant in an empty database.
    package var development = true
    /// Name of the development tenant in its network. Nil means this machine alone.
    package var developmentHost: String?
    package var port: UInt16 = 8443
    package var tls = TLS.local
    /// A second port that asks clients for certificates. Nil opens none.
    package var mtlsPort: UInt16?
    /// PEM certificates of the authorities of client certificates (`tls_client_auth`). Nil trusts none.
    package var clientAuthorities: String?
    /// Proxies that may forward their client's certificate (RFC 9440).
    package var certificateProxies: [IPNetwork] = []
    /// Proxies that may forward their client's address, and the field in which they do.
    package var clientAddressProxies: [IPNetwork] = []
    package var clientAddressField = ClientAddressField.xForwardedFor
    /// Database of places in MaxMind's format. Nil means that logins name no place.
    package var geoIPDatabase: String?
    /// `max-age` of Strict-Transport-Security (RFC 6797). Zero sends no field. Nil means a year if the operator
    /// provides the certificate, and zero otherwise.
    package var hstsMaxAge: Duration?
    /// Port for `/metrics` over plain HTTP. Nil serves no metrics.
    package var metricsPort: UInt16? = 9464
    /// Address for metrics, which everybody who can connect may read.
    package var metricsAddress = "127.0.0.1"
    /// Nil reads the key from `masterKeyFile`.
    var masterKey: MasterKey?
    /// Nil means `master.key` in the data folder, which is created for a new database.
    package var masterKeyFile: String?
    package var mail = Mail.nowhere
    /// Limits of each tenant on the operator's mail server.
    package var mailLimits = MailBudget.Limits()
    /// Number of event threads. Nil means one per processor.
    package var threads: Int?
    package var limits: HTTPLimits
    /// Limits beyond which requests are refused early.
    package var admission = Admission.Limits()
    package var logFormat = Log.Format.text
    package var logLevel = Log.Level.info
    /// Logs a line for every request.
    package var logsRequests = true
    /// Maximum time for running requests when the server stops.
    package var stopLimit: Duration = .seconds(10)
    /// PEM certificates of the authorities trusted for outgoing connections: to upstream providers, clients' logout
    /// URLs, push services and the mail server. Nil means the system's authorities.
    package var trustedAuthorities: String?
    /// Maximum number of steps for checking the authorization details of one request.
    package var detailsCheckSteps = DetailsCheckLimit.defaultSteps
    /// Time that a request is kept after it expired, so that late polls get an accurate error.
    package var retention: Duration = .seconds(600)
    package var tenantCeilings = TenantCeilings()
    /// Address of a collector of traces that speaks OTLP over HTTP, without `/v1/traces`. Nil records none.
    package var traceEndpoint: String?
    /// Share of the traces begun here that are recorded, `0...1`.
    package var traceRatio = 0.1

    /// Names the certificate files in the reason, if the operator provides them.
    func tlsFailure(_ reason: String) -> SettingFailure {
        guard case .files(let certificate, let key) = tls else {
            return SettingFailure(setting: "tls", reason: "the local authority's certificate: \(reason)")
        }
        return SettingFailure(
            setting: "tls-certificate and tls-key",
            reason: "\(certificate) with \(key): \(reason). Both must be PEM: the server's certificate followed by its "
                + "intermediates, and its own key without a password")
    }

    /// Sends the field by default only with the operator's certificate. Browsers do not know a local certificate and
    /// would allow no exception for it; without TLS, a proxy can send the field.
    var transportSecurity: StrictTransportSecurity? {
        let isPublic = if case .files = tls { true } else { false }
        return StrictTransportSecurity(maxAge: hstsMaxAge ?? (isPublic ? Self.longMaxAge : .zero))
    }

    private static let longMaxAge = Duration.seconds(31_536_000)

    /// Nil means that mails are not delivered.
    var mailTransport: (any MailTransport)? {
        switch mail {
        case .nowhere: return nil
        case .folder(let path, let from): return MailFolder(path, from: from)
        case .smtp(var configuration):
            configuration.trust = trust
            return SMTPTransport(configuration)
        }
    }

    /// Authorities of mail servers and of other servers that this one connects to.
    var trust: CurlTransport.Configuration.Trust { trustedAuthorities.map { .file($0) } ?? .system }

    /// Transports to tenants' own mail servers.
    func mailRelays(_ hashing: any Hashing) -> SMTPRelays {
        SMTPRelays(outgoingPolicy, trust: trust, hashing: hashing)
    }

    /// Addresses that this server may contact because a tenant configured them.
    var outgoingPolicy: OutgoingPolicy { OutgoingPolicy(allowing: outgoingNetworks ?? []) }

    /// Settings for outgoing connections: short timeouts and small responses, because people wait at a login page.
    var outgoing: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.trust = trust
        configuration.connectTimeout = .seconds(5)
        configuration.responseLimit = 1 << 20
        configuration.trustAdvice = "Name the CA that signed it with --trusted-authorities."
        return configuration
    }

    /// Maximum time that a page waits for a phone. It ends before the exchange's deadline.
    package var pageHold: Duration { min(PushFactor.longestHold, limits.exchangeDeadline * 4 / 5) }

    package init() {
        limits = HTTPLimits()
        // The longest hold of a token request that a tenant can configure, with some margin.
        limits.exchangeDeadline = .seconds(310)
    }

    /// Takes the master key from 43 characters of base64url or 64 hexadecimal digits, instead of a file.
    package mutating func useMasterKey(_ text: String) throws { masterKey = try MasterKey(text: text) }

    /// Reads a secret, without the line break at its end, from a file that only its owner may access.
    /// - Throws: An error that says what is wrong with the file.
    package static func secret(file path: String) throws -> SecretBytes {
        var bytes = try PrivateFile.readSecret(path).bytes
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        return SecretBytes(bytes)
    }
}
