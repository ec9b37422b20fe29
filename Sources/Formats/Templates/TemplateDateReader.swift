import Primitives

/// Reads dates and times as people and programs write them: `2016-03-14T10:00:00+01:00`, `14.03.2016`, `14/3/2016`,
/// `March 14, 2016 5:30 pm`, `Mon, 14 Mar 2016 10:00:00 GMT`.
struct TemplateDateReader {
    private enum Token: Equatable {
        case number(Int, digits: Int)
        case word(String)
        case symbol(UInt8)
    }

    /// A time on the clock of its place.
    struct Reading {
        /// Seconds since 1970 on the clock of the place.
        let local: Int64
        let milliseconds: Int
        /// Seconds east of UTC.
        let offset: Int
    }

    /// Maximum bytes of a text that is read.
    private static let lengthLimit = 128

    private var tokens: [Token] = []
    private var position = 0
    private var (year, month, day): (Int?, Int?, Int?) = (nil, nil, nil)
    private var time: (hour: Int, minute: Int, second: Int, milliseconds: Int)?
    private var offset = 0
    /// Numbers beside the name of a month, with their digits.
    private var loose: [(value: Int, digits: Int)] = []

    /// `text` is in lower case.
    init(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit else { return }
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            let count: Int
            if byte.isDigit {
                let digits = rest.prefix(while: \.isDigit)
                count = digits.count
                tokens.append(
                    .number(digits.prefix(18).reduce(0) { $0 * 10 + Int($1 - 0x30) }, digits: count))
            } else if Self.isLetter(byte) {
                let letters = rest.prefix(while: Self.isLetter)
                count = letters.count
                tokens.append(.word(String(decoding: letters, as: UTF8.self)))
            } else {
                count = 1
                if !byte.isLiquidSpace { tokens.append(.symbol(byte)) }
            }
            rest = rest.dropFirst(count)
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let monthEndings = [
        "uary", "ruary", "ch", "il", "", "e", "y", "ust", "tember", "ober", "ember", "ember",
    ]
    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let dayEndings = ["day", "day", "sday", "nesday", "rsday", "day", "urday"]
    private static let ordinals: Set = ["st", "nd", "rd", "th"]
    /// Words that say nothing about a date.
    private static let fillers: Set = ["at", "of", "on", "the", "t"]

    /// Parts that are absent come from `now`, down to the first that is there. Nil for any other text.
    mutating func read(now: Timestamp) -> Reading? {
        while position < tokens.count {
            guard readPart() else { return nil }
        }
        guard takeLoose(), time != nil || month != nil else { return nil }
        let today = CivilDate(daysSince1970: (now.seconds - (now.seconds % 86_400 + 86_400) % 86_400) / 86_400)
        let hasDate = year != nil || month != nil || day != nil
        let date = CivilDate(
            year: year ?? today.year, month: month ?? (hasDate ? 1 : today.month), day: day ?? (hasDate ? 1 : today.day)
        )
        // The 31st of a shorter month is in the next one.
        guard (1...12).contains(date.month), (1...31).contains(date.day), (1...9999).contains(date.year) else {
            return nil
        }
        let clock = time ?? (0, 0, 0, 0)
        guard clock.hour < 24, clock.minute < 60, clock.second <= 60 else { return nil }
        let first = CivilDate(year: date.year, month: date.month, day: 1).daysSince1970
        return Reading(
            local: (first + Int64(date.day) - 1) * 86_400
                + Int64(clock.hour * 3600 + clock.minute * 60 + clock.second),
            milliseconds: clock.milliseconds, offset: offset)
    }

    private func number(_ ahead: Int) -> (value: Int, digits: Int)? {
        guard position + ahead < tokens.count, case .number(let value, let digits) = tokens[position + ahead] else {
            return nil
        }
        return (value, digits)
    }

    private func symbol(_ ahead: Int) -> Character? {
        guard position + ahead < tokens.count, case .symbol(let byte) = tokens[position + ahead] else { return nil }
        return Character(Unicode.Scalar(byte))
    }

    private func word(_ ahead: Int) -> String? {
        guard position + ahead < tokens.count, case .word(let word) = tokens[position + ahead] else { return nil }
        return word
    }

    /// Reads the next part. False if it belongs to no date.
    private mutating func readPart() -> Bool {
        if let word = word(0) { return readWord(word) }
        guard let first = number(0) else {
            if time != nil, symbol(0) == "+" || symbol(0) == "-" { return readOffset() }
            position += 1
            return symbol(-1) == ","
        }
        if symbol(1) == ":" { return readTime() }
        if let half = word(1), half == "am" || half == "pm" {
            position += 1
            return setTime(hour: first.value, 0, 0, 0)
        }
        if let separator = symbol(1), "-/.".contains(separator), symbol(3) == separator, let last = number(4) {
            if let middle = number(2), month == nil {
                position += 5
                return setDate(first, middle, last)
            }
            if let name = word(2), let index = Self.month(name), month == nil {
                month = index
                loose += [first, last]
                position += 5
                return true
            }
            return false
        }
        if first.digits == 8, month == nil {
            (year, month, day) = (first.value / 10_000, first.value / 100 % 100, first.value % 100)
            position += 1
            return true
        }
        if first.digits == 6, position > 0, word(-1) == "t", time == nil {
            position += 1
            return setTime(hour: first.value / 10_000, first.value / 100 % 100, first.value % 100, 0)
        }
        loose.append(first)
        position += 1
        if let ending = word(0), Self.ordinals.contains(ending) { position += 1 }
        return true
    }

    private mutating func readWord(_ word: String) -> Bool {
        position += 1
        if Self.fillers.contains(word) { return true }
        if word == "z" || word == "utc" || word == "gmt" { return true }
        if Self.days.indices.contains(where: { Self.days[$0] == word || Self.days[$0] + Self.dayEndings[$0] == word }) {
            return true
        }
        guard month == nil, let index = Self.month(word) else { return false }
        month = index
        return true
    }

    private static func month(_ word: String) -> Int? {
        months.indices.first { months[$0] == word || months[$0] + monthEndings[$0] == word }.map { $0 + 1 }
            ?? (word == "sept" ? 9 : nil)
    }

    /// Hours, minutes and optional seconds, with decimals and a half of the day.
    private mutating func readTime() -> Bool {
        guard time == nil, let hour = number(0), let minute = number(2) else { return false }
        position += 3
        var (second, milliseconds) = (0, 0)
        if symbol(0) == ":", let number = number(1) {
            second = number.value
            position += 2
            if symbol(0) == ".", let decimals = self.number(1) {
                milliseconds = Int(Double(decimals.value) / power(decimals.digits) * 1000)
                position += 2
            }
        }
        return setTime(hour: hour.value, minute.value, second, milliseconds)
    }

    private func power(_ digits: Int) -> Double { (0..<min(digits, 18)).reduce(1.0) { power, _ in power * 10 } }

    /// Takes a half of the day, if it follows.
    private mutating func setTime(hour: Int, _ minute: Int, _ second: Int, _ milliseconds: Int) -> Bool {
        guard time == nil, hour <= 24 else { return false }
        var hour = hour
        if let half = word(0), half == "am" || half == "pm" {
            hour = hour % 12 + (half == "pm" ? 12 : 0)
            position += 1
        }
        time = (hour, minute, second, milliseconds)
        return true
    }

    /// `+01:00`, `+0100` or `+01`.
    private mutating func readOffset() -> Bool {
        let sign = symbol(0) == "-" ? -1 : 1
        guard let first = number(1), first.digits <= 4 else { return false }
        position += 2
        let hours = first.digits > 2 ? first.value / 100 : first.value
        var minutes = first.digits > 2 ? first.value % 100 : 0
        if first.digits <= 2, symbol(0) == ":", let number = number(1) {
            minutes = number.value
            position += 2
        }
        guard hours < 24, minutes < 60 else { return false }
        offset = sign * (hours * 3600 + minutes * 60)
        return true
    }

    private typealias Number = (value: Int, digits: Int)

    /// The year is the number with more than two digits, or else the first. The day stands at the other end.
    private mutating func setDate(_ first: Number, _ middle: Number, _ last: Number) -> Bool {
        let isReversed = first.digits <= 2 && last.digits > 2
        let (first, last) = isReversed ? (last, first) : (first, last)
        (year, month, day) = (Self.whole(first), middle.value, last.value)
        return true
    }

    private static func whole(_ year: Number) -> Int {
        year.digits > 2 ? year.value : year.value + (year.value < 69 ? 2000 : 1900)
    }

    /// A day of one or two digits, and a year.
    private mutating func takeLoose() -> Bool {
        for number in loose {
            if day == nil, number.digits <= 2 {
                day = number.value
            } else if year == nil {
                year = Self.whole(number)
            } else {
                return false
            }
        }
        return loose.isEmpty || month != nil
    }
}
