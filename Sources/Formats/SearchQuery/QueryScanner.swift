/// Splits a query into tokens.
package struct QueryScanner {
    private let characters: [Unicode.Scalar]
    private(set) var position = 0

    package init(_ text: String) { characters = Array(text.unicodeScalars) }

    package var isAtEnd: Bool { position >= characters.count }

    /// NUL only at the end: queries contain none.
    package var next: Unicode.Scalar { isAtEnd ? "\0" : characters[position] }

    package func failure(_ reason: QuerySyntaxError.Reason, at position: Int? = nil) -> QuerySyntaxError {
        QuerySyntaxError(reason, at: position ?? self.position)
    }

    package mutating func skipBlanks() { while !isAtEnd, next.properties.isWhitespace { position += 1 } }

    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard !isAtEnd, next == character else { return false }
        position += 1
        return true
    }

    /// Takes an operator: symbols, or a word that stands alone.
    package mutating func takeOperator(_ word: String, _ symbol: String? = nil) -> Bool {
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
    package mutating func value() throws(QuerySyntaxError) -> QueryValue {
        switch next {
        case "\"": .phrase(try phrase())
        case "[", "{": try range()
        default: .word(try wholeWord())
        }
    }

    private mutating func wholeWord() throws(QuerySyntaxError) -> TextPattern {
        try refuseRegularExpression()
        return try word(stoppingAtColon: false)
    }

    /// `/` starts a regular expression (Lucene: Regexp Searches).
    package func refuseRegularExpression() throws(QuerySyntaxError) {
        if next == "/" { throw failure(.unsupported("/")) }
    }

    /// Characters up to a blank or a bracket, at least one.
    package mutating func word(stoppingAtColon: Bool) throws(QuerySyntaxError) -> TextPattern {
        var pieces: [TextPattern.Piece] = []
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
            case "~", "^": throw failure(.unsupported(String(next)))
            case "\\":
                position += 1
                if isAtEnd { throw failure(.danglingEscape, at: position - 1) }
                literal.append(next)
            default: literal.append(next)
            }
            position += 1
        }
        flush()
        if position == start {
            throw isAtEnd || next == ")" ? failure(.missingTerm) : failure(.unexpected(String(next)))
        }
        return TextPattern(pieces)
    }

    private mutating func phrase() throws(QuerySyntaxError) -> String {
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

    private mutating func range() throws(QuerySyntaxError) -> QueryValue {
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
        func bound(_ end: (text: String, isWord: Bool)?, _ isInclusive: Bool) -> QueryValue.End? {
            end.map { QueryValue.End(text: $0.text, isWord: $0.isWord, isInclusive: isInclusive) }
        }
        return .range(lower: bound(lower, isLowerInclusive), upper: bound(upper, isUpperInclusive))
    }

    /// One end of the range that began at `start`; nil for `*`.
    private mutating func end(of start: Int) throws(QuerySyntaxError) -> (text: String, isWord: Bool)? {
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
