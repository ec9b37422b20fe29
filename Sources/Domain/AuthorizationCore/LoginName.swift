import Primitives

/// The name by which a person of the database logs in: their e-mail address, or their username.
package enum LoginName: Sendable, Hashable, CustomStringConvertible {
    case email(EmailAddress)
    /// Without an `@`, in lower case as users have it.
    case username(String)

    /// Bytes of a username.
    package static let usernameLimit = 128

    /// Reads a text with an `@` as an address, and any other as a username. Ignores spaces around it. Nil for a text that
    /// nobody can have as a name.
    package init?(parsing text: String) {
        if let email = EmailAddress(parsing: text) {
            self = .email(email)
            return
        }
        guard text.utf8.count <= 2 * Self.usernameLimit, !text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        var bytes = text.utf8.drop { $0 == 0x20 }
        while bytes.last == 0x20 { bytes.removeLast() }
        guard let name = String(Substring(bytes)).folded, (1...Self.usernameLimit).contains(name.utf8.count),
            name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        self = .username(name)
    }

    package var description: String {
        switch self {
        case .email(let email): email.description
        case .username(let name): name
        }
    }
}

extension User {
    /// Name that failed passwords of the account count for, by whichever name the person logs in.
    package var passwordSubject: String { email?.description ?? username ?? id.rawValue }
}
