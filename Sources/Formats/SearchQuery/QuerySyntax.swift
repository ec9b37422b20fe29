/// A query as it is written. Which fields there are, and what they compare with, is for those who ask.
package indirect enum QuerySyntax: Equatable {
    /// Nothing but blanks, or `*`.
    case everything
    case term(Term)
    case all([QuerySyntax])
    case any([QuerySyntax])
    case not(QuerySyntax)

    package struct Term: Equatable {
        /// Nil where the term stands alone.
        package let field: Name?
        /// Nil asks whether the field is there.
        package let value: QueryValue?
        /// Code points before the value.
        package let position: Int
    }

    /// A field's name, and the code points before it.
    package struct Name: Equatable {
        package let text: String
        package let position: Int
    }

    /// The same in the words of those who ask.
    package func resolved<Query>(
        everything: Query, all: ([Query]) -> Query, any: ([Query]) -> Query, not: (Query) -> Query,
        term read: (Term) throws(QuerySyntaxError) -> Query
    ) throws(QuerySyntaxError) -> Query {
        func resolve(_ syntax: QuerySyntax) throws(QuerySyntaxError) -> Query {
            switch syntax {
            case .everything: return everything
            case .term(let term): return try read(term)
            case .all(let parts): return all(try parts.map(resolve))
            case .any(let parts): return any(try parts.map(resolve))
            case .not(let part): return not(try resolve(part))
            }
        }
        return try resolve(self)
    }
}

extension QuerySyntax {
    /// Bytes of a query's text.
    package static let lengthLimit = 4096
    /// Parentheses and negations around a term. The engines' own parsers have a limit, too.
    package static let depthLimit = 8
    /// Terms, phrases and ranges of a query.
    package static let termLimit = 100
}
