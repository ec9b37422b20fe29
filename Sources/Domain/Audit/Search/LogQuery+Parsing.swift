package import AuthorizationCore
import Primitives
package import SearchQuery

extension LogQuery {
    /// What stands for a column or more, and is none itself.
    private enum Further: String, CaseIterable {
        case date, description
        case clientName = "client_name"
        case userName = "user_name"
        /// The name that it has in the document.
        case correlation = "references.correlation_id"
    }

    /// Every name that a query may hold.
    package static let fieldNames = Field.allCases.map(\.rawValue) + Further.allCases.map(\.rawValue)

    /// Reads the query syntax of user searches, with the fields of logs. A term without a field looks in all of them but
    /// `date` and `user_name`. `clients` are the tenant's, by whose names entries are found.
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

    /// Of the kinds that are described so, in whatever case.
    private static func described(_ match: TextMatch) -> LogQuery {
        .any(
            AuditEvent.Kind.allCases.filter { match.folded.matches($0.summary.lowercased()) }
                .map { .matches(.type, $0.rawValue) })
    }

    /// Of the clients that are called so at present.
    private static func named(_ match: TextMatch, _ clients: [Client]) -> LogQuery {
        .any(clients.filter { match.matches($0.name) }.map { .matches(.client, $0.id.rawValue) })
    }
}

extension QuerySyntax.Term {
    /// The texts that are meant; all for a term that asks whether there is one.
    fileprivate var match: TextMatch { value?.match ?? .present }
}
