extension UserQuery {
    /// Bytes of a query's text.
    package static let lengthLimit = 4096
    /// Parentheses and negations around a term. The engines' own parsers have a limit, too.
    package static let depthLimit = 8
    /// Terms, phrases and ranges of a query.
    package static let termLimit = 100

    /// Reads the subset of Lucene's query syntax that Auth0's user search has, without its restrictions. Nothing but
    /// blanks asks for everyone.
    package init(parsing text: String) throws(UserQuerySyntaxError) {
        self = try QuerySyntax(parsing: text).resolved(
            everything: .everyone, all: UserQuery.all, any: UserQuery.any, not: UserQuery.not, term: Self.query)
    }

    private static func query(_ term: QuerySyntax.Term) throws(UserQuerySyntaxError) -> UserQuery {
        guard let name = term.field else {
            guard let match = term.value?.textMatch else {
                throw UserQuerySyntaxError(.rangeWithoutField, at: term.position)
            }
            return .anywhere(match)
        }
        guard let field = UserQueryField(name.text) else {
            let suggestion = UserQueryField.suggestion(for: name.text)
            throw UserQuerySyntaxError(.unknownField(name.text, suggestion: suggestion), at: name.position)
        }
        guard let value = term.value else { return field.isPresent }
        do throws(UserQuerySyntaxError.Reason) {
            return try field.query(value)
        } catch {
            if case .unknownField = error { throw UserQuerySyntaxError(error, at: name.position) }
            throw UserQuerySyntaxError(error, at: term.position)
        }
    }
}
