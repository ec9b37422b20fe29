package import AuthorizationCore
package import Localization
package import Primitives

/// Writes the mails to users, in their language, and seals them.
package struct MailComposer: Sendable {
    /// Seconds for which delivery of a mail is tried.
    static let lifetime = 3600

    private let sealer: any Sealer

    package init(sealer: any Sealer) { self.sealer = sealer }

    package func sealed(_ mail: OutgoingMail, tenant: Tenant, now: Timestamp) throws -> SealedMail {
        SealedMail(
            tenant: tenant.id,
            sealed: try sealer.seal(JSONWriter.bytes(mail.json), context: Delivery.sealingContext(tenant: tenant.id)),
            createdAt: now, expiresAt: now + .seconds(Self.lifetime))
    }

    /// Reports too many wrong passwords, or wrong codes of the second factor, which follow a right first factor. `forAll`
    /// is true if the account is blocked from everywhere, not only from one address.
    func blocked(
        _ text: KeyPath<Texts.Mail, Texts.Mail.Blocked>, to email: EmailAddress, _ user: User, address: String,
        forAll: Bool, tenant: Tenant
    ) -> OutgoingMail {
        let compose = user.mailLanguage.texts.mail[keyPath: text]
        let link = "\(tenant.issuer)u/forgot-password"
        var mail = OutgoingMail(
            to: email, compose(Self.line(tenant.name), address, forAll, link), user.mailLanguage, link: link,
            [.blockedAccount], user)
        mail.values["user"] = mail.values["user"]?.objectValue.map { values in
            var values = values
            values["source_ip"] = .string(address)
            return .object(values)
        }
        return mail
    }

    func passwordReset(to email: EmailAddress, ticket: String, language: Language, tenant: Tenant) -> OutgoingMail {
        let link = "\(tenant.issuer)u/reset-password?ticket=\(ticket)"
        return OutgoingMail(
            to: email, language.texts.mail.passwordReset(Self.line(tenant.name), link), language, link: link,
            Self.passwordKinds, nil)
    }

    private static let passwordKinds: [MailTemplate.Kind] = [.resetEmail, .changePassword, .passwordReset]

    /// Goes to the address of a sign-up, which may be another person's.
    func signedUp(to email: EmailAddress, ticket: String, language: Language, tenant: Tenant) -> OutgoingMail {
        let link = "\(tenant.issuer)u/email-verification?ticket=\(ticket)"
        return OutgoingMail(
            to: email, language.texts.mail.signedUp(Self.line(tenant.name), link), language, link: link, [.verifyEmail],
            nil)
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

    /// `language` nil means the user's.
    package func mail(
        _ kind: Kind, to email: EmailAddress, _ user: User, link: String, language: Language?, tenant: Tenant
    ) -> OutgoingMail {
        let language = language ?? user.mailLanguage
        let texts = language.texts.mail
        let compose =
            switch kind {
            case .newPassword: texts.newPassword
            case .addressToConfirm: texts.addressToConfirm
            case .phoneToEnroll: texts.phoneToEnroll
            }
        return OutgoingMail(
            to: email, compose(Self.line(tenant.name), link), language, link: link, kind.templates, user)
    }

    /// Lists what a new password removed from an account whose address was not verified before.
    func accessRemoved(
        _ removed: RemovedAccess, from user: User, to email: EmailAddress, tenant: Tenant
    ) -> OutgoingMail {
        let texts = user.mailLanguage.texts.mail
        let lines =
            removed.devices.map { texts.removedPhone($0.name.outside) }
            + removed.identities.map { texts.removedIdentity($0.provider.outside) }
        let list = lines.map { "- \($0)" }.joined(separator: "\n")
        return OutgoingMail(
            to: email, texts.accessRemoved(Self.line(tenant.name), list), user.mailLanguage, link: nil, [], user)
    }

    /// Makes a name fit for a header.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}

extension User {
    fileprivate var mailLanguage: Language { language ?? .english }
}

extension OutgoingMail {
    /// `user` nil is for an address that may be a stranger's.
    fileprivate init(
        to email: EmailAddress, _ message: Texts.Mail.Message, _ language: Language, link: String?,
        _ kinds: [MailTemplate.Kind], _ user: User?
    ) {
        self.init(to: email.description, subject: message.subject, text: message.text)
        self.language = language
        self.link = link
        self.kinds = kinds
        values = ["user": .object(user?.mailValues ?? ["email": .string(email.description)])]
    }
}
