extension Texts {
    /// Passkeys on pages and in mails. The web app has its own.
    package struct Passkeys: Sendable {
        // The login page.
        package let logIn, refused: String
        // The account page.
        package let offer, title, lead, none, name, add, remove, removeLead, letLogIn: String
        package let logsIn, confirmsOnly: String
        package let notAdded, needsScript: String
        package let numbered: @Sendable (_ number: Int) -> String
        // Mails.
        package let added: @Sendable (_ tenant: String, _ name: String, _ logsIn: Bool, _ link: String) -> Mail.Message
        package let removed: @Sendable (_ tenant: String, _ name: String, _ link: String) -> Mail.Message
        /// A line of a list.
        package let removedWithPassword: @Sendable (_ name: String) -> String
    }
}
