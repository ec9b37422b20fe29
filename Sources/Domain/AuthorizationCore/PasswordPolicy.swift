package import Localization
package import Primitives

/// Rules for a new password (NIST SP 800-63B clause 3.1.1.2): long enough, and not among the first that attackers try.
/// No rule requires kinds of characters. Lengths are of prepared passwords.
package struct PasswordPolicy: Sendable {
    /// Maximum characters.
    package static let maximumLength = 256

    /// Minimum characters (Unicode scalars).
    package let minimumLength: Int

    package init(minimumLength: Int) { self.minimumLength = minimumLength }

    /// Hint that forms show beside the field.
    package var rule: LocalizedText { localized.password.rule(minimumLength) }

    /// Reasons that the password cannot be used. Empty if it can.
    package func objections(to password: Password, email: EmailAddress?) -> [LocalizedText] {
        var objections: [LocalizedText] = []
        let length = password.length
        if length < minimumLength { objections.append(localized.password.tooShort(minimumLength)) }
        if length > Self.maximumLength { objections.append(localized.password.tooLong(Self.maximumLength)) }
        let lowered = password.text.lowercased()
        if let email, lowered == email.description || lowered == email.localPart {
            objections.append(localized.password.isAddress)
        }
        if Self.common.contains(lowered) || Set(lowered.unicodeScalars).count == 1 {
            objections.append(localized.password.isCommon)
        }
        return objections
    }

    /// Most frequent leaked passwords of eight or more characters.
    private static let common: Set<String> = [
        "12345678", "123456789", "1234567890", "0123456789", "87654321", "987654321", "0987654321", "123123123",
        "1q2w3e4r", "1q2w3e4r5t", "1qaz2wsx", "1qazxsw2", "zaq12wsx", "q1w2e3r4", "q1w2e3r4t5", "qwer1234",
        "1234qwer", "qwerty12", "qwerty123", "qwerty1234", "qwertyuiop", "qwertyui", "asdfghjkl", "asdfasdf",
        "zxcvbnm123", "azertyuiop", "azerty123", "password", "password1", "password12", "password123",
        "password1234", "password!", "passw0rd", "p@ssw0rd", "p@ssword", "pa$$word", "pa$$w0rd", "motdepasse",
        "motdepasse1", "iloveyou", "iloveyou1", "jetaime123", "sunshine", "princess", "princess1", "football",
        "football1", "baseball", "baseball1", "basketball", "superman", "superman1", "batman123", "welcome1",
        "welcome123", "welcome1234", "letmein1", "letmein123", "trustno1", "starwars", "computer", "internet",
        "samsung1", "whatever", "michelle", "jennifer", "jonathan", "abcd1234", "abc12345", "abcdefgh", "abcdefg1",
        "a1b2c3d4", "aa123456", "aa12345678", "admin123", "admin1234", "administrator", "changeme", "changeme1",
        "changeme123", "default1", "qazwsxedc", "11112222", "12341234", "11223344", "112233445566", "12121212",
        "123321123", "123454321", "1234554321", "123qweasd", "123qwe123", "google123", "facebook", "linkedin",
        "soleil123", "bonjour1", "bonjour123", "doudou123", "loulou123", "marseille", "liverpool", "chelsea1",
        "charlie1", "dragon123", "monkey123", "master123", "shadow123", "killer123", "hunter123", "pokemon1",
        "minecraft", "correcthorsebatterystaple",
    ]
}
