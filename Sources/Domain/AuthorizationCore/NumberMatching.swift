/// Demand that a person picks the number that the asking screen displays, so that nobody allows a request blindly.
package enum NumberMatching: String, Sendable, CaseIterable {
    /// The phone shows three numbers.
    case choose
}

/// Number matching of logins, which needs a phone that can show numbers.
package enum LoginMatching: String, Sendable, CaseIterable { case choose, off }
