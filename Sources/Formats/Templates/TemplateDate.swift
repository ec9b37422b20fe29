import Primitives

/// A time with its distance from UTC, written as Ruby's `strftime` does, with English names.
struct TemplateDate {
    /// Seconds since 1970 on the clock of the place.
    private let local: Int64
    private let milliseconds: Int
    /// Seconds east of UTC.
    private let offset: Int
    private let date: CivilDate

    /// Seconds since 1970 of the years 1 to 9999.
    private static let seconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Nil unless the value is a date: seconds since 1970, or a text that `TemplateDateReader` reads.
    init?(_ value: TemplateValue, now: Timestamp) {
        switch value {
        case .number(let number):
            guard let seconds = number.int else { return nil }
            self.init(local: Int64(seconds))
        case .text(let text, _):
            let word = text.lowercased()
            if word == "now" || word == "today" {
                self.init(local: now.seconds, milliseconds: Int(now.milliseconds - now.seconds * 1000))
            } else if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
                self.init(local: Int64(text) ?? .max)
            } else {
                var reader = TemplateDateReader(word)
                guard let reading = reader.read(now: now) else { return nil }
                self.init(
                    local: reading.local, milliseconds: reading.milliseconds, offset: reading.offset)
            }
        default: return nil
        }
    }

    private init?(local: Int64, milliseconds: Int = 0, offset: Int = 0) {
        guard Self.seconds.contains(local) else { return nil }
        self.local = local
        self.milliseconds = milliseconds
        self.offset = offset
        let day = (local - Self.seconds.lowerBound) / 86_400 + Self.seconds.lowerBound / 86_400
        date = CivilDate(daysSince1970: day)
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

    // MARK: parts

    /// Since midnight. The first second of the range is a midnight, too.
    private var second: Int { Int((local - Self.seconds.lowerBound) % 86_400) }
    private var hour: Int { second / 3600 }
    private var halfHour: Int { hour % 12 == 0 ? 12 : hour % 12 }
    /// Days since Sunday.
    private var weekday: Int { Int(((date.daysSince1970 + 4) % 7 + 7) % 7) }
    /// Counts from 0.
    private var yearday: Int { yearday(in: date.year) }

    private func yearday(in year: Int) -> Int {
        Int(date.daysSince1970 - CivilDate(year: year, month: 1, day: 1).daysSince1970)
    }

    /// The week with the year's first Thursday is its first (ISO 8601).
    private var isoWeek: (year: Int, week: Int) {
        let thursday = CivilDate(daysSince1970: date.daysSince1970 + Int64(3 - (weekday + 6) % 7))
        let first = CivilDate(year: thursday.year, month: 1, day: 1)
        return (thursday.year, Int(thursday.daysSince1970 - first.daysSince1970) / 7 + 1)
    }

    private var zone: String { offset == 0 ? "UTC" : "" }

    /// Hours and minutes east of UTC, with this many colons.
    private func offset(colons: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let parts = [abs(offset) / 3600, abs(offset) / 60 % 60, abs(offset) % 60].prefix(colons < 2 ? 2 : 3)
        return (offset < 0 ? "-" : "+") + parts.map(padded).joined(separator: colons == 0 ? "" : ":")
    }

    // MARK: formats

    /// The flags and the width between `%` and the letter.
    private struct Shape {
        /// Nil is that of the conversion. An empty text is none.
        var padding: String?
        var width = 0
        var colons = 0
        var isUpper = false
        var changesCase = false

        func number(_ value: Int, _ digits: Int, _ usual: String = "0") -> String {
            let text = String(value)
            return padded(text, usual, max(digits, width))
        }

        func text(_ value: String, opposite: String? = nil) -> String {
            let shown = changesCase ? opposite ?? value.uppercased() : isUpper ? value.uppercased() : value
            return padded(shown, " ", width)
        }

        private func padded(_ text: String, _ usual: String, _ width: Int) -> String {
            let padding = padding ?? usual
            return padding.isEmpty
                ? text : String(repeating: padding, count: max(width - text.utf8.count, 0)) + text
        }
    }

    /// Most characters that a conversion may be told to write.
    private static let widthLimit = 999

    /// An unknown conversion stays as it is. Throws for one that the end of the format cuts.
    func text(_ format: String) throws(TemplateFilter.Fault) -> String {
        var output = ""
        var rest = format.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                output.unicodeScalars.append(scalar)
                continue
            }
            let start = rest
            let shape = Self.shape(&rest)
            guard let kind = rest.first else { throw .problem("the format of a date ends within a conversion") }
            if let text = conversion(kind, shape) {
                output += text
                rest = rest.dropFirst()
            } else {
                output += "%"
                rest = start
            }
            guard output.utf8.count <= Template.outputLimit else { throw .tooLong }
        }
        return output
    }

    private static func shape(_ rest: inout Substring.UnicodeScalarView) -> Shape {
        var shape = Shape()
        while let scalar = rest.first {
            switch scalar {
            case "-": shape.padding = ""
            case "_": shape.padding = " "
            case "^": shape.isUpper = true
            case "#": shape.changesCase = true
            case ":": shape.colons += 1
            case "0" where shape.width == 0: shape.padding = "0"
            case "0"..."9": shape.width = min(shape.width * 10 + Int(scalar.value - 0x30), widthLimit)
            default: return shape
            }
            rest = rest.dropFirst()
        }
        return shape
    }

    private func conversion(_ letter: Unicode.Scalar, _ shape: Shape) -> String? {
        if shape.colons > 0 { return letter == "z" && shape.colons < 3 ? offset(colons: shape.colons) : nil }
        return switch letter {
        case "Y": shape.number(date.year, 4)
        case "C": shape.number(date.year / 100, 2)
        case "y": shape.number(date.year % 100, 2)
        case "m": shape.number(date.month, 2)
        case "d": shape.number(date.day, 2)
        case "e": shape.number(date.day, 2, " ")
        case "j": shape.number(yearday + 1, 3)
        case "H": shape.number(hour, 2)
        case "k": shape.number(hour, 2, " ")
        case "I": shape.number(halfHour, 2)
        case "l": shape.number(halfHour, 2, " ")
        case "M": shape.number(second / 60 % 60, 2)
        case "S": shape.number(second % 60, 2)
        case "L": decimals(shape.width > 0 ? shape.width : 3)
        case "N": decimals(shape.width > 0 ? shape.width : 9)
        case "s": shape.number(Int(local) - offset, 1)
        case "u": shape.number(weekday == 0 ? 7 : weekday, 1)
        case "w": shape.number(weekday, 1)
        case "G": shape.number(isoWeek.year, 4)
        case "g": shape.number(isoWeek.year % 100, 2)
        case "V": shape.number(isoWeek.week, 2)
        case "U": shape.number((yearday + 7 - weekday) / 7, 2)
        case "W": shape.number((yearday + 7 - (weekday + 6) % 7) / 7, 2)
        case "B": shape.text(Self.months[date.month - 1])
        case "b", "h": shape.text(String(Self.months[date.month - 1].prefix(3)))
        case "A": shape.text(Self.days[weekday])
        case "a": shape.text(String(Self.days[weekday].prefix(3)))
        case "p": shape.text(hour < 12 ? "AM" : "PM", opposite: hour < 12 ? "am" : "pm")
        case "P": shape.text(hour < 12 ? "am" : "pm")
        case "Z": shape.text(zone, opposite: zone.lowercased())
        case "z": offset(colons: 0)
        case "n": shape.text("\n")
        case "t": shape.text("\t")
        case "%": shape.text("%")
        default: composed(letter).map { shape.text($0) }
        }
    }

    /// The conversions that stand for several others.
    private func composed(_ letter: Unicode.Scalar) -> String? {
        let format: String? =
            switch letter {
            case "c": "%a %b %e %H:%M:%S %Y"
            case "D", "x": "%m/%d/%y"
            case "F": "%Y-%m-%d"
            case "T", "X": "%H:%M:%S"
            case "R": "%H:%M"
            case "r": "%I:%M:%S %p"
            case "v": "%e-%^b-%Y"
            default: nil
            }
        return format.flatMap { try? text($0) }
    }

    private func decimals(_ count: Int) -> String {
        let digits = String(1000 + milliseconds).dropFirst()
        return String(digits.prefix(count)) + String(repeating: "0", count: max(count - 3, 0))
    }
}
