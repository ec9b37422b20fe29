package import Primitives

/// A tenant's e-mail provider and templates, and the settings that mails show, ready to send.
package struct MailSettings: Sendable {
    /// The tenant's own mail server. Nil means the server's.
    package var relay: MailRelay?
    /// Why the stored provider is not used. Nil if it is used, or if there is none.
    package var unusedProvider: String?
    /// Enabled templates.
    package var templates: [MailTemplate.Kind: MailTemplate] = [:]
    /// Value of templates.
    package var supportEmail: String?
    /// Metadata of custom domains, by their names. Values of templates.
    package var domainMetadata: [String: JSONObject] = [:]

    package init() {}

    /// The first of the kinds for which the tenant has a template.
    package func template(_ kinds: [MailTemplate.Kind]) -> MailTemplate? {
        kinds.lazy.compactMap { templates[$0] }.first
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
