/// Milliseconds since 1970-01-01T00:00:00Z. Sums and differences beyond the range, which only input from outside
/// causes, saturate.
public struct Timestamp: Hashable, Comparable, Sendable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    public init(seconds: Int64) { self.milliseconds = seconds.timesSaturating(1000) }

    /// Whole seconds since 1970, rounded down: the form of a NumericDate (RFC 7519 clause 2).
    public var seconds: Int64 { milliseconds.dividedFloor(by: 1000) }

    /// The same or the next whole second.
    package var roundedUpToSeconds: Timestamp {
        Timestamp(seconds: (self + .milliseconds(999)).seconds)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(milliseconds: left.milliseconds.plusSaturating(right.milliseconds))
    }

    public static func - (left: Timestamp, right: Duration) -> Timestamp {
        Timestamp(milliseconds: left.milliseconds.minusSaturating(right.milliseconds))
    }

    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds.minusSaturating(right.milliseconds))
    }
}

extension Timestamp {
    /// `2026-11-20T10:00:00.000Z`: UTC with exactly three decimals, as Guardian's decoders need it.
    public var iso8601: String {
        let date = CivilDate(daysSince1970: seconds.dividedFloor(by: 86_400))
        let second = Int(seconds - seconds.dividedFloor(by: 86_400) * 86_400)
        let millisecond = Int(milliseconds - seconds * 1000)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        /// Writes the last `width` digits.
        func append(_ value: Int, _ width: Int, before separator: UInt8) {
            var scale = width == 4 ? 1000 : width == 3 ? 100 : 10
            while scale > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value / scale % 10))
                scale /= 10
            }
            text.append(separator)
        }
        if (0...9999).contains(date.year) {
            append(date.year, 4, before: UInt8(ascii: "-"))
        } else {
            text += "\(date.year)-".utf8
        }
        append(date.month, 2, before: UInt8(ascii: "-"))
        append(date.day, 2, before: UInt8(ascii: "T"))
        append(second / 3600, 2, before: UInt8(ascii: ":"))
        append(second / 60 % 60, 2, before: UInt8(ascii: ":"))
        append(second % 60, 2, before: UInt8(ascii: "."))
        append(millisecond, 3, before: UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads the date-time of RFC 3339 with any number of decimals and any offset (also `+0000`). Nil for anything
    /// else.
    public init?(iso8601 text: String) {
        var scanner = DateTimeScanner(bytes: Array(text.utf8))
        guard let milliseconds = scanner.scan() else { return nil }
        self.init(milliseconds: milliseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero. Saturates beyond the range.
    public var milliseconds: Int64 {
        components.seconds.timesSaturating(1000).plusSaturating(components.attoseconds / 1_000_000_000_000_000)
    }
}

extension Int64 {
    func plusSaturating(_ other: Int64) -> Int64 {
        let (sum, isBeyond) = addingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .min : .max) : sum
    }

    func minusSaturating(_ other: Int64) -> Int64 {
        let (difference, isBeyond) = subtractingReportingOverflow(other)
        return isBeyond ? (other < 0 ? .max : .min) : difference
    }

    func timesSaturating(_ positive: Int64) -> Int64 {
        let (product, isBeyond) = multipliedReportingOverflow(by: positive)
        return isBeyond ? (self < 0 ? .min : .max) : product
    }

    func dividedFloor(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

/// A date of the proleptic Gregorian calendar.
package struct CivilDate {
    package var year: Int
    package var month: Int
    package var day: Int

    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }
}

extension CivilDate {
    /// Counts in 400-year eras that begin on the first of March, so that the leap day comes last.
    package init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    package var daysSince1970: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = shiftedYear.dividedFloor(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    var isValid: Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        let back = CivilDate(daysSince1970: daysSince1970)
        return back.month == month && back.day == day
    }
}

private struct DateTimeScanner {
    let bytes: [UInt8]
    var position = 0

    mutating func scan() -> Int64? {
        guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2),
            take("T") || take("t") || take(" "), let hour = digits(2), take(":"), let minute = digits(2), take(":"),
            let second = digits(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        guard date.isValid, let fraction = fraction(), let offset = offset(), position == bytes.count else {
            return nil
        }
        let seconds = date.daysSince1970 * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
        return seconds * 1000 + Int64(fraction)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        position += count
        return value
    }

    /// Milliseconds of the optional decimals. Further digits are dropped.
    private mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        var value = 0
        var count = 0
        while let digit = digits(1) {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(count, 3) { value *= 10 }
        return value
    }

    /// Minutes east of UTC.
    private mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = digits(2) else { return nil }
        _ = take(":")
        guard let minutes = digits(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
