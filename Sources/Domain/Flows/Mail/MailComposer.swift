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
        let json: JSONValue = ["to": .string(mail.to), "subject": .string(mail.subject), "text": .string(mail.text)]
        return SealedMail(
            tenant: tenant.id,
            sealed: try sealer.seal(JSONWriter.bytes(json), context: Delivery.sealingContext(tenant: tenant.id)),
            createdAt: now, expiresAt: now + .seconds(Self.lifetime))
    }

    /// Reports too many wrong passwords, or wrong codes of the second factor, which follow a right first factor. `forAll`
    /// is true if the account is blocked from everywhere, not only from one address.
    func blocked(
        _ text: KeyPath<Texts.Mail, Texts.Mail.Blocked>, to email: EmailAddress, _ user: User, address: String,
        forAll: Bool, tenant: Tenant
    ) -> OutgoingMail {
        let compose = user.texts[keyPath: text]
        return OutgoingMail(
            to: email, compose(Self.line(tenant.name), address, forAll, "\(tenant.issuer)u/forgot-password"))
    }

    func passwordReset(to email: EmailAddress, ticket: String, language: Language, tenant: Tenant) -> OutgoingMail {
        let link = "\(tenant.issuer)u/reset-password?ticket=\(ticket)"
        return OutgoingMail(to: email, language.texts.mail.passwordReset(Self.line(tenant.name), link))
    }

    /// Goes to the address of a sign-up, which may be another person's.
    func signedUp(to email: EmailAddress, ticket: String, language: Language, tenant: Tenant) -> OutgoingMail {
        let link = "\(tenant.issuer)u/email-verification?ticket=\(ticket)"
        return OutgoingMail(to: email, language.texts.mail.signedUp(Self.line(tenant.name), link))
    }

    /// Mails with a link that an operator made.
    package enum Kind: Sendable, CaseIterable {
        case newPassword
        case addressToConfirm
        case phoneToEnroll
    }

    /// `language` nil means the user's.
    package func mail(
        _ kind: Kind, to email: EmailAddress, _ user: User, link: String, language: Language?, tenant: Tenant
    ) -> OutgoingMail {
        let texts = language?.texts.mail ?? user.texts
        let compose =
            switch kind {
            case .newPassword: texts.newPassword
            case .addressToConfirm: texts.addressToConfirm
            case .phoneToEnroll: texts.phoneToEnroll
            }
        return OutgoingMail(to: email, compose(Self.line(tenant.name), link))
    }

    /// Lists what a new password removed from an account whose address was not verified before.
    func accessRemoved(
        _ removed: RemovedAccess, from user: User, to email: EmailAddress, tenant: Tenant
    ) -> OutgoingMail {
        let lines =
            removed.devices.map { user.texts.removedPhone(Self.line($0.name)) }
            + removed.identities.map { user.texts.removedIdentity(Self.line($0.provider)) }
        let list = lines.map { "- \($0)" }.joined(separator: "\n")
        return OutgoingMail(to: email, user.texts.accessRemoved(Self.line(tenant.name), list))
    }

    /// Makes a name fit for a header.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}

extension User {
    fileprivate var texts: Texts.Mail { (language ?? .english).texts.mail }
}

extension OutgoingMail {
    fileprivate init(to email: EmailAddress, _ message: Texts.Mail.Message) {
        self.init(to: email.description, subject: message.subject, text: message.text)
    }
}
