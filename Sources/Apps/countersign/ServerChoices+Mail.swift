import AuthorizationCore
import CountersignServer
import Primitives
import SMTPTransport
import Terminal

extension ServerChoices {
    /// Combines the mail settings. `password` is the one from the environment.
    mutating func joinMail(password: String?) throws(UsageError) {
        var from: MailAddress?
        if let mailFrom {
            let folded = EmailAddress(parsing: mailFrom).flatMap { MailAddress($0.description) }
            guard let address = MailAddress(mailFrom) ?? folded else {
                throw UsageError("mail-from must be a mail address, such as login@example.com, not \(mailFrom)")
            }
            from = address
        }
        switch (smtpURL, mailFolder) {
        case (nil, nil): settings.mail = .nowhere
        case (nil, let folder?): settings.mail = .folder(folder, from: from ?? ServerSettings.developmentSender)
        case (.some, .some): throw UsageError("set either smtp-url or mail-folder, not both")
        case (let url?, nil):
            guard let from else { throw UsageError("smtp-url needs a sender", hint: "set mail-from to a mail address") }
            guard var smtp = SMTPTransport.Configuration(url: url, from: from) else {
                throw UsageError("smtp-url must have the form smtp://HOST[:PORT] or smtps://HOST[:PORT]")
            }
            smtp.user = smtpUser
            smtp.password = try smtpPassword(password)
            settings.mail = .smtp(smtp)
            return
        }
        guard smtpUser == nil, smtpPasswordFile == nil else {
            throw UsageError("smtp-user and smtp-password-file need smtp-url")
        }
    }

    private func smtpPassword(_ text: String?) throws(UsageError) -> SecretBytes? {
        var password: SecretBytes?
        if let text, !text.isEmpty { password = SecretBytes(utf8: text) }
        if let smtpPasswordFile {
            guard password == nil else {
                throw UsageError("set either \(smtpPasswordVariable) or smtp-password-file, not both")
            }
            do {
                password = try ServerSettings.secret(file: smtpPasswordFile)
            } catch {
                throw UsageError("smtp-password-file: \(error)")
            }
        }
        guard (password == nil) == (smtpUser == nil) else {
            throw UsageError(
                "smtp-user and its password must be set together",
                hint: "set smtp-password-file or \(smtpPasswordVariable)")
        }
        return password
    }
}
