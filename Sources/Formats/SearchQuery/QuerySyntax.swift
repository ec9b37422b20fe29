/// A parsed query. Callers define the fields and their types.
package indirect enum QuerySyntax: Equatable {
    /// Only blanks, or `*`.
    case everything
    case term(Term)
    case all([QuerySyntax])
    case any([QuerySyntax])
    case not(QuerySyntax)

    package struct Term: Equatable {
        /// Nil for a term without a field.
        package let field: Name?
        /// Nil asks for presence of the field.
        package let value: QueryValue?
        /// Code points before the value.
        package let position: Int
    }

    /// A field's name, and the code points before it.
    package struct Name: Equatable {
        package let text: String
        package let position: Int
    }

    /// Converts to the caller's query type.
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
    /// Maximum bytes.
    package static let lengthLimit = 4096
    /// Maximum nesting of parentheses and negations. Search engines have a limit, too.
    package static let depthLimit = 8
    /// Terms, phrases and ranges of a query.
    package static let termLimit = 100
}
