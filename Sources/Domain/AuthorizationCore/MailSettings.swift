package import Primitives
import Templates

/// A tenant's e-mail provider and templates, ready to send.
package struct MailSettings: Sendable {
    /// The tenant's own mail server. Nil means the server's.
    package var relay: MailRelay?
    /// Why the stored provider is not used. Nil if it is used, or if there is none.
    package var unusedProvider: String?
    /// Enabled templates.
    package var templates: [MailTemplate.Kind: MailTemplate] = [:]

    package init() {}

    /// The first of the kinds for which the tenant has a template.
    package func template(_ kinds: [MailTemplate.Kind]) -> MailTemplate? {
        kinds.lazy.compactMap { templates[$0] }.first
    }

    /// A member that cannot be used.
    package struct Problem: Error, Sendable, Equatable, CustomStringConvertible {
        package let member, text: String

        package init(_ member: String, _ text: String) {
            self.member = member
            self.text = text
        }

        package var description: String { "\(member) \(text)" }
    }

    package static let senderMember = "default_from_address"
}

/// A tenant's mail server. Connections to it use TLS, and go only where the policy for tenants' addresses permits.
package struct MailRelay: Sendable {
    package enum Login: Sendable {
        case none
        case password(user: String, SecretBytes)
        /// The password of Amazon's SMTP interface is derived from the secret of the access key.
        case amazon(user: String, secret: SecretBytes, region: String)
    }

    package let host: String
    /// At 465, TLS begins with the first byte (RFC 8314). At others, STARTTLS is required.
    package let port: UInt16
    package let login: Login
    /// Sender of mails whose template names none, and recipient of bounces.
    package let from: EmailAddress

    package init(host: String, port: UInt16, login: Login, from: EmailAddress) {
        self.host = host
        self.port = port
        self.login = login
        self.from = from
    }

    package static let implicitPort: UInt16 = 465

    package var url: String { "\(port == Self.implicitPort ? "smtps" : "smtp")://\(host):\(port)" }

    package func account(_ hashing: some Hashing) -> (user: String, password: SecretBytes)? {
        switch login {
        case .none: return nil
        case .password(let user, let password): return (user, password)
        case .amazon(let user, let secret, let region):
            var key = Array("AWS4".utf8) + secret.bytes
            for part in ["11111111", region, "ses", "aws4_request", "SendRawEmail"] {
                key = hashing.hmac(.sha256, key: key, Array(part.utf8))
            }
            // The first byte is the version of the derivation.
            return (user, SecretBytes(utf8: Base64.encode([4] + key)))
        }
    }
}

extension EmailProvider {
    /// False for services that take mail only by an interface of their own.
    package var hasRelay: Bool {
        switch self {
        case .mandrill, .sendgrid, .resend, .sparkpost, .ses, .smtp: true
        case .mailgun, .azure, .microsoft365, .custom: false
        }
    }

    /// Server and account of the provider. Nil if it is not spoken to by SMTP. `credentials` has the secrets.
    package func relay(_ document: JSONObject, _ credentials: JSONObject) throws(MailSettings.Problem) -> MailRelay? {
        func text(_ name: String) -> String? { credentials[name]?.stringValue }
        func secret(_ name: String) -> SecretBytes { SecretBytes(utf8: text(name) ?? "") }
        var (host, port): (String, UInt16) = ("", 587)
        var login = MailRelay.Login.none
        switch self {
        case .mandrill: (host, login) = ("smtp.mandrillapp.com", .password(user: "countersign", secret("api_key")))
        case .sendgrid: (host, login) = ("smtp.sendgrid.net", .password(user: "apikey", secret("api_key")))
        case .resend: (host, login) = ("smtp.resend.com", .password(user: "resend", secret("api_key")))
        case .sparkpost:
            host = text("region") == "eu" ? "smtp.eu.sparkpostmail.com" : "smtp.sparkpostmail.com"
            login = .password(user: "SMTP_Injection", secret("api_key"))
        case .ses:
            let region = text("region") ?? ""
            guard (1...32).contains(region.utf8.count), region.utf8.allSatisfy(Self.isOfLabel) else {
                throw MailSettings.Problem("credentials.region", "must be a region such as eu-west-1")
            }
            host = "email-smtp.\(region).amazonaws.com"
            login = .amazon(user: text("accessKeyId") ?? "", secret: secret("secretAccessKey"), region: region)
        case .smtp:
            host = text("smtp_host") ?? ""
            guard Self.isHost(host) else {
                throw MailSettings.Problem("credentials.smtp_host", "must be the name of a mail server, without a port")
            }
            port = credentials["smtp_port"]?.intValue.flatMap(UInt16.init(exactly:)) ?? 587
            if let user = text("smtp_user") { login = .password(user: user, secret("smtp_pass")) }
        case .mailgun, .azure, .microsoft365, .custom: return nil
        }
        guard let from = document[MailSettings.senderMember]?.stringValue.flatMap({ EmailAddress(parsing: $0) }) else {
            throw MailSettings.Problem(
                MailSettings.senderMember, "must be the e-mail address that the provider may send from")
        }
        return MailRelay(host: host, port: port, login: login, from: from)
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
    }

    /// A name or an IPv4 address. Its address is judged when it is connected to.
    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.lowercased().split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isOfLabel)
                    && label.first != "-" && label.last != "-"
            }
    }
}
