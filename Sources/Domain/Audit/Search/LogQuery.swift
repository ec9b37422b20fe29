package import AuthorizationCore
package import Primitives
package import SearchQuery

/// A condition on a tenant's log entries.
package indirect enum LogQuery: Sendable, Equatable {
    case everything
    /// The column matches. A missing text matches nothing.
    case text(Field, TextMatch)
    /// The current e-mail address of the entry's user, or else the name.
    case userName(TextMatch)
    /// At or after this time.
    case since(Timestamp)
    case before(Timestamp)
    case all([LogQuery])
    case any([LogQuery])
    case not(LogQuery)

    /// Searchable columns, by their names in `/logs`.
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

    /// The column equals the text.
    package static func matches(_ field: Field, _ text: String) -> LogQuery { .text(field, .equal(text)) }

    package static func user(_ id: UserID) -> LogQuery { .matches(.user, id.rawValue) }

    /// True if only one user's entries can match, which are found without reading others.
    package var isOfOneUser: Bool {
        switch self {
        case .text(.user, .equal): true
        case .all(let parts): parts.contains(where: \.isOfOneUser)
        default: false
        }
    }
}
