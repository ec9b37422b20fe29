package import AuthorizationCore
package import Localization
import OAuthWire
package import Primitives
import Templates

/// Writes the mails to users, in their language, and seals them.
package struct MailComposer: Sendable {
    /// Seconds for which delivery of a mail is tried, unless its link works longer.
    static let lifetime = 3600

    let sealer: any Sealer

    /// `lifetime` nil is for a mail that is soon of no use.
    package func sealed(
        _ mail: OutgoingMail, lifetime: Int? = nil, tenant: Tenant, now: Timestamp
    ) throws -> SealedMail {
        SealedMail(
            tenant: tenant.id, user: mail.account,
            sealed: try sealer.seal(JSONWriter.bytes(mail.json), context: Delivery.sealingContext(tenant: tenant.id)),
            createdAt: now, expiresAt: now + .seconds(lifetime ?? Self.lifetime))
    }

    /// Reports too many wrong passwords, or wrong codes of the second factor, which follow a right first factor. `forAll`
    /// is true if the account is blocked from everywhere, not only from one address. An address that is not verified may
    /// be a stranger's.
    func blocked(
        _ text: KeyPath<Texts.Mail, Texts.Mail.Blocked>, to email: EmailAddress, _ user: User, address: String,
        forAll: Bool, client: ClientID?, tenant: Tenant
    ) -> OutgoingMail {
        let compose = user.mailLanguage.texts.mail[keyPath: text]
        return warning(to: email, user, address: address, client: client, tenant: tenant) { tenant, link in
            compose(tenant, address, forAll, link)
        }
    }

    /// Follows a login that the person reported on the phone as not asked for.
    func loginReported(
        to email: EmailAddress, _ user: User, address: String, client: ClientID?, tenant: Tenant
    ) -> OutgoingMail {
        let compose = user.mailLanguage.texts.mail.loginReported
        return warning(to: email, user, address: address, client: client, tenant: tenant) { tenant, link in
            compose(tenant, address, link)
        }
    }

    /// Follows a phone that another phone of the person added.
    func phoneAdded(_ name: String, to email: EmailAddress, _ user: User, tenant: Tenant) -> OutgoingMail {
        let link = AccountPath.start.url(below: tenant.issuer)
        return change(to: email, user, link: link, tenant: tenant) { texts, tenant in
            texts.ways.phoneAdded(tenant, name.outside, link)
        }
    }

    /// Tells of a change of what the person logs in with. `notice` is its sentence.
    func accountChanged(
        _ notice: (Texts.Mail.Notice) -> String, to email: EmailAddress, _ user: User, address: String?, tenant: Tenant
    ) -> OutgoingMail {
        let link = Self.newPassword(tenant)
        return change(to: email, user, link: link, tenant: tenant) { texts, tenant in
            texts.mail.notice.message(tenant, notice(texts.mail.notice), address ?? "–", link)
        }
    }

    /// Tells an administrator that an import of users is done. It links to the dashboard.
    package func usersImported(
        inserted: Int, updated: Int, failed: Int, to email: EmailAddress, _ user: User, tenant: Tenant
    ) -> OutgoingMail {
        let link = "\(tenant.issuer)\(DashboardPath.root.dropFirst())"
        return change(to: email, user, link: link, tenant: tenant) { texts, tenant in
            texts.mail.usersImported(tenant, inserted, updated, failed, link)
        }
    }

    /// Tells the person of a change of what proves them. It links to where they undo it.
    func change(
        to email: EmailAddress, _ user: User, link: String, tenant: Tenant,
        _ message: (_ texts: Texts, _ tenant: String) -> Texts.Mail.Message
    ) -> OutgoingMail {
        let recipient = MailRecipient(email, of: user, isNamedByOperator: false)
        return OutgoingMail(
            to: email, recipient, message(user.mailLanguage.texts, Self.name(of: tenant, for: recipient)),
            user.mailLanguage, link: link, [], user, nil)
    }

    private static func newPassword(_ tenant: Tenant) -> String { "\(tenant.issuer)u/forgot-password" }

    /// A mail about the account and a network address. It links to a new password.
    private func warning(
        to email: EmailAddress, _ user: User, address: String, client: ClientID?, tenant: Tenant,
        _ message: (_ tenant: String, _ link: String) -> Texts.Mail.Message
    ) -> OutgoingMail {
        let link = Self.newPassword(tenant)
        let recipient = MailRecipient(email, of: user, isNamedByOperator: false)
        var mail = OutgoingMail(
            to: email, recipient,
            message(Self.name(of: tenant, for: recipient), link), user.mailLanguage, link: link, [.blockedAccount],
            user, client,
            showsUser: user.emailVerified && user.has(email))
        mail.values["user"] = mail.values["user"]?.objectValue.map { values in
            var values = values
            values["source_ip"] = .string(address)
            return .object(values)
        }
        return mail
    }

    /// `isVerified` is false for an address that may be a stranger's.
    func passwordReset(
        to email: EmailAddress, isVerified: Bool, ticket: String, language: Language, client: ClientID?, tenant: Tenant
    ) -> OutgoingMail {
        let link = "\(tenant.issuer)u/reset-password?ticket=\(ticket)"
        let (texts, recipient) = (language.texts.mail, isVerified ? MailRecipient.verified : .unverified)
        return OutgoingMail(
            to: email, recipient, texts.passwordReset(Self.name(of: tenant, for: recipient), link),
            language, link: link,
            button: texts.setPassword, Self.passwordKinds, nil, client)
    }

    private static let passwordKinds: [MailTemplate.Kind] = [.resetEmail, .changePassword, .passwordReset]

    /// Goes to the address of a sign-up, which may be another person's.
    func signedUp(
        to email: EmailAddress, ticket: String, language: Language, client: ClientID?, tenant: Tenant
    ) -> OutgoingMail {
        let link = "\(tenant.issuer)u/email-verification?ticket=\(ticket)"
        let texts = language.texts.mail
        return OutgoingMail(
            to: email, .unverified, texts.signedUp(Self.name(of: tenant, for: .unverified), link), language, link: link,
            button: texts.confirmAddress, [.verifyEmail], nil, client)
    }

    /// Mails with a link that an operator made.
    package enum Kind: Sendable, CaseIterable {
        case newPassword
        case addressToConfirm
        case phoneToEnroll

        fileprivate var templates: [MailTemplate.Kind] {
            switch self {
            case .newPassword: passwordKinds
            case .addressToConfirm: [.verifyEmail]
            case .phoneToEnroll: [.enrollment]
            }
        }
    }

    /// `language` nil means the user's. The link works for `lifetime` seconds. `client` nil is for a link that is for
    /// no client. A mail to another address than the user's has none of the user's values. `isNamedByOperator` is true if
    /// the operator of the server chose the address.
    package func mail(
        _ kind: Kind, to email: EmailAddress, _ user: User, isNamedByOperator: Bool, link: String, lifetime: Int,
        language: Language?, client: ClientID? = nil, tenant: Tenant
    ) -> OutgoingMail {
        let known = language ?? user.language
        let language = known ?? .english
        let link = Self.link(link, in: known)
        let recipient = MailRecipient(email, of: user, isNamedByOperator: isNamedByOperator)
        let (name, texts) = (Self.name(of: tenant, for: recipient), language.texts.mail)
        let message: Texts.Mail.Message
        let button: String
        switch kind {
        case .newPassword: (message, button) = (texts.newPassword(name, link), texts.setPassword)
        case .addressToConfirm: (message, button) = (texts.addressToConfirm(name, link), texts.confirmAddress)
        case .phoneToEnroll:
            let account = user.has(email) ? nil : user.accountName.outside
            message = texts.phoneToEnroll(name, account, link, lifetime)
            button = texts.addPhone
        }
        return OutgoingMail(
            to: email, recipient, message, language,
            link: link, button: button, kind.templates, user, client,
            showsUser: user.has(email))
    }

    /// A page's address in the mail's language, so that page and mail agree. Nil leaves the choice to the browser.
    static func link(_ address: String, in language: Language?) -> String {
        language.map { "\(address)\(address.contains("?") ? "&" : "?")ui_locales=\($0.rawValue)" } ?? address
    }

    /// Lists what a new password removed from an account whose address was not verified before. The link to the new
    /// password proved it.
    func accessRemoved(
        _ removed: RemovedAccess, from user: User, to email: EmailAddress, tenant: Tenant
    ) -> OutgoingMail {
        let texts = user.mailLanguage.texts.mail
        let lines =
            removed.devices.map { texts.removedPhone($0.name.outside) }
            + removed.passkeys.map { user.mailLanguage.texts.passkeys.removedWithPassword($0.outside) }
            + removed.authenticators.map { name in
                let kind = user.mailLanguage.texts.account.phones.authenticator
                return name.map { "\(kind): \($0.outside)" } ?? kind
            }
            + removed.identities.map { texts.removedIdentity($0.provider.outside) }
        let list = lines.map { "- \($0)" }.joined(separator: "\n")
        return OutgoingMail(
            to: email, .verified, texts.accessRemoved(Self.line(tenant.name), list), user.mailLanguage, link: nil, [],
            user, nil)
    }

    /// Makes a name fit for a header.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    /// The tenant's name as a mail shows it. To strangers it must not be a message of its own, so it is short, and a mail
    /// program makes no link of it.
    static func name(of tenant: Tenant, for recipient: MailRecipient) -> String {
        guard recipient != .verified else { return line(tenant.name) }
        return String(String.UnicodeScalarView(tenant.name.unicodeScalars.prefix(60))).visible
    }
}

extension User {
    /// Address for notices of changes. Nil unless it is verified: anybody may sign up with another person's address, and
    /// must not fill that mailbox by changing things.
    var noticeAddress: EmailAddress? { emailVerified ? email : nil }

    fileprivate var mailLanguage: Language { language ?? .english }

    fileprivate func has(_ address: EmailAddress) -> Bool { email == address }
}

extension OutgoingMail {
    /// `user` nil is for an address that may be a stranger's. `showsUser` is false if templates get no values of the
    /// user but the address.
    fileprivate init(
        to email: EmailAddress, _ recipient: MailRecipient, _ message: Texts.Mail.Message, _ language: Language,
        link: String?, button: String? = nil, _ kinds: [MailTemplate.Kind], _ user: User?, _ client: ClientID?,
        showsUser: Bool = true
    ) {
        self.init(to: email.description, recipient: recipient, subject: message.subject, text: message.text)
        self.language = language
        self.link = link
        self.button = button
        self.kinds = kinds
        account = user?.id
        let user = showsUser ? user : nil
        // A stranger's mail names the database, where an account would be made.
        let connection = user?.connection ?? LoginConnection.defaultDatabaseName
        values = [
            "user": .object(user?.mailValues ?? ["email": .string(email.description)]),
            "connection": ["name": .string(connection)],
        ]
        if let client { values["application"] = ["client_id": .string(client.rawValue)] }
    }
}
