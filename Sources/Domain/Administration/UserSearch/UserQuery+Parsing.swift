package import SearchQuery

extension UserQuery {
    /// Parses the subset of Lucene's query syntax in Auth0's user search, without Auth0's restrictions. A blank query
    /// matches every user.
    package init(parsing text: String) throws(QuerySyntaxError) {
        self = try QuerySyntax(parsing: text).resolved(
            everything: .everyone, all: UserQuery.all, any: UserQuery.any, not: UserQuery.not, term: Self.query)
    }

    private static func query(_ term: QuerySyntax.Term) throws(QuerySyntaxError) -> UserQuery {
        guard let name = term.field else {
            guard let match = term.value?.textMatch else {
                throw QuerySyntaxError(.rangeWithoutField, at: term.position)
            }
            return .anywhere(match)
        }
        guard let field = UserQueryField(name.text) else {
            let suggestion = UserQueryField.suggestion(for: name.text)
            throw QuerySyntaxError(.unknownField(name.text, suggestion: suggestion), at: name.position)
        }
        guard let value = term.value else { return field.isPresent }
        do throws(QuerySyntaxError.Reason) {
            return try field.query(value)
        } catch {
            if case .unknownField = error { throw QuerySyntaxError(error, at: name.position) }
            throw QuerySyntaxError(error, at: term.position)
        }
    }
}
