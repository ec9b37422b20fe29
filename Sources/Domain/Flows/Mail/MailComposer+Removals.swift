import AuthorizationCore
import OAuthWire

extension MailComposer {
    /// Says what a new password took from an account whose address was not proven before.
    func accessRemoved(
        _ removed: RemovedAccess, from user: User, to email: EmailAddress, tenant: Tenant
    ) -> OutgoingMail {
        let name = Self.line(tenant.name)
        let language = user.language ?? .english
        let lines =
            removed.devices.map { device in
                LocalizedText(en: "phone: \(Self.line(device.name))", fr: "téléphone : \(Self.line(device.name))")
            }
            + removed.identities.map { identity in
                LocalizedText(
                    en: "account at another provider: \(Self.line(identity.provider))",
                    fr: "compte chez un autre fournisseur : \(Self.line(identity.provider))")
            }
        let list = lines.map { "- \($0[language])" }.joined(separator: "\n")
        switch language {
        case .english:
            return OutgoingMail(
                to: email.description, subject: "\(name): a new password, and what was removed",
                text: """
                    Your account at \(name) has a new password, and this address is now confirmed as yours. Somebody \
                    else could have added the following while it was not, so it was removed:

                    \(list)

                    Add again what is yours. If you did not set a new password, contact the people who run \(name).
                    """)
        case .french:
            return OutgoingMail(
                to: email.description, subject: "\(name) : nouveau mot de passe, et ce qui a été retiré",
                text: """
                    Votre compte chez \(name) a un nouveau mot de passe, et il est désormais confirmé que cette adresse \
                    est la vôtre. Tant qu'elle ne l'était pas, quelqu'un d'autre a pu ajouter ce qui suit ; cela a donc \
                    été retiré :

                    \(list)

                    Ajoutez de nouveau ce qui est à vous. Si vous n'avez pas choisi de nouveau mot de passe, contactez le \
                    responsable de \(name).
                    """)
        }
    }
}
