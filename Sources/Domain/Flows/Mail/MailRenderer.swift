package import AuthorizationCore
import Localization
import Primitives
import Templates

/// Finishes a mail with the tenant's template, or with the built-in layout.
package struct MailRenderer: Sendable {
    let configuration: TenantConfiguration
    let now: Timestamp

    /// User whose metadata the mail's template reads. Nil if it reads none, or if the mail does not go to the address of
    /// the user whom it names.
    package func metadataOwner(of mail: OutgoingMail) -> UserID? {
        guard template(for: mail)?.readsMetadata == true else { return nil }
        return Self.recipient(of: mail)
    }

    /// The user whom the mail names, if it goes to the user's address.
    private static func recipient(of mail: OutgoingMail) -> UserID? {
        guard let user = mail.values["user"], user["email"]?.stringValue == mail.to else { return nil }
        return user["user_id"]?.stringValue.map { UserID($0) }
    }

    /// The finished mail, and why the tenant's template was not used. A template that fails never stops a mail.
    package func finished(
        _ mail: OutgoingMail, metadata: UserMetadata = UserMetadata(), id: String
    ) -> (finished: FinishedMail, problem: String?) {
        guard let template = template(for: mail) else { return (builtIn(mail, id: id), nil) }
        do throws(TemplateFailure) {
            let finished = try finished(mail, template, values(for: mail, metadata), id: id)
            // A condition of the template may leave the link out.
            guard shows(finished, mail) else {
                return (builtIn(mail, id: id), "its template was not used: it does not show the link")
            }
            return (finished, nil)
        } catch {
            return (builtIn(mail, id: id), "its template was not used: \(error)")
        }
    }

    /// The tenant's template. By the operator's mail server, a tenant writes only to people who proved their address.
    private func template(for mail: OutgoingMail) -> MailTemplate? {
        mayBeOwn(mail) ? configuration.mail.template(mail.kinds) : nil
    }

    private func mayBeOwn(_ mail: OutgoingMail) -> Bool {
        configuration.mail.relay != nil || mail.recipient == .verified
    }

    private func shows(_ finished: FinishedMail, _ mail: OutgoingMail) -> Bool {
        guard let link = mail.link, mail.kinds.contains(where: \.needsLink) else { return true }
        return finished.text.contains(link)
    }

    private func builtIn(_ mail: OutgoingMail, id: String) -> FinishedMail {
        finished(mail, subject: mail.subject, html: layout(mail), text: mail.text, sender: nil, id: id)
    }

    private func layout(_ mail: OutgoingMail) -> String {
        let tenant = configuration.tenant
        var branding = tenant.settings.branding
        // A picture is a message, too.
        if !mayBeOwn(mail) { branding.logoURL = nil }
        return MailLayout(
            branding: branding, tenant: MailComposer.name(of: tenant, for: mail.recipient), language: mail.language
        )
        .html(of: mail)
    }

    private func finished(
        _ mail: OutgoingMail, subject: String, html: String, text: String, sender: Sender?, id: String
    ) -> FinishedMail {
        FinishedMail(
            to: mail.to, subject: subject, text: text, html: html, language: mail.language,
            senderName: sender?.name ?? MailComposer.name(of: configuration.tenant, for: mail.recipient),
            // The server's own mail server sends for its operator alone: no tenant names another sender there.
            sender: configuration.mail.relay.map { sender?.address ?? $0.from }, id: id)
    }

    private func finished(
        _ mail: OutgoingMail, _ template: MailTemplate, _ values: JSONObject, id: String
    ) throws(TemplateFailure) -> FinishedMail {
        func plain(_ template: Template?) throws(TemplateFailure) -> String? {
            try template?.rendered(with: values, own: MailValues.own, as: .plain, now: now)
        }
        let subject = try plain(template.subject) ?? mail.subject
        let sender = try plain(template.from).map { Sender($0) }
        let html = try template.body?.rendered(with: values, own: MailValues.own, as: .html, now: now)
        var text = mail.text
        if let html { text = try HTMLText.text(of: html) }
        return finished(mail, subject: subject, html: html ?? layout(mail), text: text, sender: sender, id: id)
    }

    private func values(for mail: OutgoingMail, _ metadata: UserMetadata) -> JSONObject {
        var values = mail.values
        let tenant = configuration.tenant
        values["tenant"] = .string(tenant.id.rawValue)
        values["friendly_name"] = .string(tenant.name)
        values["support_url"] = tenant.settings.links.support.map(JSONValue.string)
        values["support_email"] = configuration.mail.supportEmail.map(JSONValue.string)
        values["request_language"] = .string(mail.language.rawValue)
        values["custom_domain"] = customDomain(of: mail).map(JSONValue.object)
        values["application"] = .object(application(mail.values["application"]?.objectValue ?? [:]))
        if var user = values["user"]?.objectValue, Self.recipient(of: mail) != nil {
            user[MailValues.metadata.user] = .object(metadata.user)
            // An address that is not verified may be a stranger's.
            let isVerified = user["email_verified"] == .bool(true)
            user[MailValues.metadata.app] = .object(isVerified ? metadata.app : [:])
            values["user"] = .object(user)
        }
        if let link = mail.link {
            values["url"] = .string(link)
            values["link"] = .string(link)
        }
        return values
    }

    /// The custom domain that the mail's link leads to. Nil for the tenant's own name, and without a link.
    private func customDomain(of mail: OutgoingMail) -> JSONObject? {
        guard let link = mail.link,
            let domain = configuration.tenant.hosts.dropFirst().first(where: { link.hasPrefix("https://\($0)/") })
        else { return nil }
        return [
            "domain": .string(domain), "domain_metadata": .object(configuration.mail.domainMetadata[domain] ?? [:]),
        ]
    }

    /// The client that the mail names, or else the tenant.
    private func application(_ given: JSONObject) -> JSONObject {
        var application = given
        let client = given["client_id"]?.stringValue.flatMap { configuration.client(ClientID($0)) }
        if given["name"] == nil { application["name"] = .string(client?.name ?? configuration.tenant.name) }
        application["clientID"] = given["client_id"]
        // Auth0 documents it by two names.
        application["client_metadata"] = client?.additional["client_metadata"]
        application["metadata"] = client?.additional["client_metadata"]
        return application
    }

    /// `address`, or `name <address>`. An unreadable address counts as absent.
    struct Sender: Equatable {
        let name: String?
        let address: EmailAddress?

        init(_ text: String) {
            guard let start = text.lastIndex(of: "<"), text.hasSuffix(">") else {
                name = nil
                address = EmailAddress(parsing: text)
                return
            }
            let quoted = text[..<start].filter { $0 != "\"" && !$0.isNewline }
            let words = quoted.split(separator: " ").joined(separator: " ")
            name = words.isEmpty ? nil : words
            address = EmailAddress(parsing: String(text[text.index(after: start)...].dropLast()))
        }
    }
}
