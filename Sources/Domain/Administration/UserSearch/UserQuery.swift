import AuthorizationCore
package import SearchQuery

/// A validated query for users: every field exists and every value fits its field.
///
/// A user's absent field matches nothing, so the `not` of a condition matches users without the field.
package indirect enum UserQuery: Sendable, Hashable {
    case everyone
    case text(TextField, TextMatch)
    case time(TimeField, QueryTimeRange)
    case number(NumberField, QueryNumberRange)
    case flag(FlagField, Bool)
    case metadata(path: String, MetadataMatch)
    /// Matches `TextField.anywhere` and texts in `app_metadata`, never `user_metadata`.
    case anywhere(TextMatch)
    case all([UserQuery])
    case any([UserQuery])
    case not(UserQuery)

    package enum TextField: String, Sendable, CaseIterable {
        case email
        /// Part of the address after its last `@`.
        case emailDomain = "email.domain"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case nickname
        case username
        case userID = "user_id"
        case phoneNumber = "phone_number"
        case lastIP = "last_ip"
        case identityConnection = "identities.connection"
        case identityProvider = "identities.provider"
        case identityUserID = "identities.user_id"

        /// Fields that a term without a field searches: all but the connection's, which users share.
        package static let anywhere = allCases.filter { $0 != .identityConnection && $0 != .identityProvider }

        /// The match in the form in which values of the field are stored: in lower case if the field ignores case, an address
        /// and its domain as `EmailAddress` has them. Patterns and ranges of addresses match that form as it is.
        package func stored(_ match: TextMatch) -> TextMatch {
            guard isFolded else { return match }
            if case .equal(let text) = match {
                if self == .email, let address = EmailAddress(parsing: text) { return .equal(address.description) }
                if self == .emailDomain, let domain = EmailAddress.domain(parsing: text[...]) { return .equal(domain) }
            }
            return match.folded
        }

        /// True if case is ignored.
        package var isFolded: Bool {
            switch self {
            case .email, .emailDomain, .name, .givenName, .familyName, .nickname: true
            case .username, .userID, .phoneNumber, .lastIP, .identityConnection, .identityProvider, .identityUserID:
                false
            }
        }
    }

    package enum TimeField: String, Sendable, CaseIterable {
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case lastLogin = "last_login"
    }

    package enum NumberField: String, Sendable, CaseIterable {
        case loginsCount = "logins_count"
    }

    package enum FlagField: String, Sendable, CaseIterable {
        case emailVerified = "email_verified"
        case phoneVerified = "phone_verified"
        case blocked
    }
}

extension UserQuery {
    package enum MetadataMatch: Sendable, Hashable {
        /// A value exists at the path or below it.
        case present
        /// A text at the path; booleans are the texts `true` and `false`.
        case text(TextMatch)
        case number(QueryNumberRange)
        /// The query does not tell text from number.
        case either(TextMatch, QueryNumberRange)
    }
}
