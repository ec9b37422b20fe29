package import ApprovalWire
public import Foundation

/// A login that the user should confirm. Show it in the user's language instead of
/// ``ConsentRequestedDetails/bindingMessage``, whose language was chosen when the request was made.
///
/// The user compares it with the screen at which they log in. A browser says itself what it is, so a thief can imitate
/// ``browser`` and ``system``; ``address`` is the one that the server saw.
public struct ConsentLogin: Sendable, Hashable {
    /// Name of the application that the user logs in to.
    public let application: String
    /// The browser's name without a version, such as `Firefox`. Nil if it is not among the common ones.
    public let browser: String?
    /// Name of its operating system, such as `macOS`. Nil if it is not among the common ones.
    public let system: String?
    /// IP address of the browser. Nil means that the server does not know it.
    public let address: String?
    /// Time at which the login asked, to the second or finer.
    public let date: Date
    /// The login as the record has it, which is signed.
    package let login: RequestRecord.Login

    init(_ login: RequestRecord.Login) {
        application = login.application
        browser = login.browser
        system = login.system
        address = login.address
        date = Date(login.at)
        self.login = login
    }

    /// City, region and country of the address, as the server's database has them.
    /// - Parameter language: A language tag, such as `de`. A language other than English, German and French gets the
    ///   English names.
    /// - Returns: Nil if the server has no such database, or if it does not have the address.
    public func place(inLanguage language: String) -> String? {
        login.place?.name(in: String(language.prefix { $0 != "-" && $0 != "_" }).lowercased())
    }

    public static func == (one: ConsentLogin, other: ConsentLogin) -> Bool { one.login == other.login }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(application)
        hasher.combine(date)
    }
}
