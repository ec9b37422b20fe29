/// A query as it is written. Which fields there are, and what they compare with, is for those who ask.
indirect enum QuerySyntax: Equatable {
    /// Nothing but blanks, or `*`.
    case everything
    case term(Term)
    case all([QuerySyntax])
    case any([QuerySyntax])
    case not(QuerySyntax)

    struct Term: Equatable {
        /// Nil where the term stands alone.
        let field: Name?
        /// Nil asks whether the field is there.
        let value: UserQueryValue?
        /// Code points before the value.
        let position: Int
    }

    /// A field's name, and the code points before it.
    struct Name: Equatable {
        let text: String
        let position: Int
    }

    /// The same in the words of those who ask.
    func resolved<Query>(
        everything: Query, all: ([Query]) -> Query, any: ([Query]) -> Query, not: (Query) -> Query,
        term read: (Term) throws(UserQuerySyntaxError) -> Query
    ) throws(UserQuerySyntaxError) -> Query {
        func resolve(_ syntax: QuerySyntax) throws(UserQuerySyntaxError) -> Query {
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
