package import Primitives

/// Conversion of an option's text to a value, and its description in help.
package struct ValueKind<Value: Sendable>: Sendable {
    /// Name for the value in help, such as `N` or `FILE`.
    package let placeholder: String
    /// All accepted words, if the option has a fixed set.
    package let choices: [String]
    /// Keeps the given text out of messages.
    package let isSecret: Bool
    /// True if the value names a file or folder, which a shell can complete.
    package let isPath: Bool
    package let parse: @Sendable (String) throws(ValueProblem) -> Value
    /// Formats a value for help. `parse` accepts the result.
    package let spell: @Sendable (Value) -> String

    package init(
        placeholder: String, choices: [String] = [], isSecret: Bool = false, isPath: Bool = false,
        spell: @escaping @Sendable (Value) -> String, parse: @escaping @Sendable (String) throws(ValueProblem) -> Value
    ) {
        self.placeholder = placeholder
        self.choices = choices
        self.isSecret = isSecret
        self.isPath = isPath
        self.parse = parse
        self.spell = spell
    }

    package func placeholder(_ placeholder: String) -> ValueKind {
        ValueKind(
            placeholder: placeholder, choices: choices, isSecret: isSecret, isPath: isPath, spell: spell, parse: parse)
    }
}

/// The reason why a text is not a valid value.
package struct ValueProblem: Error, Sendable, Equatable {
    /// Completes "`--port` …", such as "must be a whole number from 1 to 65535".
    package let rule: String
    package let hint: String?

    package init(_ rule: String, hint: String? = nil) {
        self.rule = rule
        self.hint = hint
    }
}

extension ValueKind where Value == String {
    /// Any text that is not empty.
    package static var string: ValueKind { nonEmpty("TEXT") }

    /// The name of a file or folder. Its existence is not checked here.
    package static var path: ValueKind { nonEmpty("FILE", isPath: true) }

    /// One of these words.
    package static func choice(_ words: [String]) -> ValueKind {
        ValueKind(placeholder: words.joined(separator: "|"), choices: words, spell: { $0 }) {
            text throws(ValueProblem) in
            guard words.contains(text) else { throw .notAmong(words, text) }
            return text
        }
    }

    private static func nonEmpty(_ placeholder: String, isPath: Bool = false) -> ValueKind {
        ValueKind(placeholder: placeholder, isPath: isPath, spell: { $0 }) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem("must not be empty") }
            return text
        }
    }
}

extension ValueKind where Value == Int {
    /// A whole number in decimal digits.
    package static func integer(_ range: ClosedRange<Int>) -> ValueKind {
        ValueKind(placeholder: "N", spell: { String($0) }) { text throws(ValueProblem) in
            guard let number = Int(text), range.contains(number) else {
                throw ValueProblem("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}

extension ValueKind where Value == Duration {
    /// Whole numbers with units, in any order: `250ms`, `30s`, `5m`, `1h30m`, `7d`.
    package static func duration(_ range: ClosedRange<Duration> = .zero ... .seconds(3_153_600_000)) -> ValueKind {
        ValueKind(placeholder: "TIME", spell: spellDuration) { text throws(ValueProblem) in
            guard let value = parseDuration(text) else {
                throw ValueProblem(
                    "must be a time with a unit, such as 30s",
                    hint: "units are ms, s, m, h and d, and can be combined, as in 1h30m")
            }
            guard range.contains(value) else {
                throw ValueProblem(
                    "must be from \(spellDuration(range.lowerBound)) to \(spellDuration(range.upperBound))")
            }
            return value
        }
    }
}

extension ValueKind where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the enumeration's raw values.
    package static func choice(of type: Value.Type = Value.self) -> ValueKind {
        let words = Value.allCases.map(\.rawValue)
        return ValueKind(placeholder: words.joined(separator: "|"), choices: words, spell: { $0.rawValue }) {
            text throws(ValueProblem) in
            guard let value = Value(rawValue: text) else { throw .notAmong(words, text) }
            return value
        }
    }
}

extension ValueKind where Value == SecretBytes {
    /// A text that no message repeats. Prefer the environment or a prompt: other users can see a command's options.
    package static var secret: ValueKind<SecretBytes> {
        ValueKind(placeholder: "SECRET", isSecret: true, spell: { $0.description }) { text throws(ValueProblem) in
            guard !text.isEmpty else { throw ValueProblem("must not be empty") }
            return SecretBytes(utf8: text)
        }
    }
}

extension ValueProblem {
    static func notAmong(_ words: [String], _ text: String) -> ValueProblem {
        ValueProblem(
            "must be one of \(words.joined(separator: ", "))",
            hint: Spelling.nearest(to: text, in: words).map { "did you mean \($0)?" })
    }
}

private let durationUnits: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
]

private func parseDuration(_ text: String) -> Duration? {
    var rest = text[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        rest = rest.dropFirst(digits.count)
        let unit = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(unit.count)
        guard let count = Int64(digits), let scale = durationUnits.first(where: { $0.name == unit }) else { return nil }
        let (part, tooLong) = count.multipliedReportingOverflow(by: scale.milliseconds)
        let (sum, tooLongTogether) = total.addingReportingOverflow(part)
        guard !tooLong, !tooLongTogether else { return nil }
        total = sum
    }
    return .milliseconds(total)
}

/// Formats a duration as `ValueKind.duration` reads it, exact to the millisecond, with as few units as possible.
package func spellDuration(_ duration: Duration) -> String {
    var rest = max(0, duration.milliseconds)
    guard rest > 0 else { return "0s" }
    var text = ""
    for unit in durationUnits where rest >= unit.milliseconds {
        text += "\(rest / unit.milliseconds)\(unit.name)"
        rest %= unit.milliseconds
    }
    return text
}
