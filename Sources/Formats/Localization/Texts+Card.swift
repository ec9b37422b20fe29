extension Texts {
    /// A request on every screen: what counts, the client's own words, reading, and the end.
    package struct Card: Sendable {
        /// Before the client's own words, which are a quotation.
        package let says: @Sendable (_ client: Place) -> Phrase
        /// The same with the words, for screens without quotations.
        package let saysQuoted: @Sendable (_ client: Place, _ words: Place) -> Phrase
        /// Stands for more headlines than fit.
        package let several: @Sendable (_ count: Int) -> String
        package let requestedBy: @Sendable (_ client: Place) -> Phrase
        // The answers. `action` is what they are about, such as an amount.
        package let allow: @Sendable (_ action: Place) -> Phrase
        package let allowByNumber: @Sendable (_ action: String, _ number: String) -> String
        package let question, whichNumber, questionAll: @Sendable (_ action: String) -> String
        // Reading.
        package let unread: @Sendable (_ count: Place) -> Phrase
        package let nextPart, notRead: String
        package let readAll: @Sendable (_ count: Int) -> String
        // The time.
        package let timeLeft: @Sendable (_ span: Place) -> Phrase
        package let until: @Sendable (_ time: String) -> String
        // The end.
        package let reported, reportedLead, wrongNumber, wrongNumberLead, elsewhere: String
    }
}
