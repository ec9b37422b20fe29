import Primitives
package import SearchQuery

/// What users are searched for, checked: every field exists and every value fits it.
///
/// A user's absent field matches nothing, so the `not` of a condition matches users without the field.
package indirect enum UserQuery: Sendable, Hashable {
    case everyone
    case text(TextField, TextMatch)
    case time(TimeField, QueryTimeRange)
    case number(NumberField, QueryNumberRange)
    case flag(FlagField, Bool)
    case metadata(path: String, MetadataMatch)
    /// One of `TextField.anywhere`, or a text in the applications' own metadata, never in the user's.
    case anywhere(TextMatch)
    case all([UserQuery])
    case any([UserQuery])
    case not(UserQuery)

    package enum TextField: String, Sendable, CaseIterable {
        case email
        /// What stands behind the address's last `@`.
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

        /// Where a term without a field looks: everything but what many users share by their connection.
        package static let anywhere = allCases.filter { $0 != .identityConnection && $0 != .identityProvider }

        /// Whether case makes no difference: matches of such a field are in lower case.
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
        /// There is a value at the path or below it.
        case present
        /// A text at the path; booleans are the texts `true` and `false`.
        case text(TextMatch)
        case number(QueryNumberRange)
        /// Where the query does not say which of the two is meant.
        case either(TextMatch, QueryNumberRange)
    }
}
