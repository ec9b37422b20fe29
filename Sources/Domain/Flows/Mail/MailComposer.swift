package import AuthorizationCore
import OAuthWire
package import Primitives

/// Writes the mails to users, in their language, and seals them.
package struct MailComposer: Sendable {
    /// Seconds that a mail is tried. It is of no use afterwards.
    static let lifetime = 3600

    private let sealer: any Sealer

    package init(sealer: any Sealer) { self.sealer = sealer }

    package func sealed(_ mail: OutgoingMail, tenant: Tenant, now: Timestamp) throws -> SealedMail {
        let json: JSONValue = ["to": .string(mail.to), "subject": .string(mail.subject), "text": .string(mail.text)]
        return SealedMail(
            tenant: tenant.id,
            sealed: try sealer.seal(JSONWriter.bytes(json), context: SealedMail.sealingContext(tenant: tenant.id)),
            createdAt: now, expiresAt: now + .seconds(Self.lifetime))
    }

    /// `forAll`: the account is blocked from everywhere, not from one address alone.
    func accountBlocked(
        to email: EmailAddress, _ user: User, address: String, forAll: Bool, tenant: Tenant
    ) -> OutgoingMail {
        let name = Self.line(tenant.name)
        let reset = "\(tenant.issuer)u/forgot-password"
        switch user.language ?? .english {
        case .english:
            let scope = forAll ? "from everywhere" : "from the address \(address)"
            return OutgoingMail(
                to: email.description, subject: "\(name): login blocked",
                text: """
                    There were too many wrong passwords for your account at \(name), the last one from the address \
                    \(address). Logging in with your password is blocked \(scope) for a while.

                    If this was you, wait or set a new password: \(reset)
                    If it was not, your password still holds; you need not do anything.
                    """)
        case .french:
            let scope = forAll ? "de partout" : "depuis l'adresse \(address)"
            return OutgoingMail(
                to: email.description, subject: "\(name) : connexion bloquée",
                text: """
                    Il y a eu trop de mots de passe incorrects pour votre compte chez \(name), le dernier depuis \
                    l'adresse \(address). La connexion par mot de passe est bloquée \(scope) pour un moment.

                    Si c'était vous, patientez ou choisissez un nouveau mot de passe : \(reset)
                    Sinon, votre mot de passe a tenu ; vous n'avez rien à faire.
                    """)
        }
    }

    /// About the second factor: the person who tried it has passed the first.
    func secondFactorBlocked(
        to email: EmailAddress, _ user: User, address: String, forAll: Bool, tenant: Tenant
    ) -> OutgoingMail {
        let name = Self.line(tenant.name)
        let reset = "\(tenant.issuer)u/forgot-password"
        switch user.language ?? .english {
        case .english:
            let scope = forAll ? "from everywhere" : "from the address \(address)"
            return OutgoingMail(
                to: email.description, subject: "\(name): login blocked",
                text: """
                    There were too many wrong codes for your account at \(name), the last one from the address \
                    \(address). Logging in with a code is blocked \(scope) for a while.

                    If this was you, wait, or log in with your phone.
                    If it was not, somebody got as far as the code, and so knows your password or has the account that \
                    you log in with. Set a new password: \(reset)
                    """)
        case .french:
            let scope = forAll ? "de partout" : "depuis l'adresse \(address)"
            return OutgoingMail(
                to: email.description, subject: "\(name) : connexion bloquée",
                text: """
                    Il y a eu trop de codes incorrects pour votre compte chez \(name), le dernier depuis l'adresse \
                    \(address). La connexion par code est bloquée \(scope) pour un moment.

                    Si c'était vous, patientez ou connectez-vous avec votre téléphone.
                    Sinon, quelqu'un est arrivé jusqu'au code, et connaît donc votre mot de passe ou possède le compte \
                    avec lequel vous vous connectez. Choisissez un nouveau mot de passe : \(reset)
                    """)
        }
    }

    func passwordReset(
        to email: EmailAddress, ticket: String, language: Language, tenant: Tenant
    ) -> OutgoingMail {
        let name = Self.line(tenant.name)
        let link = "\(tenant.issuer)u/reset-password?ticket=\(ticket)"
        switch language {
        case .english:
            return OutgoingMail(
                to: email.description, subject: "\(name): set a new password",
                text: """
                    Someone, hopefully you, asked for a new password for your account at \(name). This link sets it, \
                    once, within an hour:

                    \(link)

                    If it was not you, ignore this mail: nothing changes.
                    """)
        case .french:
            return OutgoingMail(
                to: email.description, subject: "\(name) : choisir un nouveau mot de passe",
                text: """
                    Quelqu'un, sans doute vous, a demandé un nouveau mot de passe pour votre compte chez \(name). Ce \
                    lien permet de le choisir, une fois, dans l'heure :

                    \(link)

                    Si ce n'était pas vous, ignorez ce message : rien ne change.
                    """)
        }
    }

    /// To the address that an account was signed up with.
    func signedUp(to email: EmailAddress, ticket: String, language: Language, tenant: Tenant) -> OutgoingMail {
        let name = Self.line(tenant.name)
        let link = "\(tenant.issuer)u/email-verification?ticket=\(ticket)"
        switch language {
        case .english:
            return OutgoingMail(
                to: email.description, subject: "\(name): confirm your address",
                text: """
                    Someone, hopefully you, signed up at \(name) with this address. This link confirms it, once, within \
                    24 hours:

                    \(link)

                    If it was not you, do not confirm it: ignore this mail.
                    """)
        case .french:
            return OutgoingMail(
                to: email.description, subject: "\(name) : confirmer votre adresse",
                text: """
                    Quelqu'un, sans doute vous, s'est inscrit chez \(name) avec cette adresse. Ce lien permet de la \
                    confirmer, une fois, sous 24 heures :

                    \(link)

                    Si ce n'était pas vous, ne la confirmez pas : ignorez ce message.
                    """)
        }
    }

    /// A name as it may stand in a header.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
