import Primitives

/// The exact mathematical value of a JSON number: `1`, `1.0` and `10e-1` are equal. (2020-12 Core 4.2.2 compares
/// numbers by value; in binary floating point, 0.3 is not a multiple of 0.1.)
struct ExactDecimal: Hashable, Sendable {
    let isNegative: Bool
    /// Digits `0...9`, without zeros at either end. Empty for zero.
    let digits: [UInt8]
    /// The value is `digits` times ten to this power; 0 for zero.
    let exponent: Int

    /// Maximum digits of an exponent, so that arithmetic on exponents cannot overflow.
    static let exponentDigits = 9

    /// Nil if the exponent has more than `exponentDigits` digits.
    init?(_ number: JSONNumber) {
        var digits: [UInt8] = []
        var fractionDigits = 0
        var isNegative = false
        var inFraction = false
        var rest = number.literal.utf8[...]
        if rest.first == UInt8(ascii: "-") {
            isNegative = true
            rest.removeFirst()
        }
        while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
            rest.removeFirst()
            if byte == UInt8(ascii: ".") {
                inFraction = true
                continue
            }
            if inFraction { fractionDigits += 1 }
            if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte - UInt8(ascii: "0")) }
        }
        var exponent = 0
        if !rest.isEmpty {
            var text = rest.dropFirst()
            let isBelowZero = text.first == UInt8(ascii: "-")
            if isBelowZero || text.first == UInt8(ascii: "+") { text.removeFirst() }
            let significant = text.drop { $0 == UInt8(ascii: "0") }
            guard significant.count <= Self.exponentDigits else { return nil }
            for byte in significant { exponent = exponent * 10 + Int(byte - UInt8(ascii: "0")) }
            if isBelowZero { exponent = -exponent }
        }
        exponent -= fractionDigits
        while digits.last == 0 {
            digits.removeLast()
            exponent += 1
        }
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
        self.isNegative = isNegative && !digits.isEmpty
    }

    var isZero: Bool { digits.isEmpty }
    var isWhole: Bool { exponent >= 0 }

    /// The value as an integer. Nil if it is negative, not whole or too large.
    var count: Int? {
        guard isWhole, !isNegative, digits.count + exponent <= 18 else { return nil }
        let significand = digits.reduce(0) { $0 * 10 + Int($1) }
        return (0..<exponent).reduce(significand) { value, _ in value * 10 }
    }
}

extension ExactDecimal: Comparable {
    static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isNearerZero(than: left) : left.isNearerZero(than: right)
    }

    private func isNearerZero(than other: ExactDecimal) -> Bool {
        if isZero || other.isZero { return isZero && !other.isZero }
        // Each value is 0.digits times ten to its size.
        let (size, otherSize) = (digits.count + exponent, other.digits.count + other.exponent)
        return size == otherSize ? digits.lexicographicallyPrecedes(other.digits) : size < otherSize
    }
}

extension ExactDecimal {
    /// The value of `multipleOf`, with at most 18 significant digits so that remainders fit 64 bits.
    struct Divisor: Sendable {
        private let significand: UInt64
        private let exponent: Int

        /// Nil unless `value` is above zero and has at most 18 significant digits.
        init?(_ value: ExactDecimal) {
            guard !value.isNegative, !value.isZero, value.digits.count <= 18 else { return nil }
            significand = value.digits.reduce(0) { $0 * 10 + UInt64($1) }
            exponent = value.exponent
        }

        /// Takes time linear in the digits of `value` and the logarithm of its exponent.
        func divides(_ value: ExactDecimal) -> Bool {
            if value.isZero { return true }
            // A significand does not end in 0, so it is not a multiple of a larger power of ten.
            guard value.exponent >= exponent else { return false }
            // A remainder is below 10^18, so ten times it plus a digit fits.
            let remainder = value.digits.reduce(0) { ($0 * 10 + UInt64($1)) % significand }
            return times(remainder, power(of: 10 % significand, value.exponent - exponent)) == 0
        }

        private func times(_ left: UInt64, _ right: UInt64) -> UInt64 {
            significand.dividingFullWidth(left.multipliedFullWidth(by: right)).remainder
        }

        private func power(of base: UInt64, _ exponent: Int) -> UInt64 {
            var (result, square, exponent) = (1 % significand, base, exponent)
            while exponent > 0 {
                if exponent & 1 == 1 { result = times(result, square) }
                square = times(square, square)
                exponent >>= 1
            }
            return result
        }
    }
}
