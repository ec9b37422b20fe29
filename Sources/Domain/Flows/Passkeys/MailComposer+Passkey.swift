import AuthorizationCore
import Localization
import OAuthWire

extension MailComposer {
    /// Tells the person of a new passkey. Nil for a person without an address.
    func passkeyAdded(_ passkey: OwnedPasskey, to user: User, _ context: RequestContext) throws -> SealedMail? {
        try notice(user, context) { texts, tenant, link in
            texts.added(tenant, passkey.name.outside, passkey.logsIn, link)
        }
    }

    func passkeyRemoved(_ passkey: OwnedPasskey, to user: User, _ context: RequestContext) throws -> SealedMail? {
        try notice(user, context) { texts, tenant, link in texts.removed(tenant, passkey.name.outside, link) }
    }

    private func notice(
        _ user: User, _ context: RequestContext,
        _ message: (_ texts: Texts.Passkeys, _ tenant: String, _ link: String) -> Texts.Mail.Message
    ) throws -> SealedMail? {
        guard let email = user.noticeAddress else { return nil }
        let link = Self.link(AccountPath.passkeys.url(below: context.tenant.issuer), in: user.language)
        let mail = change(to: email, user, link: link, tenant: context.tenant) { texts, tenant in
            message(texts.passkeys, tenant, link)
        }
        return try sealed(mail, tenant: context.tenant, now: context.now)
    }
}
