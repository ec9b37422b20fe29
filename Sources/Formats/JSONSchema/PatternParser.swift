/// The syntax tree of a pattern.
indirect enum PatternSyntax {
    case empty
    case characters(CharacterSet)
    case assertion(Pattern.Assertion)
    case sequence([PatternSyntax])
    case alternatives([PatternSyntax])
    /// Without an end where the greatest count is nil.
    case repetition(PatternSyntax, least: Int, most: Int?)
}

/// Reads the subset of ECMA-262 that `Pattern` documents.
struct PatternParser {
    /// Groups within one another.
    private static let depthLimit = 32

    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ source: String) { scalars = Array(source.unicodeScalars) }

    mutating func parse() throws(Pattern.Failure) -> PatternSyntax {
        let syntax = try alternatives(depth: 0)
        guard peek == nil else { throw failure("has a ) that closes no group; write \\) for the character") }
        return syntax
    }

    private var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func next() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        position += 1
        return scalar
    }

    private mutating func take(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    private func failure(_ reason: String) -> Pattern.Failure { Pattern.Failure(reason: reason) }

    private mutating func alternatives(depth: Int) throws(Pattern.Failure) -> PatternSyntax {
        var branches = [try sequence(depth: depth)]
        while take("|") { branches.append(try sequence(depth: depth)) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence(depth: Int) throws(Pattern.Failure) -> PatternSyntax {
        var parts: [PatternSyntax] = []
        while let scalar = peek, scalar != "|", scalar != ")" {
            let term = try term(depth: depth)
            guard let (least, most) = try quantifier() else {
                parts.append(term)
                continue
            }
            if case .assertion = term { throw failure("repeats an assertion, which matches no character") }
            parts.append(.repetition(term, least: least, most: most))
        }
        return parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func term(depth: Int) throws(Pattern.Failure) -> PatternSyntax {
        guard let scalar = next() else { return .empty }
        switch scalar {
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case ".": return .characters(.lineTerminator.inverted)
        case "[": return .characters(try characterClass())
        case "(": return try group(depth: depth + 1)
        case "*", "+", "?": throw failure("has a \(scalar) that repeats nothing; write \\\(scalar) for the character")
        case "{", "}", "]": throw failure("has a \(scalar) that stands alone; write \\\(scalar) for the character")
        case "\\":
            if take("b") { return .assertion(.wordBoundary) }
            if take("B") { return .assertion(.noWordBoundary) }
            return .characters(try escape(inClass: false))
        default: return .characters(CharacterSet(scalar))
        }
    }

    private mutating func group(depth: Int) throws(Pattern.Failure) -> PatternSyntax {
        guard depth <= Self.depthLimit else { throw failure("has groups deeper than \(Self.depthLimit)") }
        if take("?") {
            for lookAround in ["=", "!", "<=", "<!"] where take(lookAround) {
                throw failure("has the look-around (?\(lookAround), which is not supported")
            }
            if take("<") {
                let start = position
                while let scalar = peek, CharacterSet.word.contains(scalar) { position += 1 }
                guard position > start, take(">") else { throw failure("has a group whose name is not (?<letters>") }
            } else if !take(":") {
                throw failure("has a group (? of an unknown kind; use ( or (?:")
            }
        }
        let body = try alternatives(depth: depth)
        guard take(")") else { throw failure("has a ( that is not closed; write \\( for the character") }
        return body
    }

    private mutating func quantifier() throws(Pattern.Failure) -> (least: Int, most: Int?)? {
        let counts: (least: Int, most: Int?)
        if take("*") {
            counts = (0, nil)
        } else if take("+") {
            counts = (1, nil)
        } else if take("?") {
            counts = (0, 1)
        } else if take("{") {
            let least = try count()
            var most: Int? = least
            if take(",") { most = peek == "}" ? nil : try count() }
            guard take("}"), least <= most ?? least else {
                throw failure("has a repetition that is not {n}, {n,} or {n,m}; write \\{ for the character")
            }
            counts = (least, most)
        } else {
            return nil
        }
        // Lazy or greedy finds other matches, but finds one in the same texts.
        _ = take("?")
        return counts
    }

    private mutating func count() throws(Pattern.Failure) -> Int {
        var value: Int?
        while let digit = peek, ("0"..."9").contains(digit) {
            position += 1
            value = (value ?? 0) * 10 + Int(digit.value - 0x30)
            if let value, value > 10_000 { throw failure("repeats something more than 10000 times") }
        }
        guard let value else {
            throw failure("has a repetition that is not {n}, {n,} or {n,m}; write \\{ for the character")
        }
        return value
    }

    private mutating func characterClass() throws(Pattern.Failure) -> CharacterSet {
        let isInverted = take("^")
        var sets: [CharacterSet] = []
        while !take("]") {
            let first = try classAtom()
            guard peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                sets.append(first)
                continue
            }
            position += 1
            guard let lower = first.single, let upper = try classAtom().single, lower <= upper else {
                throw failure("has a range that is out of order or not between characters; write \\- for -")
            }
            sets.append(CharacterSet(lower...upper))
        }
        let set = CharacterSet(unionOf: sets)
        return isInverted ? set.inverted : set
    }

    private mutating func classAtom() throws(Pattern.Failure) -> CharacterSet {
        guard let scalar = next() else { throw failure("has a [ that is not closed; write \\[ for the character") }
        return scalar == "\\" ? try escape(inClass: true) : CharacterSet(scalar)
    }

    private mutating func escape(inClass: Bool) throws(Pattern.Failure) -> CharacterSet {
        guard let scalar = next() else { throw failure("ends in a \\; write \\\\ for the character") }
        switch scalar {
        case "d": return .digit
        case "D": return .noDigit
        case "w": return .word
        case "W": return .noWord
        case "s": return .space
        case "S": return .noSpace
        case "p": return try categories(isInverted: false)
        case "P": return try categories(isInverted: true)
        case "t": return CharacterSet("\t")
        case "n": return CharacterSet("\n")
        case "v": return CharacterSet("\u{0B}")
        case "f": return CharacterSet("\u{0C}")
        case "r": return CharacterSet("\r")
        case "b" where inClass: return CharacterSet("\u{08}")
        case "-" where inClass: return CharacterSet("-")
        case "0" where peek.map { !("0"..."9").contains($0) } ?? true: return CharacterSet("\0")
        case "1"..."9", "k": throw failure("has the back-reference \\\(scalar), which is not supported")
        case "c":
            guard let letter = next(), ("a"..."z").contains(letter) || ("A"..."Z").contains(letter) else {
                throw failure("has a \\c without a letter")
            }
            return CharacterSet(Unicode.Scalar(UInt8(letter.value & 0x1F)))
        case "x": return try character(digits: 2)
        case "u":
            if take("{") { return try bracedCharacter() }
            return try character(digits: 4)
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return CharacterSet(scalar)
        default: throw failure("has the unknown escape \\\(scalar); write the character without \\")
        }
    }

    private mutating func categories(isInverted: Bool) throws(Pattern.Failure) -> CharacterSet {
        guard take("{") else { throw failure("has a \\p without {…}") }
        var name = ""
        while let scalar = next(), scalar != "}" { name.unicodeScalars.append(scalar) }
        guard let set = CharacterSet(generalCategory: name, isInverted: isInverted) else {
            throw failure("has \\p{\(name)}, which is not supported; use a general category such as L, Lu or Nd")
        }
        return set
    }

    private mutating func character(digits: Int) throws(Pattern.Failure) -> CharacterSet {
        var value = try hexadecimal(digits: digits)
        if (0xD800..<0xDC00).contains(value), take("\\u") {
            let low = try hexadecimal(digits: 4)
            guard (0xDC00..<0xE000).contains(low) else { throw failure("has a surrogate that stands alone") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(value) else { throw failure("has a surrogate that stands alone") }
        return CharacterSet(scalar)
    }

    private mutating func hexadecimal(digits: Int) throws(Pattern.Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = hexadecimalDigit(at: position) else {
                throw failure("has a \\x or \\u without its hexadecimal digits")
            }
            position += 1
            value = value << 4 | digit
        }
        return value
    }

    private func hexadecimalDigit(at index: Int) -> UInt32? {
        guard scalars.indices.contains(index) else { return nil }
        guard scalars[index].isASCII else { return nil }
        return Character(scalars[index]).hexDigitValue.map(UInt32.init)
    }

    private mutating func bracedCharacter() throws(Pattern.Failure) -> CharacterSet {
        var value: UInt32 = 0
        let start = position
        while value <= 0x10FFFF, let digit = hexadecimalDigit(at: position) {
            value = value << 4 | digit
            position += 1
        }
        guard position > start, take("}"), let scalar = Unicode.Scalar(value) else {
            throw failure("has a \\u{…} that is no code point")
        }
        return CharacterSet(scalar)
    }
}
