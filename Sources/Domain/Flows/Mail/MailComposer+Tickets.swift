package import AuthorizationCore
package import OAuthWire

extension MailComposer {
    /// Mails that bring a link which an operator made.
    package enum Letter: Sendable {
        case newPassword
        case addressToConfirm
        case phoneToEnroll
    }

    /// In `language`. Nil takes the user's.
    package func letter(
        _ letter: Letter, to email: EmailAddress, _ user: User, link: String, language: Language?, tenant: Tenant
    ) -> OutgoingMail {
        let name = Self.line(tenant.name)
        let (subject, text) = Self.texts(letter, name: name)
        let language = language ?? user.language ?? .english
        return OutgoingMail(
            to: email.description, subject: subject[language],
            text: "\(text[language])\n\n\(link)\n\n\(Self.mistaken[language])")
    }

    private static let mistaken = LocalizedText(
        en: "If you did not expect this mail, ignore it: nothing changes.",
        fr: "Si vous n'attendiez pas ce message, ignorez-le : rien ne change.")

    private static func texts(_ letter: Letter, name: String) -> (subject: LocalizedText, text: LocalizedText) {
        switch letter {
        case .newPassword:
            (
                LocalizedText(en: "\(name): set a password", fr: "\(name) : choisir un mot de passe"),
                LocalizedText(
                    en: "This link sets the password of your account at \(name), once:",
                    fr: "Ce lien permet de choisir, une fois, le mot de passe de votre compte chez \(name) :")
            )
        case .addressToConfirm:
            (
                LocalizedText(en: "\(name): confirm your address", fr: "\(name) : confirmer votre adresse"),
                LocalizedText(
                    en: "This link confirms that this is the address of your account at \(name):",
                    fr: "Ce lien confirme que cette adresse est celle de votre compte chez \(name) :")
            )
        case .phoneToEnroll:
            (
                LocalizedText(en: "\(name): add your phone", fr: "\(name) : ajouter votre téléphone"),
                LocalizedText(
                    en:
                        "This link adds a phone to your account at \(name). Open it on another screen:",
                    fr: "Ce lien ajoute un téléphone à votre compte chez \(name). Ouvrez-le sur un autre écran :")
            )
        }
    }
}
