extension Texts {
    /// Amounts and dates of requests.
    package struct Values: Sendable {
        /// Between groups of three digits, and before a fraction.
        package let grouping, decimal: String
        /// Twelve names, as `day` takes them.
        package let months: [String]
        package let day: @Sendable (_ day: Int, _ month: String, _ year: Int) -> String
    }
}
