extension QuerySyntax {
    /// Reads Lucene's query syntax, without fuzzy search, boosts and regular expressions.
    ///
    /// Precedence is NOT, AND, OR. Adjacent terms are alternatives as with OR, except that those with `+` must match
    /// and those with `-`, `!` or NOT must not (Lucene: occurrences).
    package init(parsing text: String) throws(QuerySyntaxError) {
        guard text.utf8.count <= QuerySyntax.lengthLimit else {
            throw QuerySyntaxError(.tooLong(limit: QuerySyntax.lengthLimit), at: 0)
        }
        // Engines end texts at NUL, or refuse it.
        if let nul = text.unicodeScalars.firstIndex(of: "\0") {
            let position = text.unicodeScalars.distance(from: text.unicodeScalars.startIndex, to: nul)
            throw QuerySyntaxError(.unexpected("character U+0000"), at: position)
        }
        var parser = QuerySyntaxParser(text)
        self = try parser.parse()
    }
}

/// One pass over a query's code points.
private struct QuerySyntaxParser {
    /// Role of a term among adjacent terms.
    private enum Occurrence { case should, must, mustNot }

    private struct Clause {
        var query: QuerySyntax
        var occurrence = Occurrence.should
        var isJoinedByOr = false
    }

    typealias Name = QuerySyntax.Name

    private var scanner: QueryScanner
    private var terms = 0

    init(_ text: String) { scanner = QueryScanner(text) }

    mutating func parse() throws(QuerySyntaxError) -> QuerySyntax {
        scanner.skipBlanks()
        if scanner.isAtEnd { return .everything }
        let query = try alternatives(of: nil, depth: 0)
        guard scanner.isAtEnd else { throw scanner.failure(.unbalancedParenthesis) }
        return query
    }

    /// One or more clauses up to the end or a closing parenthesis. `field` precedes the parenthesis.
    private mutating func alternatives(of field: Name?, depth: Int) throws(QuerySyntaxError) -> QuerySyntax {
        var clauses: [Clause] = []
        while true {
            scanner.skipBlanks()
            if scanner.isAtEnd || scanner.next == ")" { break }
            let position = scanner.position
            let isOr = scanner.takeOperator("OR", "||")
            if isOr {
                guard !clauses.isEmpty else { throw scanner.failure(.missingOperand("OR"), at: position) }
                clauses[clauses.count - 1].isJoinedByOr = true
                scanner.skipBlanks()
                if scanner.isAtEnd || scanner.next == ")" { throw scanner.failure(.missingOperand("OR"), at: position) }
            }
            var clause = try conjunction(of: field, depth: depth)
            clause.isJoinedByOr = isOr
            clauses.append(clause)
        }
        guard !clauses.isEmpty else { throw scanner.failure(.missingTerm) }
        return Self.combined(clauses)
    }

    private static func combined(_ clauses: [Clause]) -> QuerySyntax {
        var required: [QuerySyntax] = []
        var alternatives: [QuerySyntax] = []
        for clause in clauses {
            switch clause.occurrence {
            case .must where !clause.isJoinedByOr: required.append(clause.query)
            case .mustNot where !clause.isJoinedByOr: required.append(.not(clause.query))
            case .mustNot: alternatives.append(.not(clause.query))
            case .should, .must: alternatives.append(clause.query)
            }
        }
        // Beside required terms, the others would only affect ranking.
        let mustMatch = clauses.contains { $0.occurrence == .must && !$0.isJoinedByOr }
        if !alternatives.isEmpty, !mustMatch { required.append(joined(alternatives, QuerySyntax.any)) }
        return joined(required, QuerySyntax.all)
    }

    private static func joined(_ queries: [QuerySyntax], _ join: ([QuerySyntax]) -> QuerySyntax) -> QuerySyntax {
        queries.count == 1 ? queries[0] : join(queries)
    }

    private mutating func conjunction(of field: Name?, depth: Int) throws(QuerySyntaxError) -> Clause {
        var clauses = [try operand(of: field, depth: depth)]
        while true {
            scanner.skipBlanks()
            let position = scanner.position
            guard scanner.takeOperator("AND", "&&") else { break }
            scanner.skipBlanks()
            if scanner.isAtEnd || scanner.next == ")" { throw scanner.failure(.missingOperand("AND"), at: position) }
            clauses.append(try operand(of: field, depth: depth))
        }
        if clauses.count == 1 { return clauses[0] }
        return Clause(query: .all(clauses.map { $0.occurrence == .mustNot ? .not($0.query) : $0.query }))
    }

    private mutating func operand(of field: Name?, depth: Int) throws(QuerySyntaxError) -> Clause {
        try checkDepth(depth)
        let position = scanner.position
        var name: String?
        if scanner.takeOperator("NOT", "!") { name = "NOT" }
        if name == nil, scanner.take("-") { name = "-" }
        if name == nil, scanner.take("+") { name = "+" }
        guard let name else {
            for (word, symbol) in [("AND", "&&"), ("OR", "||")] where scanner.takeOperator(word, symbol) {
                throw scanner.failure(.missingOperand(word), at: position)
            }
            return Clause(query: try primary(of: field, depth: depth))
        }
        scanner.skipBlanks()
        if scanner.isAtEnd || scanner.next == ")" { throw scanner.failure(.missingOperand(name), at: position) }
        let inner = try operand(of: field, depth: depth + 1)
        let query: QuerySyntax = inner.occurrence == .mustNot ? .not(inner.query) : inner.query
        return Clause(query: query, occurrence: name == "+" ? .must : .mustNot)
    }

    private func checkDepth(_ depth: Int) throws(QuerySyntaxError) {
        if depth > QuerySyntax.depthLimit { throw scanner.failure(.tooDeep(limit: QuerySyntax.depthLimit)) }
    }

    /// A group, or a term with or without its field.
    private mutating func primary(of field: Name?, depth: Int) throws(QuerySyntaxError) -> QuerySyntax {
        let position = scanner.position
        if scanner.next == "(" { return try group(of: field, depth: depth) }
        if scanner.next == "[" || scanner.next == "{" || scanner.next == "\"" {
            return try term(try scanner.value(), of: field, at: position)
        }
        try scanner.refuseRegularExpression()
        let word = try scanner.word(stoppingAtColon: true)
        guard scanner.take(":") else { return try term(.word(word), of: field, at: position) }
        scanner.skipBlanks()
        let valuePosition = scanner.position
        if word.isEveryone {
            guard try scanner.value() == .word(word) else { throw scanner.failure(.missingTerm, at: valuePosition) }
            return try term(.word(word), of: nil, at: position)
        }
        guard let name = word.literal, !name.isEmpty else { throw scanner.failure(.unexpected(":"), at: position) }
        if name == "_exists_" {
            guard case .word(let existing) = try scanner.value(), let name = existing.literal else {
                throw scanner.failure(.missingTerm, at: valuePosition)
            }
            return try term(nil, of: Name(text: name, position: valuePosition), at: valuePosition)
        }
        let named = Name(text: name, position: position)
        if scanner.next == "(" { return try group(of: named, depth: depth) }
        return try term(try scanner.value(), of: named, at: valuePosition)
    }

    private mutating func group(of field: Name?, depth: Int) throws(QuerySyntaxError) -> QuerySyntax {
        try checkDepth(depth + 1)
        let position = scanner.position
        _ = scanner.take("(")
        let query = try alternatives(of: field, depth: depth + 1)
        guard scanner.take(")") else { throw scanner.failure(.unbalancedParenthesis, at: position) }
        return query
    }

    private mutating func term(
        _ value: QueryValue?, of field: Name?, at position: Int
    ) throws(QuerySyntaxError) -> QuerySyntax {
        terms += 1
        if terms > QuerySyntax.termLimit {
            throw scanner.failure(.tooManyTerms(limit: QuerySyntax.termLimit), at: position)
        }
        if field == nil, case .word(let word) = value, word.isEveryone { return .everything }
        return .term(QuerySyntax.Term(field: field, value: value, position: position))
    }
}
