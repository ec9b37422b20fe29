/// Demand that a person gives the number that the asking screen displays, so that nobody allows a request blindly.
package enum NumberMatching: String, Sendable, CaseIterable {
    /// The phone shows three numbers, of which the person picks one.
    case choose
    /// The phone has a field, into which the person types the number. Nobody hits it by chance.
    case type

    /// The stronger of two demands. Nil is none.
    package static func strongest(_ one: NumberMatching?, _ other: NumberMatching?) -> NumberMatching? {
        [one, other].contains(.type) ? .type : one ?? other
    }
}

/// Number matching of logins, which needs a phone that can take a number.
package enum LoginMatching: String, Sendable, CaseIterable {
    /// Three numbers, and a field at logins with an administrator's rights.
    case choose
    case type
    case off
}
