extension Texts {
    /// Ways back into an account.
    package struct Ways: Sendable {
        /// Mail about a phone that another phone of the person added. `link` leads to the account page.
        package let phoneAdded: @Sendable (_ tenant: String, _ phone: String, _ link: String) -> Mail.Message
    }
}
