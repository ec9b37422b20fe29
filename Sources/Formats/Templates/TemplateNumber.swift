/// A number of Liquid. Sums, differences and products are exact before they are rounded to a double, so 10.1 minus 2.2 is
/// 7.9. All work takes a bounded time.
enum TemplateNumber: Sendable {
    case whole(Int128)
    case fraction(Double)

    /// `literal` is a number of JSON or of a template. Whole numbers beyond 128 bits are rounded.
    init?(_ literal: String) {
        if let whole = Int128(literal) {
            self = .whole(whole)
        } else if let number = Double(literal) {
            self = .fraction(number)
        } else {
            return nil
        }
    }

    init(_ whole: Int) { self = .whole(Int128(whole)) }

    /// The number at the start of a text: with decimals if the text is nothing else, or else whole. 0 if there is none.
    init(startOf text: String) {
        let bytes = text.utf8.drop { $0.isLiquidSpace }
        var digits = bytes.prefix(Self.lengthLimit)
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, bytes.count < Self.lengthLimit, bytes.first != UInt8(ascii: "+"),
            let decimals = parts.last?.prefix(while: \.isDigit), !decimals.isEmpty, parts[0].first?.isDigit == true,
            parts[0].allSatisfy(\.isDigit), parts[1].dropFirst(decimals.count).allSatisfy(\.isLiquidSpace),
            let number = Double("\(isNegative ? "-" : "")\(Substring(parts[0])).\(Substring(decimals))")
        {
            self = .fraction(number)
            return
        }
        var literal = isNegative ? "-" : ""
        var wasDigit = false
        for byte in digits {
            // A single underscore may stand between digits.
            guard byte.isDigit || byte == UInt8(ascii: "_") && wasDigit else { break }
            wasDigit = byte.isDigit
            if wasDigit { literal.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        self = TemplateNumber(literal) ?? .whole(0)
    }

    /// Maximum bytes of a text that are read as a number.
    private static let lengthLimit = 400

    var double: Double {
        switch self {
        case .whole(let whole): Double(whole)
        case .fraction(let number): number
        }
    }

    /// Nil for a fraction. Numbers beyond the range are at its ends, half of which an `Int` can add without overflow.
    var int: Int? {
        guard case .whole(let whole) = self else { return nil }
        return Int(min(max(whole, -Self.intLimit), Self.intLimit))
    }

    private static let intLimit = Int128(1) << 61

    /// Cut to a whole number.
    var truncated: Int {
        switch self {
        case .whole: int ?? 0
        case .fraction(let number): number.magnitude < 1e18 ? Int(number) : 0
        }
    }

    /// As Ruby writes it: fractions with the fewest digits that tell them apart, and at least one decimal.
    var spelled: String {
        switch self {
        case .whole(let whole): return String(whole)
        case .fraction(let number):
            guard number.isFinite else { return number > 0 ? "Infinity" : "-Infinity" }
            let decimal = Decimal(number)
            let sign = number.sign == .minus ? "-" : ""
            var digits = String(decimal.significand.magnitude)
            // The point stands after this many digits.
            let point = digits.count + decimal.exponent
            if number == 0 { return sign + "0.0" }
            if !(-3...15).contains(point) {
                let first = digits.removeFirst()
                let exponent = point - 1
                let spelledExponent = exponent.magnitude < 10 ? "0\(exponent.magnitude)" : "\(exponent.magnitude)"
                return "\(sign)\(first).\(digits.isEmpty ? "0" : digits)e\(exponent < 0 ? "-" : "+")\(spelledExponent)"
            }
            if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
            if point >= digits.count {
                return sign + digits + String(repeating: "0", count: point - digits.count) + ".0"
            }
            return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        }
    }
}

extension UInt8 {
    var isDigit: Bool { (0x30...0x39).contains(self) }
    /// True for white space of ASCII.
    var isLiquidSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

/// A significand times ten to an exponent.
private struct Decimal {
    var significand: Int128
    var exponent: Int

    init(_ significand: Int128, _ exponent: Int) {
        self.significand = significand
        self.exponent = exponent
    }

    /// The shortest decimal that is rounded to this finite double.
    init(_ number: Double) {
        var digits = ""
        var exponent = 0
        var inFraction = false
        var rest = Substring("\(number)")
        while let character = rest.popFirst() {
            switch character {
            case ".": inFraction = true
            case "e":
                exponent += Int(rest) ?? 0
                rest = ""
            default:
                digits.append(character)
                if inFraction { exponent -= 1 }
            }
        }
        var significand = Int128(digits) ?? 0
        while significand != 0, significand % 10 == 0 {
            significand /= 10
            exponent += 1
        }
        self.init(significand, exponent)
    }

    init(_ number: TemplateNumber) {
        switch number {
        case .whole(let whole): self.init(whole, 0)
        case .fraction(let number): self = number.isFinite ? Decimal(number) : Decimal(0, 0)
        }
    }

    var double: Double { Double("\(significand)e\(exponent)") ?? 0 }

    /// Nil if 128 bits are too few.
    static func power(_ exponent: Int) -> Int128? {
        guard (0...38).contains(exponent) else { return nil }
        return (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 }
    }

    /// The significands by the smaller exponent of both. Nil if 128 bits are too few.
    static func aligned(_ one: Decimal, _ other: Decimal) -> (Int128, Int128, exponent: Int)? {
        let exponent = min(one.exponent, other.exponent)
        func scaled(_ decimal: Decimal) -> Int128? {
            guard decimal.significand != 0 else { return 0 }
            guard let power = power(decimal.exponent - exponent) else { return nil }
            let (product, isBeyond) = decimal.significand.multipliedReportingOverflow(by: power)
            return isBeyond ? nil : product
        }
        guard let one = scaled(one), let other = scaled(other) else { return nil }
        return (one, other, exponent)
    }

    /// Rounded to this many decimals by `rule`.
    func rounded(to places: Int, _ rule: FloatingPointRoundingRule) -> Decimal {
        let dropped = -exponent - places
        guard dropped > 0 else { return self }
        guard let power = Self.power(dropped) else {
            let isAway = rule == .up && significand > 0 || rule == .down && significand < 0
            return Decimal(isAway ? significand.signum() : 0, -places)
        }
        var (quotient, remainder) = significand.quotientAndRemainder(dividingBy: power)
        switch rule {
        case .up: if remainder > 0 { quotient += 1 }
        case .down: if remainder < 0 { quotient -= 1 }
        default: if remainder.magnitude >= power.magnitude - remainder.magnitude { quotient += significand.signum() }
        }
        return Decimal(quotient, -places)
    }

    var number: TemplateNumber {
        guard significand != 0 else { return .whole(0) }
        guard let power = Self.power(exponent) else { return .fraction(double) }
        let (whole, isBeyond) = significand.multipliedReportingOverflow(by: power)
        return isBeyond ? .fraction(double) : .whole(whole)
    }
}

// MARK: arithmetic

extension TemplateNumber {
    static func + (one: TemplateNumber, other: TemplateNumber) -> TemplateNumber {
        sum(one, other, { $0.addingReportingOverflow($1) }, +)
    }

    static func - (one: TemplateNumber, other: TemplateNumber) -> TemplateNumber {
        sum(one, other, { $0.subtractingReportingOverflow($1) }, -)
    }

    private static func sum(
        _ one: TemplateNumber, _ other: TemplateNumber,
        _ exact: (Int128, Int128) -> (partialValue: Int128, overflow: Bool), _ rounded: (Double, Double) -> Double
    ) -> TemplateNumber {
        // Numbers that are too far apart for 128 bits differ in no digit that a double has.
        guard let (left, right, exponent) = Decimal.aligned(Decimal(one), Decimal(other)), one.isFinite, other.isFinite
        else { return .fraction(rounded(one.double, other.double)) }
        let (sum, isBeyond) = exact(left, right)
        if isBeyond { return .fraction(rounded(one.double, other.double)) }
        return result(Decimal(sum, exponent), one, other)
    }

    static func * (one: TemplateNumber, other: TemplateNumber) -> TemplateNumber {
        let (left, right) = (Decimal(one), Decimal(other))
        let (product, isBeyond) = left.significand.multipliedReportingOverflow(by: right.significand)
        guard !isBeyond, one.isFinite, other.isFinite else { return .fraction(one.double * other.double) }
        return result(Decimal(product, left.exponent + right.exponent), one, other)
    }

    /// Whole if both are.
    private static func result(_ decimal: Decimal, _ one: TemplateNumber, _ other: TemplateNumber) -> TemplateNumber {
        if case (.whole, .whole) = (one, other) { return decimal.number }
        return .fraction(decimal.double)
    }

    /// Rounded down if both are whole. Nil for a division by zero.
    func divided(by other: TemplateNumber) -> TemplateNumber? {
        if case (.whole(let one), .whole(let other)) = (self, other) {
            return Self.floored(one, other).map { .whole($0.quotient) }
        }
        let (left, right) = (Decimal(self), Decimal(other))
        guard right.significand != 0 else { return nil }
        // 18 digits of a divisor leave 19 of the quotient, more than a double has.
        guard isFinite, other.isFinite, right.significand.magnitude < 1_000_000_000_000_000_000 else {
            return .fraction(double / other.double)
        }
        var (significand, exponent) = (left.significand, left.exponent - right.exponent)
        while significand != 0, significand.magnitude < 1_000_000_000_000_000_000_000_000_000_000_000_000 {
            significand *= 10
            exponent -= 1
        }
        let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: right.significand)
        guard remainder != 0, quotient.magnitude < 10_000_000_000_000_000_000_000_000_000_000_000_000 else {
            return .fraction(Decimal(quotient, exponent).double)
        }
        // One more digit shows that the quotient goes on.
        let isNegative = (significand < 0) != (right.significand < 0)
        return .fraction(Decimal(quotient * 10 + (isNegative ? -1 : 1), exponent - 1).double)
    }

    /// Remainder with the sign of `other`. Nil for a division by zero.
    func remainder(by other: TemplateNumber) -> TemplateNumber? {
        let (left, right) = (Decimal(self), Decimal(other))
        guard right.significand != 0 else { return nil }
        guard let (one, divisor, exponent) = Decimal.aligned(left, right), isFinite, other.isFinite else {
            let quotient = (double / other.double).rounded(.down)
            return .fraction(double - other.double * quotient)
        }
        return Self.floored(one, divisor).map { Self.result(Decimal($0.remainder, exponent), self, other) }
    }

    private static func floored(_ one: Int128, _ other: Int128) -> (quotient: Int128, remainder: Int128)? {
        guard other != 0 else { return nil }
        // The least number has no opposite.
        if other == -1 { return (one == .min ? .max : -one, 0) }
        let (quotient, remainder) = one.quotientAndRemainder(dividingBy: other)
        return remainder != 0 && (remainder < 0) != (other < 0)
            ? (quotient - 1, remainder + other) : (quotient, remainder)
    }

    var isFinite: Bool { double.isFinite }

    var magnitude: TemplateNumber {
        switch self {
        case .whole(let whole): .whole(whole == .min ? .max : abs(whole))
        case .fraction(let number): .fraction(number.magnitude)
        }
    }

    /// The whole number that `rule` chooses.
    func whole(_ rule: FloatingPointRoundingRule) -> TemplateNumber {
        isFinite ? Decimal(self).rounded(to: 0, rule).number : self
    }

    /// Rounded to decimals, or to tens, hundreds and so on if `places` is negative, which makes the number whole. Halves
    /// go away from zero.
    func rounded(to places: Int) -> TemplateNumber {
        guard isFinite else { return self }
        let places = min(max(places, -400), 400)
        let rounded = Decimal(self).rounded(to: places, .toNearestOrAwayFromZero)
        if case .fraction = self, places > 0 { return .fraction(rounded.double) }
        return rounded.number
    }
}

extension TemplateNumber: Comparable {
    static func == (one: TemplateNumber, other: TemplateNumber) -> Bool { !(one < other) && !(other < one) }

    static func < (one: TemplateNumber, other: TemplateNumber) -> Bool {
        switch (one, other) {
        case (.whole(let one), .whole(let other)): one < other
        case (.fraction(let one), .fraction(let other)): one < other
        case (.whole(let one), .fraction(let other)):
            Int128(exactly: other.rounded(.up)).map { one < $0 } ?? (other > 0)
        case (.fraction(let one), .whole(let other)):
            Int128(exactly: one.rounded(.down)).map { $0 < other } ?? (one < 0)
        }
    }
}
