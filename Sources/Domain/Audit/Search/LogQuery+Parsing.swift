package import AuthorizationCore
import Primitives
package import SearchQuery

extension LogQuery {
    /// Search fields that are not columns themselves.
    private enum Further: String, CaseIterable {
        case date, description
        case clientName = "client_name"
        case userName = "user_name"
        /// Name in the document.
        case correlation = "references.correlation_id"
    }

    /// Every field name of queries.
    package static let fieldNames = Field.allCases.map(\.rawValue) + Further.allCases.map(\.rawValue)

    /// Parses the syntax of user searches, with log fields. A term without a field searches all fields but `date` and
    /// `user_name`. `clients` are the tenant's, to find entries by client name.
    package init(parsing text: String, clients: [Client]) throws(QuerySyntaxError) {
        self = try QuerySyntax(parsing: text).resolved(
            everything: .everything, all: LogQuery.all, any: LogQuery.any, not: LogQuery.not
        ) { term throws(QuerySyntaxError) in
            guard let name = term.field else {
                guard let match = term.value?.textMatch else {
                    throw QuerySyntaxError(.rangeWithoutField, at: term.position)
                }
                return .any(
                    Field.allCases.map { .text($0, match) } + [Self.described(match), Self.named(match, clients)])
            }
            if let field = Field(rawValue: name.text) { return .text(field, term.match) }
            switch Further(rawValue: name.text) {
            case .correlation: return .text(.correlation, term.match)
            case .userName: return .userName(term.match)
            case .clientName: return Self.named(term.match, clients)
            case .description: return Self.described(term.match)
            case .date:
                guard let value = term.value else { return .everything }
                guard let range = value.timeRange else {
                    throw QuerySyntaxError(.notATime(field: name.text), at: term.position)
                }
                return .all([range.from.map(LogQuery.since), range.before.map(LogQuery.before)].compactMap(\.self))
            case nil:
                let suggestion = Spelling.nearest(to: name.text, in: Self.fieldNames)
                throw QuerySyntaxError(.unknownField(name.text, suggestion: suggestion), at: name.position)
            }
        }
    }

    /// Kinds with a matching summary, ignoring case.
    private static func described(_ match: TextMatch) -> LogQuery {
        .any(
            AuditEvent.Kind.allCases.filter { match.folded.matches($0.summary.lowercased()) }
                .map { .matches(.type, $0.rawValue) })
    }

    /// Clients with a matching current name.
    private static func named(_ match: TextMatch, _ clients: [Client]) -> LogQuery {
        .any(clients.filter { match.matches($0.name) }.map { .matches(.client, $0.id.rawValue) })
    }
}

extension QuerySyntax.Term {
    /// The texts to match. A term without a value asks for presence.
    fileprivate var match: TextMatch { value?.match ?? .present }
}
