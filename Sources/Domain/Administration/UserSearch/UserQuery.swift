package import Primitives

/// What users are searched for, checked: every field exists and every value fits it.
///
/// A user's absent field matches nothing, so the `not` of a condition matches users without the field.
package indirect enum UserQuery: Sendable, Hashable {
    case everyone
    case text(TextField, TextMatch)
    case time(TimeField, TimeRange)
    case number(NumberField, NumberRange)
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
    /// Texts are compared code point by code point.
    package enum TextMatch: Sendable, Hashable {
        case present
        case equal(String)
        case like(TextPattern)
        case between(lower: Bound<String>?, upper: Bound<String>?)

        /// Whether the text is one of those that are meant.
        func matches(_ text: String) -> Bool {
            switch self {
            case .present: return true
            case .equal(let wanted): return text == wanted
            case .like(let pattern): return pattern.matches(text)
            case .between(let lower, let upper):
                let isAbove = lower.map { text > $0.value || $0.isInclusive && text == $0.value } ?? true
                return isAbove && (upper.map { text < $0.value || $0.isInclusive && text == $0.value } ?? true)
            }
        }

        /// The same for texts in lower case.
        package var folded: TextMatch {
            func fold(_ bound: Bound<String>?) -> Bound<String>? {
                bound.map { Bound($0.value.lowercased(), isInclusive: $0.isInclusive) }
            }
            return switch self {
            case .present: .present
            case .equal(let text): .equal(text.lowercased())
            case .like(let pattern): .like(pattern.folded)
            case .between(let lower, let upper): .between(lower: fold(lower), upper: fold(upper))
            }
        }
    }

    /// A whole text, with wildcards.
    package struct TextPattern: Sendable, Hashable {
        package enum Piece: Sendable, Hashable {
            case literal(String)
            /// One code point.
            case one
            /// Any number of code points, also none.
            case anyNumber
        }

        /// No two literals follow each other, nor two `anyNumber`.
        package let pieces: [Piece]

        package init(_ pieces: [Piece]) {
            var joined: [Piece] = []
            for piece in pieces {
                switch (joined.last, piece) {
                case (.literal(let before), .literal(let text)): joined[joined.count - 1] = .literal(before + text)
                case (.anyNumber, .anyNumber): break
                default: joined.append(piece)
                }
            }
            self.pieces = joined
        }

        /// What every match begins with; may be empty.
        package var prefix: String { if case .literal(let text) = pieces.first { text } else { "" } }

        /// Whether whatever begins with `prefix` matches.
        package var isPrefix: Bool { pieces == [.literal(prefix), .anyNumber] }

        /// Whether the whole text has this form. What fails goes back to the last `*` alone, so it takes no longer than
        /// the product of both lengths.
        func matches(_ text: String) -> Bool {
            let text = Array(text.unicodeScalars)
            let wanted = pieces.flatMap { piece -> [Piece] in
                guard case .literal(let text) = piece else { return [piece] }
                return text.unicodeScalars.map { .literal(String($0)) }
            }
            var (read, at) = (0, 0)
            var last: (star: Int, read: Int)?
            while read < text.count {
                if at < wanted.count, wanted[at] == .anyNumber {
                    last = (at, read)
                    at += 1
                } else if at < wanted.count, wanted[at] == .one || wanted[at] == .literal(String(text[read])) {
                    read += 1
                    at += 1
                } else if let (star, begun) = last {
                    last = (star, begun + 1)
                    read = begun + 1
                    at = star + 1
                } else {
                    return false
                }
            }
            return wanted[at...].allSatisfy { $0 == .anyNumber }
        }

        fileprivate var folded: TextPattern {
            TextPattern(
                pieces.map { piece in if case .literal(let text) = piece { .literal(text.lowercased()) } else { piece }
                })
        }
    }

    /// An end of a range.
    package struct Bound<Value: Sendable & Hashable>: Sendable, Hashable {
        package let value: Value
        package let isInclusive: Bool

        package init(_ value: Value, isInclusive: Bool = true) {
            self.value = value
            self.isInclusive = isInclusive
        }
    }

    /// From the first moment until before the other; nil is open, but the field is there.
    package struct TimeRange: Sendable, Hashable {
        package let from: Timestamp?
        package let before: Timestamp?

        package init(from: Timestamp?, before: Timestamp?) {
            self.from = from
            self.before = before
        }
    }

    /// Nil is open, but the field is there.
    package struct NumberRange: Sendable, Hashable {
        package let lower: Bound<Double>?
        package let upper: Bound<Double>?

        package init(lower: Bound<Double>?, upper: Bound<Double>?) {
            self.lower = lower
            self.upper = upper
        }
    }

    package enum MetadataMatch: Sendable, Hashable {
        /// There is a value at the path or below it.
        case present
        /// A text at the path; booleans are the texts `true` and `false`.
        case text(TextMatch)
        case number(NumberRange)
        /// Where the query does not say which of the two is meant.
        case either(TextMatch, NumberRange)
    }
}
