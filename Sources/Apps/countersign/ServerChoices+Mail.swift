import CountersignServer
import Primitives
import SMTPTransport
import Terminal

extension ServerChoices {
    /// Fits the settings of mail together; `password` is the one of the environment.
    mutating func joinMail(password: String?) throws(UsageError) {
        var from: MailAddress?
        if let mailFrom {
            guard let address = MailAddress(mailFrom) else {
                throw UsageError("mail-from must be a mail address such as login@example.com, not \(mailFrom)")
            }
            from = address
        }
        switch (smtpURL, mailFolder) {
        case (nil, nil): settings.mail = .nowhere
        case (nil, let folder?): settings.mail = .folder(folder, from: from ?? Self.developmentSender)
        case (.some, .some): throw UsageError("smtp-url and mail-folder exclude each other")
        case (let url?, nil):
            guard let from else {
                throw UsageError("smtp-url needs a sender", hint: "set mail-from to a mail address")
            }
            guard var smtp = SMTPTransport.Configuration(url: url, from: from) else {
                throw UsageError("smtp-url must be smtp://HOST[:PORT] or smtps://HOST[:PORT], without anything else")
            }
            smtp.user = smtpUser
            smtp.password = try smtpPassword(password)
            settings.mail = .smtp(smtp)
            return
        }
        guard smtpUser == nil, smtpPasswordFile == nil else {
            throw UsageError("smtp-user and smtp-password-file are for smtp-url")
        }
    }

    private func smtpPassword(_ text: String?) throws(UsageError) -> SecretBytes? {
        var password: SecretBytes?
        if let text, !text.isEmpty { password = SecretBytes(utf8: text) }
        if let smtpPasswordFile {
            guard password == nil else {
                throw UsageError("\(smtpPasswordVariable) and smtp-password-file exclude each other")
            }
            do {
                password = try ServerSettings.secret(file: smtpPasswordFile)
            } catch {
                throw UsageError("smtp-password-file: \(error)")
            }
        }
        guard (password == nil) == (smtpUser == nil) else {
            throw UsageError(
                "smtp-user needs a password, and a password a user",
                hint: "set smtp-password-file or \(smtpPasswordVariable)")
        }
        return password
    }

    /// What a development server does where nothing else was said: its mails can be read in the data folder.
    mutating func keepDevelopmentMail() {
        guard case .nowhere = settings.mail else { return }
        settings.mail = .folder(settings.dataFolder + "/mail", from: Self.developmentSender)
    }

    private static var developmentSender: MailAddress { MailAddress(localPart: "countersign") }
}
