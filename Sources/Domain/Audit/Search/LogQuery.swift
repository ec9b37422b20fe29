package import AuthorizationCore
package import Primitives
package import SearchQuery

/// Which entries of a tenant's log are meant.
package indirect enum LogQuery: Sendable, Equatable {
    case everything
    /// The column has such a text; one without a text matches nothing.
    case text(Field, TextMatch)
    /// The present e-mail address of the entry's user, or the name where there is none.
    case userName(TextMatch)
    /// At that moment or after it.
    case since(Timestamp)
    /// Before that moment.
    case before(Timestamp)
    case all([LogQuery])
    case any([LogQuery])
    case not(LogQuery)

    /// The columns that can be searched, by their names in `/logs`.
    package enum Field: String, Sendable, CaseIterable {
        case type
        case user = "user_id"
        case client = "client_id"
        case device = "device_id"
        case consent = "transaction_linking_id"
        case address = "ip"
        case correlation = "correlation_id"
        case userAgent = "user_agent"
    }

    /// The column has exactly this text.
    package static func matches(_ field: Field, _ text: String) -> LogQuery { .text(field, .equal(text)) }

    package static func user(_ id: UserID) -> LogQuery { .matches(.user, id.rawValue) }

    /// Whether only entries of one user can match, which are found without looking at the others.
    package var isOfOneUser: Bool {
        switch self {
        case .text(.user, .equal): true
        case .all(let parts): parts.contains(where: \.isOfOneUser)
        default: false
        }
    }
}
