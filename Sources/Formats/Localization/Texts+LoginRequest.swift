extension Texts {
    /// A login that a person confirms, wherever the request is shown.
    package struct LoginRequest: Sendable {
        package let headline: @Sendable (_ application: String) -> String
        // Labels of rows. A browser says itself what it is.
        package let browser, place, address, time: String
        package let software: @Sendable (_ browser: String, _ system: String) -> String
        /// Stands alone and before "on macOS".
        package let unknownBrowser: String
    }
}
