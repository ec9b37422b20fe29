import Primitives

extension LogQuery {
    /// Reads the part of Lucene's query syntax that searches of logs need: fields with an exact word or phrase,
    /// `date` with a day, a moment or a range, AND, OR, NOT, `-` and parentheses. Terms that follow each other are
    /// alternatives, except that negated ones must not match. Nothing but blanks asks for everything.
    public init(parsing text: String) throws(UserQuerySyntaxError) {
        guard text.utf8.count <= UserQuery.lengthLimit else {
            throw UserQuerySyntaxError(.tooLong(limit: UserQuery.lengthLimit), at: 0)
        }
        guard !text.unicodeScalars.contains("\0") else {
            throw UserQuerySyntaxError(.unexpected("character U+0000"), at: 0)
        }
        var parser = LogQueryParser(text)
        self = try parser.parse()
    }
}

/// One pass over a query.
private struct LogQueryParser {
    private static let date = "date"
    private static let names = LogQuery.Field.allCases.map(\.rawValue) + [date]

    private var scanner: UserQueryScanner
    private var terms = 0

    init(_ text: String) { scanner = UserQueryScanner(text) }

    mutating func parse() throws(UserQuerySyntaxError) -> LogQuery {
        scanner.skipBlanks()
        if scanner.isAtEnd { return .everything }
        let query = try alternatives(depth: 0)
        guard scanner.isAtEnd else { throw scanner.failure(.unbalancedParenthesis) }
        return query
    }

    private var isAtEndOfGroup: Bool { scanner.isAtEnd || scanner.next == ")" }

    private mutating func alternatives(depth: Int) throws(UserQuerySyntaxError) -> LogQuery {
        guard depth <= UserQuery.depthLimit else { throw scanner.failure(.tooDeep(limit: UserQuery.depthLimit)) }
        var wanted: [LogQuery] = []
        var unwanted: [LogQuery] = []
        repeat {
            let position = scanner.position
            let isOr = scanner.takeOperator("OR", "||")
            scanner.skipBlanks()
            if isOr, isAtEndOfGroup || (wanted.isEmpty && unwanted.isEmpty) {
                throw scanner.failure(.missingOperand("OR"), at: position)
            }
            let query = try conjunction(depth: depth)
            if case .not = query, !isOr { unwanted.append(query) } else { wanted.append(query) }
            scanner.skipBlanks()
        } while !isAtEndOfGroup
        if unwanted.isEmpty { return wanted.count == 1 ? wanted[0] : .any(wanted) }
        return .all(unwanted + (wanted.isEmpty ? [] : [.any(wanted)]))
    }

    private mutating func conjunction(depth: Int) throws(UserQuerySyntaxError) -> LogQuery {
        var queries = [try operand(depth: depth)]
        while true {
            scanner.skipBlanks()
            let position = scanner.position
            guard scanner.takeOperator("AND", "&&") else { break }
            scanner.skipBlanks()
            guard !isAtEndOfGroup else { throw scanner.failure(.missingOperand("AND"), at: position) }
            queries.append(try operand(depth: depth))
        }
        return queries.count == 1 ? queries[0] : .all(queries)
    }

    private mutating func operand(depth: Int) throws(UserQuerySyntaxError) -> LogQuery {
        guard depth <= UserQuery.depthLimit else { throw scanner.failure(.tooDeep(limit: UserQuery.depthLimit)) }
        let position = scanner.position
        if scanner.takeOperator("NOT", "!") || scanner.take("-") {
            scanner.skipBlanks()
            guard !isAtEndOfGroup else { throw scanner.failure(.missingOperand("NOT"), at: position) }
            return .not(try operand(depth: depth + 1))
        }
        if scanner.take("(") {
            scanner.skipBlanks()
            guard !isAtEndOfGroup else { throw scanner.failure(.missingTerm) }
            let query = try alternatives(depth: depth + 1)
            guard scanner.take(")") else { throw scanner.failure(.unbalancedParenthesis, at: position) }
            return query
        }
        return try term()
    }

    private mutating func term() throws(UserQuerySyntaxError) -> LogQuery {
        terms += 1
        guard terms <= UserQuery.termLimit else { throw scanner.failure(.tooManyTerms(limit: UserQuery.termLimit)) }
        let position = scanner.position
        let word = try scanner.word(stoppingAtColon: true)
        guard scanner.take(":"), let name = word.literal else {
            throw scanner.failure(.unexpected("term without a field"), at: position)
        }
        scanner.skipBlanks()
        let valuePosition = scanner.position
        let value = try scanner.value()
        if name == Self.date {
            guard let range = value.timeRange else { throw scanner.failure(.notATime(field: name), at: valuePosition) }
            return .all([range.from.map(LogQuery.since), range.before.map(LogQuery.before)].compactMap(\.self))
        }
        guard let field = LogQuery.Field(rawValue: name) else {
            let suggestion = Spelling.nearest(to: name, in: Self.names)
            throw scanner.failure(.unknownField(name, suggestion: suggestion), at: position)
        }
        guard let text = value.plainText else {
            throw scanner.failure(.unexpected("wildcard or range of \(name)"), at: valuePosition)
        }
        return .matches(field, text)
    }
}
