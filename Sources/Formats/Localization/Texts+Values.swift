extension Texts {
    /// Amounts and dates of requests.
    package struct Values: Sendable {
        /// Between groups of three digits, and before a fraction.
        package let grouping, decimal: String
        /// Twelve names, as `day` takes them.
        package let months: [String]
        /// True if a currency's sign stands before the number.
        package let isSignFirst: Bool
        /// An amount, and the person or company that gets it.
        package let payment: @Sendable (_ amount: Place, _ payee: Place) -> Phrase
        package let day: @Sendable (_ day: Int, _ month: String, _ year: Int) -> String
    }
}
