import Administration
import AuthorizationCore
import SQL
import SearchQuery

/// Compiles queries to conditions on the rows `p` of `user_profile`. Values are parameters. Statement text comes only
/// from this file.
struct UserCondition {
    let tenant: TenantID
    let dialect: any Dialect

    /// True for matches, false or unknown for others. An absent field gives unknown. AND and OR treat both alike.
    ///
    /// Nested alternatives are hidden from the planner. SQLite's takes twice as long with each level that it sees, and
    /// the indexes of the outer level suffice.
    func condition(_ query: UserQuery, within alternatives: Bool = false) -> SQLFragment {
        switch query {
        case .everyone: return "1 = 1"
        case .text(let field, let match): return text(field, match)
        case .time(let field, let range): return Self.time(Self.column(.time(field)), range)
        case .number(let field, let range): return Self.number(Self.column(.number(field)), range)
        case .flag(let field, let isSet): return "\(raw: Self.column(.flag(field))) = \(raw: isSet ? "1" : "0")"
        case .metadata(let path, let match): return metadata(path, match)
        case .anywhere(let match): return anywhere(match)
        case .all(let queries): return "(\(.joined(queries.map { condition($0, within: alternatives) }, by: " AND ")))"
        case .any(let queries):
            let conditions = Self.flattened(queries).map { condition($0, within: true) }
            let joined: SQLFragment = "(\(.joined(conditions, by: " OR ")))"
            return alternatives ? "\(joined) IS TRUE" : joined
        case .not(let query): return "(\(condition(query, within: true))) IS NOT TRUE"
        }
    }

    /// Merges nested alternatives into one list.
    private static func flattened(_ queries: [UserQuery]) -> [UserQuery] {
        queries.flatMap { query in if case .any(let inner) = query { flattened(inner) } else { [query] } }
    }

    static func column(_ field: UserSort.Field) -> String {
        switch field {
        case .text(let field): column(field)
        case .time, .number, .flag: "p.\(field.name)"
        }
    }

    private static func column(_ field: UserQuery.TextField) -> String {
        switch field {
        case .userID: #"p."user""#
        case .emailDomain: "p.email_domain"
        case .identityConnection: "p.connection"
        case .identityProvider: "p.provider"
        case .identityUserID: "p.provider_id"
        case .email, .name, .givenName, .familyName, .nickname, .username, .phoneNumber, .lastIP: "p.\(field.rawValue)"
        }
    }

    private func text(_ field: UserQuery.TextField, _ match: TextMatch) -> SQLFragment {
        let own = text(Self.column(field), match)
        let linked: SQLFragment
        switch field {
        case .identityConnection, .identityProvider: linked = text("i.provider", match)
        case .identityUserID: linked = text("i.provider_id", match)
        case .email, .emailDomain, .name, .givenName, .familyName, .nickname, .username, .userID, .phoneNumber,
            .lastIP:
            return own
        }
        return """
            (\(own) OR p."user" IN (SELECT i."user" FROM identity i WHERE i.tenant = \(tenant) AND \(linked)))
            """
    }

    private func text(_ column: String, _ match: TextMatch) -> SQLFragment { Self.text(column, match, dialect) }

    /// `column` is raw SQL. `isLong` is true if its index has only the beginnings of its texts.
    static func text(
        _ column: String, _ match: TextMatch, _ dialect: any Dialect, isLong: Bool = false
    ) -> SQLFragment {
        func compares(_ operation: StaticString, _ text: String) -> SQLFragment {
            isLong ? dialect.compares(column, operation, text) : Self.compares(column, operation, text)
        }
        switch match {
        case .present: return "\(raw: column) IS NOT NULL"
        case .equal(let text): return compares("=", text)
        case .between(let lower, let upper): return range(column, lower, upper, compares)
        case .like(let pattern):
            var conditions: [SQLFragment] = []
            if !pattern.prefix.isEmpty {
                let end = end(ofTextsBeginningWith: pattern.prefix).map { QueryBound($0, isInclusive: false) }
                conditions.append(range(column, QueryBound(pattern.prefix), end, compares))
            }
            if !pattern.isPrefix { conditions.append(dialect.matches(column, pattern.pieces.map(\.stored))) }
            return "(\(.joined(conditions, by: " AND ")))"
        }
    }

    private static func compares(
        _ column: String, _ operation: StaticString, _ value: some SQLBindable
    ) -> SQLFragment {
        "\(raw: column) \(raw: operation.description) \(value)"
    }

    /// First text after all that begin with `prefix`. Nil if there is none.
    private static func end(ofTextsBeginningWith prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // Skips surrogates.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            var end = String.UnicodeScalarView(scalars)
            end.append(scalar)
            return String(end)
        }
        return nil
    }

    private static func range<Value>(
        _ column: String, _ lower: QueryBound<Value>?, _ upper: QueryBound<Value>?,
        _ compares: (StaticString, Value) -> SQLFragment
    ) -> SQLFragment {
        var conditions: [SQLFragment] = []
        if let lower { conditions.append(compares(lower.isInclusive ? ">=" : ">", lower.value)) }
        if let upper { conditions.append(compares(upper.isInclusive ? "<=" : "<", upper.value)) }
        if conditions.isEmpty { conditions.append("\(raw: column) IS NOT NULL") }
        return "(\(.joined(conditions, by: " AND ")))"
    }

    private static func time(_ column: String, _ range: QueryTimeRange) -> SQLFragment {
        Self.range(column, range.from.map { QueryBound($0) }, range.before.map { QueryBound($0, isInclusive: false) }) {
            compares(column, $0, $1)
        }
    }

    private static func number(_ column: String, _ range: QueryNumberRange) -> SQLFragment {
        // One `=` for one value: no planner merges two comparisons.
        if let lower = range.lower, lower == range.upper, lower.isInclusive { return "\(raw: column) = \(lower.value)" }
        return Self.range(column, range.lower, range.upper) { compares(column, $0, $1) }
    }

    // MARK: metadata

    private func metadata(_ path: String, _ match: UserQuery.MetadataMatch) -> SQLFragment {
        let here = dialect.compares("a.path", "=", path)
        switch match {
        case .present:
            return """
                (\(profiles(here)) OR \(profiles("\(dialect.compares("a.path", ">=", path + ".")) AND \(dialect.compares("a.path", "<", path + "/"))")))
                """
        case .text(let match): return profiles("\(here) AND \(value(match))")
        case .number(let range): return profiles("\(here) AND a.text IS NULL AND \(Self.number("a.number", range))")
        case .either(let text, let range):
            return "(\(metadata(path, .text(text))) OR \(metadata(path, .number(range))))"
        }
    }

    /// Values of metadata alone may be long.
    private func value(_ match: TextMatch) -> SQLFragment { Self.text("a.text", match, dialect, isLong: true) }

    /// Profiles with an attribute that meets a condition.
    private func profiles(_ condition: SQLFragment) -> SQLFragment {
        "p.sequence IN (SELECT a.profile FROM user_attribute a WHERE a.tenant = \(tenant) AND \(condition))"
    }

    private func anywhere(_ match: TextMatch) -> SQLFragment {
        var conditions = UserQuery.TextField.anywhere.map { text($0, $0.stored(match)) }
        // The partial index has this condition.
        conditions.append(
            profiles("a.path >= 'app_metadata.' AND a.path < 'app_metadata/' AND \(value(match))"))
        return "(\(.joined(conditions, by: " OR ")))"
    }
}

extension TextPattern.Piece {
    fileprivate var stored: PatternPiece {
        switch self {
        case .anyNumber: .anyNumber
        case .one: .one
        case .literal(let text): .literal(text)
        }
    }
}
