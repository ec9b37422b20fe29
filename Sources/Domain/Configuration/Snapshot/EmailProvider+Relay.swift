package import AuthorizationCore
package import Primitives

extension EmailProvider {
    /// Member of a provider's document that has the credentials.
    package static let credentialsMember = "credentials"

    /// Server and account of the provider. Nil if it is not spoken to by SMTP. `credentials` has the secrets.
    package func relay(_ document: JSONObject, _ credentials: JSONObject) throws(DocumentProblem) -> MailRelay? {
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
                throw DocumentProblem(
                    path: "\(Self.credentialsMember).region", message: "must be a region such as eu-west-1")
            }
            host = "email-smtp.\(region).amazonaws.com"
            login = .amazon(user: text("accessKeyId") ?? "", secret: secret("secretAccessKey"), region: region)
        case .smtp:
            host = text("smtp_host") ?? ""
            guard Self.isHost(host) else {
                throw DocumentProblem(
                    path: "\(Self.credentialsMember).smtp_host",
                    message: "must be the name of a mail server, without a port")
            }
            port = credentials["smtp_port"]?.intValue.flatMap(UInt16.init(exactly:)) ?? 587
            if let user = text("smtp_user") { login = .password(user: user, secret("smtp_pass")) }
        case .mailgun, .azure, .microsoft365, .custom: return nil
        }
        guard let from = document[MailSettings.senderMember]?.stringValue.flatMap({ EmailAddress(parsing: $0) }) else {
            throw DocumentProblem(
                path: MailSettings.senderMember, message: "must be the e-mail address that the provider may send from")
        }
        return MailRelay(host: host, port: port, login: login, from: from)
    }

    private static func isOfLabel(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "-")
    }

    /// A host name or an IPv4 address. The policy checks the address of each connection.
    private static func isHost(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.lowercased().split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isOfLabel)
                    && label.first != "-" && label.last != "-"
            }
    }
}
