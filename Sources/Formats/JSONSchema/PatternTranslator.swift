/// Translates ECMA-262 with the `u` flag (22.2.1) to RE2's syntax, in one pass. Supports the part that `Pattern`
/// documents. Every character but letters and digits is written by its number, so that none is special to RE2.
struct PatternTranslator {
    struct Limits {
        /// Maximum nesting of groups.
        let depth: Int
        let weight: Int
    }

    private let scalars: [Unicode.Scalar]
    private let limits: Limits
    private var position = 0
    private var groups = 0
    private var names: Set<String> = []
    private var references: (number: Int, names: Set<String>) = (0, [])

    private(set) var output = ""
    private(set) var weight = 0
    /// The first construct of ECMA-262 that is not supported.
    private(set) var unsupported: Pattern.Failure?

    init(_ source: String, limits: Limits) {
        // One more than the limit, so that longer patterns are detected.
        scalars = Array(source.unicodeScalars.prefix(Pattern.lengthLimit + 1))
        self.limits = limits
    }

    mutating func translate() throws(Pattern.Failure) {
        weight = try alternatives(depth: 0)
        guard peek == nil else { throw failure("has a ) that closes no group; write \\) for the character") }
        guard references.number <= groups, references.names.isSubset(of: names) else {
            throw failure("has a back-reference to a group that does not exist")
        }
    }

    // MARK: Terms

    private mutating func alternatives(depth: Int) throws(Pattern.Failure) -> Int {
        var weight = try sequence(depth: depth)
        while take("|") {
            output += "|"
            weight = try bounded(weight + 2 + sequence(depth: depth))
        }
        return weight
    }

    private mutating func sequence(depth: Int) throws(Pattern.Failure) -> Int {
        var weight = 1
        while let scalar = peek, scalar != "|", scalar != ")" {
            let term = try term(depth: depth)
            let repeated = try quantifier(over: term.weight)
            if repeated != nil, term.isAssertion { throw failure("repeats an assertion, which matches no character") }
            weight = try bounded(weight + (repeated ?? term.weight))
        }
        return weight
    }

    private mutating func term(depth: Int) throws(Pattern.Failure) -> (weight: Int, isAssertion: Bool) {
        guard let scalar = next() else { return (0, false) }
        switch scalar {
        case "^": return assertion("\\A")
        case "$": return assertion("\\z")
        // 22.2.2.7: any character but the line terminators of 12.3.
        case ".": return (write("[^\\x{A}\\x{D}\\x{2028}\\x{2029}]", weighing: 32), false)
        case "[": return (try characterClass(), false)
        case "(": return try group(depth: depth + 1)
        case "*", "+", "?": throw failure("has a \(scalar) that repeats nothing; write \\\(scalar) for the character")
        case "{", "}", "]": throw failure("has a \(scalar) that stands alone; write \\\(scalar) for the character")
        case "\\":
            if take("b") { return assertion("\\b") }
            if take("B") { return assertion("\\B") }
            if let digit = peek, ("1"..."9").contains(digit) || digit == "k" { return (try backReference(), false) }
            switch try escape(inClass: false) {
            case .character(let character): return (write(character), false)
            case .set(let text, let weight): return (write("[\(text)]", weighing: weight), false)
            }
        default: return (write(scalar), false)
        }
    }

    private mutating func assertion(_ text: String) -> (weight: Int, isAssertion: Bool) {
        (write(text, weighing: 1), true)
    }

    private mutating func group(depth: Int) throws(Pattern.Failure) -> (weight: Int, isAssertion: Bool) {
        guard depth <= limits.depth else { throw failure("has groups deeper than \(limits.depth)") }
        var isAssertion = false
        if take("?") {
            let lookAround = ["=", "!", "<=", "<!"].first { take($0) }
            if let lookAround {
                isAssertion = true
                refuse("has the look-around (?\(lookAround), which is not supported")
            } else if take("<") {
                groups += 1
                guard let name = name() else { throw failure("has a group whose name is not (?<letters>") }
                guard names.insert(name).inserted else { throw failure("has two groups named \(name)") }
            } else if !take(":") {
                throw failure("has a group (? of an unknown kind; use ( or (?:")
            }
        } else {
            groups += 1
        }
        output += "(?:"
        let weight = try alternatives(depth: depth)
        guard take(")") else { throw failure("has a ( that is not closed; write \\( for the character") }
        output += ")"
        return (weight, isAssertion)
    }

    /// Reads a name after `(?<` or `\k<`, including the `>`.
    private mutating func name() -> String? {
        var name = String.UnicodeScalarView()
        while let scalar = peek, scalar == "_" || scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
        {
            name.append(scalar)
            position += 1
        }
        return name.isEmpty || !take(">") ? nil : String(name)
    }

    private mutating func backReference() throws(Pattern.Failure) -> Int {
        let first = peek.map(String.init) ?? ""
        refuse("has the back-reference \\\(first), which is not supported")
        if take("k") {
            guard take("<"), let name = name() else { throw failure("has a back-reference that is not \\k<name>") }
            references.names.insert(name)
        } else {
            var number = 0
            while let digit = peek, isDigit(digit) {
                // The bound exceeds the groups of any pattern.
                number = min(number * 10 + Int(digit.value - 0x30), Pattern.lengthLimit + 1)
                position += 1
            }
            references.number = max(references.number, number)
        }
        return 1
    }

    /// Weight of the repetition. Nil if no quantifier follows.
    private mutating func quantifier(over weight: Int) throws(Pattern.Failure) -> Int? {
        let repeated: Int
        if take("*") {
            output += "*"
            repeated = weight + 1
        } else if take("+") {
            output += "+"
            repeated = weight + 1
        } else if take("?") {
            output += "?"
            repeated = weight + 1
        } else if take("{") {
            let least = try count()
            var most: Int? = least
            if take(",") { most = peek == "}" ? nil : try count() }
            guard take("}"), least <= most ?? least else {
                throw failure("has a repetition that is not {n}, {n,} or {n,m}; write \\{ for the character")
            }
            output += most == least ? "{\(least)}" : "{\(least),\(most.map(String.init) ?? "")}"
            // `{0}` has a cost too: RE2 reads the repeated part before it drops it.
            repeated = (weight + 1) * max(most ?? least, 1) + 1
        } else {
            return nil
        }
        // Lazy quantifiers find other matches, but in the same texts.
        _ = take("?")
        return try bounded(repeated)
    }

    private mutating func count() throws(Pattern.Failure) -> Int {
        var value: Int?
        while let digit = peek, isDigit(digit) {
            position += 1
            value = min((value ?? 0) * 10 + Int(digit.value - 0x30), Pattern.repetitionLimit + 1)
        }
        guard let value else {
            throw failure("has a repetition that is not {n}, {n,} or {n,m}; write \\{ for the character")
        }
        if value > Pattern.repetitionLimit {
            refuse("is too large: it repeats something more than \(Pattern.repetitionLimit) times")
        }
        return min(value, Pattern.repetitionLimit)
    }

    // MARK: Classes and escapes

    /// Meaning of an escape: a character, or the inside of a class in RE2's syntax.
    private enum Escaped {
        case character(Unicode.Scalar)
        case set(String, weight: Int)
    }

    private mutating func characterClass() throws(Pattern.Failure) -> Int {
        let isInverted = take("^")
        var text = ""
        var weight = 4
        while !take("]") {
            // ECMA-262 reads `[:` as single characters, which is never meant.
            if take("[:") { throw failure("has a POSIX class [:name:], which is not supported; use a range or \\p{…}") }
            let first = try classAtom()
            guard peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                switch first {
                case .character(let character):
                    text += Self.written(character)
                    weight += 4
                case .set(let set, let setWeight):
                    text += set
                    weight += setWeight
                }
                weight = try bounded(weight)
                continue
            }
            position += 1
            guard case .character(let lower) = first, case .character(let upper) = try classAtom(), lower <= upper
            else {
                throw failure("has a range that is out of order or not between characters; write \\- for -")
            }
            text += "\(Self.written(lower))-\(Self.written(upper))"
            weight = try bounded(weight + (upper.isASCII ? 2 : 48))
        }
        guard !text.isEmpty else { return write(isInverted ? "[\(Self.all)]" : "[^\(Self.all)]", weighing: 16) }
        return write(isInverted ? "[^\(text)]" : "[\(text)]", weighing: isInverted ? weight + 24 : weight)
    }

    private mutating func classAtom() throws(Pattern.Failure) -> Escaped {
        guard let scalar = next() else { throw failure("has a [ that is not closed; write \\[ for the character") }
        return scalar == "\\" ? try escape(inClass: true) : .character(scalar)
    }

    private mutating func escape(inClass: Bool) throws(Pattern.Failure) -> Escaped {
        guard let scalar = next() else { throw failure("ends in a \\; write \\\\ for the character") }
        switch scalar {
        // 22.2.2.9: sets of ECMA-262, some of which differ in RE2.
        case "d": return .set("0-9", weight: 2)
        case "D": return .set("\\x{0}-\\x{2F}\\x{3A}-\\x{10FFFF}", weight: 24)
        case "w": return .set("0-9A-Z\\x{5F}a-z", weight: 8)
        case "W": return .set("\\x{0}-\\x{2F}\\x{3A}-\\x{40}\\x{5B}-\\x{5E}\\x{60}\\x{7B}-\\x{10FFFF}", weight: 32)
        case "s": return .set(Self.space, weight: 64)
        case "S": return .set(Self.noSpace, weight: 128)
        case "p", "P": return try category(letter: scalar)
        case "t": return .character("\t")
        case "n": return .character("\n")
        case "v": return .character("\u{0B}")
        case "f": return .character("\u{0C}")
        case "r": return .character("\r")
        case "b" where inClass: return .character("\u{08}")
        case "-" where inClass: return .character("-")
        case "0" where peek.map { !isDigit($0) } ?? true: return .character("\0")
        case "1"..."9", "k": throw failure("has the back-reference \\\(scalar), which is not supported")
        case "c":
            guard let letter = next(), ("a"..."z").contains(letter) || ("A"..."Z").contains(letter) else {
                throw failure("has a \\c without a letter")
            }
            return .character(Unicode.Scalar(UInt8(letter.value & 0x1F)))
        case "x": return .character(try character(digits: 2))
        case "u": return .character(take("{") ? try bracedCharacter() : try character(digits: 4))
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return .character(scalar)
        default: throw failure("has the unknown escape \\\(scalar); write the character without \\")
        }
    }

    private static let all = "\\x{0}-\\x{10FFFF}"
    private static let space =
        "\\x{9}-\\x{D}\\x{20}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}"
    private static let noSpace =
        "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}"
        + "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}"

    /// Unicode 4.5, table 4-4. C and Cn are missing, because RE2 does not know Cn.
    private static let categories: Set<String> = [
        "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe",
        "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co",
    ]

    private mutating func category(letter: Unicode.Scalar) throws(Pattern.Failure) -> Escaped {
        guard take("{") else { throw failure("has a \\\(letter) without {…}") }
        var name = ""
        while let scalar = next(), scalar != "}" {
            guard
                scalar == "_" || scalar == "=" || scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
            else { throw failure("has a \\\(letter){…} that names no property") }
            name.unicodeScalars.append(scalar)
        }
        if !Self.categories.contains(name) {
            refuse(
                "has \\\(letter){\(name)}, which is not supported; use a general category such as L, Lu or Nd, but not C or Cn"
            )
        }
        return .set("\\\(letter){\(name)}", weight: 1_300)
    }

    private mutating func character(digits: Int) throws(Pattern.Failure) -> Unicode.Scalar {
        var value = try hexadecimal(digits: digits)
        if digits == 4, (0xD800..<0xDC00).contains(value), take("\\u") {
            let low = try hexadecimal(digits: 4)
            guard (0xDC00..<0xE000).contains(low) else { return loneSurrogate() }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        return Unicode.Scalar(value) ?? loneSurrogate()
    }

    /// Refuses a lone surrogate, which no text can contain.
    private mutating func loneSurrogate() -> Unicode.Scalar {
        refuse("has a surrogate that stands alone, which is not supported")
        return "\u{FFFD}"
    }

    private mutating func hexadecimal(digits: Int) throws(Pattern.Failure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = peek.flatMap(hexadecimalDigit) else {
                throw failure("has a \\x or \\u without its hexadecimal digits")
            }
            position += 1
            value = value << 4 | digit
        }
        return value
    }

    private mutating func bracedCharacter() throws(Pattern.Failure) -> Unicode.Scalar {
        var value: UInt32 = 0
        let start = position
        while value <= 0x10FFFF, let digit = peek.flatMap(hexadecimalDigit) {
            value = value << 4 | digit
            position += 1
        }
        guard position > start, take("}"), value <= 0x10FFFF else {
            throw failure("has a \\u{…} that is no code point")
        }
        return Unicode.Scalar(value) ?? loneSurrogate()
    }

    // MARK: Reading and writing

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

    private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private func hexadecimalDigit(_ scalar: Unicode.Scalar) -> UInt32? {
        scalar.isASCII ? Character(scalar).hexDigitValue.map(UInt32.init) : nil
    }

    private mutating func write(_ text: String, weighing weight: Int) -> Int {
        output += text
        return weight
    }

    private mutating func write(_ scalar: Unicode.Scalar) -> Int {
        write(Self.written(scalar), weighing: UTF8.width(scalar))
    }

    private static func written(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z": String(scalar)
        default: "\\x{\(String(scalar.value, radix: 16, uppercase: true))}"
        }
    }

    private func bounded(_ weight: Int) throws(Pattern.Failure) -> Int {
        if weight > limits.weight { throw .tooLarge }
        // Clamped, so that multiplying it cannot overflow if there is no limit.
        return min(weight, 1 << 40)
    }

    private mutating func refuse(_ reason: String) { unsupported = unsupported ?? failure(reason) }

    private func failure(_ reason: String) -> Pattern.Failure { Pattern.Failure(reason: reason) }
}
