import AuthorizationCore
import CurlTransport
import Flows
import HTTPModel
package import MicroHTTPServer
import OpenSSLCrypto
package import Primitives
package import Routing
package import SMTPTransport

/// What an operator chooses for one server process. Each has a default; `countersign serve --help` lists them.
package struct ServerSettings: Sendable {
    package enum TLS: Sendable, Equatable {
        /// A certificate of a local authority, which is made in the data folder.
        case local
        /// PEM files: the certificate with its intermediates, and its key.
        case files(certificate: String, key: String)
        /// Plain HTTP, for a proxy on the same machine that speaks TLS. Issuers stay `https`.
        case off
    }

    /// Where mails to users go.
    package enum Mail: Sendable {
        /// Nowhere: they wait until they are of no more use.
        case nowhere
        /// Into files of a folder, for development.
        case folder(String, from: MailAddress)
        case smtp(SMTPTransport.Configuration)
    }

    /// Networks that are asked beside the public Internet, because a tenant said so: at a client's `jwks_uri` and logout
    /// URL, and at providers that users log in with. Nil is none, and this machine for a development tenant.
    package var outgoingNetworks: [IPNetwork]?
    /// Holds the database, the master key and the local authority.
    package var dataFolder = "countersign-data"
    package var address = "127.0.0.1"
    package var port: UInt16 = 8443
    package var tls = TLS.local
    /// A second port that asks clients for certificates; nil opens none.
    package var mtlsPort: UInt16?
    /// PEM certificates of the authorities that vouch for clients (`tls_client_auth`); nil trusts none.
    package var clientAuthorities: String?
    /// Proxies whose word counts on what certificate their client has (RFC 9440).
    package var certificateProxies: [IPNetwork] = []
    /// Proxies whose word counts on what address their client has, and the field that they say it in.
    package var clientAddressProxies: [IPNetwork] = []
    package var clientAddressField = ClientAddressField.xForwardedFor
    /// How long browsers are to come by TLS alone (RFC 6797), zero says nothing to them; nil is a year where the
    /// certificate is one of the operator's, and zero elsewhere.
    package var hstsMaxAge: Duration?
    /// Where `/metrics` is served, over plain HTTP; nil serves it nowhere.
    package var metricsPort: UInt16? = 9464
    /// Where metrics are served: they are for everybody who can connect.
    package var metricsAddress = "127.0.0.1"
    /// Nil reads `masterKeyFile`.
    var masterKey: MasterKey?
    /// Nil is `master.key` in the data folder, which is made when missing.
    package var masterKeyFile: String?
    package var mail = Mail.nowhere
    /// Event threads; nil takes one a processor.
    package var threads: Int?
    package var limits: HTTPLimits
    package var logFormat = Log.Format.text
    package var logLevel = Log.Level.info
    /// A line for every request.
    package var logsRequests = true
    /// How long running requests may take when the server stops.
    package var stopLimit: Duration = .seconds(10)
    /// PEM certificates of the authorities that other servers are trusted by: upstream providers, and clients that are
    /// told of logouts. Nil trusts the system's.
    package var trustedAuthorities: String?
    /// Steps that checking the authorization details of one request may take, by the patterns and rules of their schemas.
    package var detailsCheckSteps = DetailsCheckLimit.defaultSteps
    /// How long a request is kept after it expired, so that late polls are told so.
    package var retention: Duration = .seconds(600)

    /// Says which files the certificate came from, where it is one of the operator's.
    func tlsFailure(_ reason: String) -> SettingFailure {
        guard case .files(let certificate, let key) = tls else {
            return SettingFailure(setting: "tls", reason: "the local authority's certificate: \(reason)")
        }
        return SettingFailure(
            setting: "tls-certificate and tls-key",
            reason: "\(certificate) with \(key): \(reason). Both must be PEM: the server's certificate, then those "
                + "that vouch for it; and its own key, without a password")
    }

    /// Nobody is kept from a server whose certificate no browser knows: with `tls local` a browser that was told could
    /// not be let past it. Without TLS there is a proxy, which may say it itself.
    var transportSecurity: StrictTransportSecurity? {
        let isPublic = if case .files = tls { true } else { false }
        return StrictTransportSecurity(maxAge: hstsMaxAge ?? (isPublic ? Self.longMaxAge : .zero))
    }

    /// A year.
    private static let longMaxAge = Duration.seconds(31_536_000)

    /// Nil where mails go nowhere.
    var mailTransport: (any MailTransport)? {
        switch mail {
        case .nowhere: return nil
        case .folder(let path, let from): return MailFolder(path, from: from)
        case .smtp(var configuration):
            if let trustedAuthorities { configuration.trust = .file(trustedAuthorities) }
            return SMTPTransport(configuration)
        }
    }

    /// Addresses that this server may contact because a tenant configured them.
    var outgoingPolicy: OutgoingPolicy { OutgoingPolicy(allowing: outgoingNetworks ?? []) }

    /// How this server reaches others. What they answer is small; nobody waits long for it at a login page.
    var outgoing: CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        if let trustedAuthorities { configuration.trust = .file(trustedAuthorities) }
        configuration.connectTimeout = .seconds(5)
        configuration.responseLimit = 1 << 20
        configuration.trustAdvice = "Name the CA that signed it with --trusted-authorities."
        return configuration
    }

    /// How long a page may wait for a phone: so that it is answered before its exchange is cut off.
    package var pageHold: Duration { min(SecondFactor.longestHold, limits.exchangeDeadline * 4 / 5) }

    package init() {
        limits = HTTPLimits()
        // The longest that a tenant may have a token request held, and some.
        limits.exchangeDeadline = .seconds(310)
    }

    /// Takes the master key from a text of 43 characters of base64url or 64 hexadecimal digits, not from a file.
    /// Throws an error that says so where it is none.
    package mutating func useMasterKey(_ text: String) throws { masterKey = try MasterKey(text: text) }

    /// A secret from a file that nobody but its owner may open, without the line break at its end. Throws an error
    /// that says what is wrong with the file.
    package static func secret(file path: String) throws -> SecretBytes {
        var bytes = try PrivateFile.readSecret(path).bytes
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        return SecretBytes(bytes)
    }
}
