package import Administration
package import AuthorizationCore
import Primitives
import SearchQuery

/// The meaning of queries, evaluated user by user.
extension UserQuery {
    package func matches(_ record: UserRecord) -> Bool {
        switch self {
        case .everyone: return true
        case .text(let field, let match): return record.texts(field).contains(where: match.matches)
        case .time(let field, let range):
            guard let time = record.time(field) else { return false }
            return (range.from ?? time) <= time && (range.before.map { time < $0 } ?? true)
        case .number(.loginsCount, let range): return range.matches(Double(record.activity.loginsCount))
        case .flag(let field, let isSet): return record.flag(field) == isSet
        case .metadata(let path, let match):
            return record.metadata.attributes.contains { match.matches($0, at: path) }
        case .anywhere(let match):
            let inFields = TextField.anywhere.contains { field in
                record.texts(field).contains(where: field.stored(match).matches)
            }
            return inFields
                || record.metadata.attributes.contains { attribute in
                    if case .text(let text) = attribute.value, attribute.path.hasPrefix("app_metadata.") {
                        return match.matches(text)
                    }
                    return false
                }
        case .all(let queries): return queries.allSatisfy { $0.matches(record) }
        case .any(let queries): return queries.contains { $0.matches(record) }
        case .not(let query): return !query.matches(record)
        }
    }
}

extension UserRecord {
    /// In lower case if the field ignores case.
    fileprivate func texts(_ field: UserQuery.TextField) -> [String] {
        let texts: [String?] =
            switch field {
            case .email: [user.email?.description]
            case .emailDomain: [user.email?.domain]
            case .name: [user.name]
            case .givenName: [user.givenName]
            case .familyName: [user.familyName]
            case .nickname: [user.nickname]
            case .username: [user.username]
            case .userID: [user.id.rawValue]
            case .phoneNumber: [user.phoneNumber]
            case .lastIP: [activity.lastIP]
            case .identityConnection: identities.map(\.connection)
            case .identityProvider: identities.map(\.provider)
            case .identityUserID: identities.map(\.userID)
            }
        return texts.compactMap { field.isFolded ? $0?.lowercased() : $0 }
    }

    fileprivate func time(_ field: UserQuery.TimeField) -> Timestamp? {
        switch field {
        case .createdAt: user.createdAt
        case .updatedAt: user.updatedAt
        case .lastLogin: activity.lastLogin
        }
    }

    fileprivate func flag(_ field: UserQuery.FlagField) -> Bool {
        switch field {
        case .emailVerified: user.emailVerified
        case .phoneVerified: user.phoneVerified
        case .blocked: user.blocked
        }
    }

    /// The sort key of a record: text, number or nil.
    package func sortKey(_ field: UserSort.Field) -> (text: String, number: Int64)? {
        switch field {
        case .text(let field): texts(field).first.map { ($0, 0) }
        case .time(let field): time(field).map { ("", $0.milliseconds) }
        case .number(.loginsCount): ("", Int64(activity.loginsCount))
        case .flag(let field): ("", flag(field) ? 1 : 0)
        }
    }
}

extension TextMatch {
    fileprivate func matches(_ text: String) -> Bool {
        switch self {
        case .present: true
        case .equal(let other): Array(text.utf8) == Array(other.utf8)
        case .like(let pattern): pattern.matches(text)
        case .between(let lower, let upper):
            (lower.map { text.isBehind($0.value, orEqual: $0.isInclusive) } ?? true)
                && (upper.map { $0.value.isBehind(text, orEqual: $0.isInclusive) } ?? true)
        }
    }
}

extension String {
    /// Compares UTF-8 bytes, and so code points.
    package func isBehind(_ other: String, orEqual: Bool = false) -> Bool {
        other.utf8.lexicographicallyPrecedes(utf8) || orEqual && Array(utf8) == Array(other.utf8)
    }
}

extension TextPattern {
    fileprivate func matches(_ text: String) -> Bool {
        Self.matches(pieces[...], Array(text.unicodeScalars)[...])
    }

    private static func matches(_ pieces: ArraySlice<Piece>, _ text: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let piece = pieces.first else { return text.isEmpty }
        let rest = pieces.dropFirst()
        switch piece {
        case .literal(let literal):
            return text.starts(with: literal.unicodeScalars)
                && matches(rest, text.dropFirst(literal.unicodeScalars.count))
        case .one: return !text.isEmpty && matches(rest, text.dropFirst())
        case .anyNumber: return (0...text.count).contains { matches(rest, text.dropFirst($0)) }
        }
    }
}

extension QueryNumberRange {
    fileprivate func matches(_ number: Double) -> Bool {
        (lower.map { $0.isInclusive ? number >= $0.value : number > $0.value } ?? true)
            && (upper.map { $0.isInclusive ? number <= $0.value : number < $0.value } ?? true)
    }
}

extension UserQuery.MetadataMatch {
    fileprivate func matches(_ attribute: UserMetadata.Attribute, at path: String) -> Bool {
        let isHere = Array(attribute.path.utf8) == Array(path.utf8)
        switch (self, attribute.value) {
        case (.present, _): return isHere || attribute.path.utf8.starts(with: (path + ".").utf8)
        case (.text(let match), .text(let text)), (.either(let match, _), .text(let text)):
            return isHere && match.matches(text)
        case (.number(let range), .number(let number)), (.either(_, let range), .number(let number)):
            return isHere && range.matches(number)
        case (.text, .number), (.number, .text): return false
        }
    }
}
