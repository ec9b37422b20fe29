/// What stands for a field's value in a query.
enum UserQueryValue: Equatable {
    case word(UserQuery.TextPattern)
    case phrase(String)
    /// Nil ends are open. `isWord` tells numbers from phrases that look like one.
    case range(lower: End?, upper: End?)

    struct End: Equatable {
        let text: String
        let isWord: Bool
        let isInclusive: Bool

        var bound: UserQuery.Bound<String> { UserQuery.Bound(text, isInclusive: isInclusive) }
    }
}

extension UserQuery.TextPattern {
    /// The text of a word without wildcards.
    var literal: String? {
        switch pieces.count {
        case 0: return ""
        case 1: if case .literal(let text) = pieces[0] { return text } else { return nil }
        default: return nil
        }
    }

    /// `*` alone.
    var isEveryone: Bool { pieces == [.anyNumber] }
}

/// Takes the tokens of a query one by one.
struct UserQueryScanner {
    private let characters: [Unicode.Scalar]
    private(set) var position = 0

    init(_ text: String) { characters = Array(text.unicodeScalars) }

    var isAtEnd: Bool { position >= characters.count }

    /// NUL at the end, and nowhere else: queries have none.
    var next: Unicode.Scalar { isAtEnd ? "\0" : characters[position] }

    func failure(_ reason: UserQuerySyntaxError.Reason, at position: Int? = nil) -> UserQuerySyntaxError {
        UserQuerySyntaxError(reason, at: position ?? self.position)
    }

    mutating func skipBlanks() {
        while !isAtEnd, next.properties.isWhitespace { position += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard !isAtEnd, next == character else { return false }
        position += 1
        return true
    }

    /// Takes an operator in letters, which must stand alone, or in symbols.
    mutating func takeOperator(_ word: String, _ symbol: String? = nil) -> Bool {
        if let symbol, starts(with: symbol) {
            position += symbol.unicodeScalars.count
            return true
        }
        let end = position + word.unicodeScalars.count
        guard starts(with: word), end >= characters.count || Self.endsWord(characters[end]) else { return false }
        position = end
        return true
    }

    private func starts(with text: String) -> Bool {
        characters[min(position, characters.count)...].starts(with: text.unicodeScalars)
    }

    private static func endsWord(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "(", ")", "[", "]", "{", "}", "\"": true
        default: character.properties.isWhitespace
        }
    }

    /// A word, a phrase or a range.
    mutating func value() throws(UserQuerySyntaxError) -> UserQueryValue {
        switch next {
        case "\"": .phrase(try phrase())
        case "[", "{": try range()
        default: .word(try wholeWord())
        }
    }

    private mutating func wholeWord() throws(UserQuerySyntaxError) -> UserQuery.TextPattern {
        try refuseRegularExpression()
        return try word(stoppingAtColon: false)
    }

    /// What begins with `/` would be one (Lucene: Regexp Searches).
    func refuseRegularExpression() throws(UserQuerySyntaxError) {
        if next == "/" { throw failure(.unsupported("/")) }
    }

    /// Characters up to a blank or a bracket, at least one.
    mutating func word(stoppingAtColon: Bool) throws(UserQuerySyntaxError) -> UserQuery.TextPattern {
        var pieces: [UserQuery.TextPattern.Piece] = []
        var literal = String.UnicodeScalarView()
        func flush() {
            if !literal.isEmpty { pieces.append(.literal(String(literal))) }
            literal = String.UnicodeScalarView()
        }
        let start = position
        while !isAtEnd, !Self.endsWord(next), !(stoppingAtColon && next == ":") {
            switch next {
            case "*":
                flush()
                pieces.append(.anyNumber)
            case "?":
                flush()
                pieces.append(.one)
            case "~", "^":
                throw failure(.unsupported(String(next)))
            case "\\":
                position += 1
                if isAtEnd { throw failure(.danglingEscape, at: position - 1) }
                literal.append(next)
            default:
                literal.append(next)
            }
            position += 1
        }
        flush()
        if position == start {
            throw isAtEnd || next == ")" ? failure(.missingTerm) : failure(.unexpected(String(next)))
        }
        return UserQuery.TextPattern(pieces)
    }

    private mutating func phrase() throws(UserQuerySyntaxError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        while !isAtEnd, next != "\"" {
            if next == "\\" {
                position += 1
                if isAtEnd { break }
            }
            text.append(next)
            position += 1
        }
        guard take("\"") else { throw failure(.unterminatedPhrase, at: start) }
        if next == "~" || next == "^" { throw failure(.unsupported(String(next))) }
        return String(text)
    }

    private mutating func range() throws(UserQuerySyntaxError) -> UserQueryValue {
        let start = position
        let isLowerInclusive = take("[")
        if !isLowerInclusive { _ = take("{") }
        let lower = try end(of: start)
        skipBlanks()
        if isAtEnd { throw failure(.unterminatedRange, at: start) }
        guard takeOperator("TO") else { throw failure(.malformedRange, at: start) }
        let upper = try end(of: start)
        skipBlanks()
        if isAtEnd { throw failure(.unterminatedRange, at: start) }
        let isUpperInclusive = take("]")
        if !isUpperInclusive, !take("}") { throw failure(.malformedRange, at: start) }
        func bound(_ end: (text: String, isWord: Bool)?, _ isInclusive: Bool) -> UserQueryValue.End? {
            end.map { UserQueryValue.End(text: $0.text, isWord: $0.isWord, isInclusive: isInclusive) }
        }
        return .range(lower: bound(lower, isLowerInclusive), upper: bound(upper, isUpperInclusive))
    }

    /// One end of the range that began at `start`; nil for `*`.
    private mutating func end(of start: Int) throws(UserQuerySyntaxError) -> (text: String, isWord: Bool)? {
        skipBlanks()
        if isAtEnd { throw failure(.unterminatedRange, at: start) }
        if next == "\"" { return (try phrase(), false) }
        let wordPosition = position
        guard !Self.endsWord(next) else { throw failure(.malformedRange, at: start) }
        let word = try word(stoppingAtColon: false)
        if word.isEveryone { return nil }
        guard let text = word.literal else { throw failure(.unexpected("wildcard"), at: wordPosition) }
        return (text, true)
    }
}
