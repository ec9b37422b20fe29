import Primitives

/// A time in UTC, written as `strftime` does, with English names.
struct TemplateDate {
    private let time: Timestamp

    /// Seconds since 1970 of the years 1 to 9999.
    private static let seconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Nil unless the value is `now`, a date, a date-time of RFC 3339 or seconds since 1970.
    init?(_ value: TemplateValue, now: Timestamp) {
        let text = value.plain
        if text == "now" || text == "today" {
            time = now
        } else if let seconds = value.int.map(Int64.init), Self.seconds.contains(seconds) {
            time = Timestamp(seconds: seconds)
        } else if let time = Timestamp(iso8601: text) ?? Timestamp(iso8601: text + "T00:00:00Z") {
            self.time = time
        } else {
            return nil
        }
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let days = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    /// An unknown conversion stays as it is.
    func text(_ format: String) -> String {
        // Parts of `2026-11-20T10:00:00.000Z`.
        let iso = Array(time.iso8601)
        guard iso.count == 24, let month = Int(String(iso[5...6])), let hour = Int(String(iso[11...12])) else {
            return ""
        }
        func part(_ range: ClosedRange<Int>) -> String { String(iso[range]) }
        func blank(_ text: String) -> String { text.hasPrefix("0") ? " " + text.dropFirst() : text }
        let day = Self.days[Int(((time.seconds / 86_400) % 7 + 7) % 7)]
        let halfHour = hour % 12 == 0 ? 12 : hour % 12
        var output = ""
        var isConversion = false
        var omitsZero = false
        for character in format {
            guard isConversion else {
                if character == "%" { isConversion = true } else { output.append(character) }
                continue
            }
            if character == "-", !omitsZero {
                omitsZero = true
                continue
            }
            let text: String =
                switch character {
                case "Y": part(0...3)
                case "y": part(2...3)
                case "m": part(5...6)
                case "B": Self.months[month - 1]
                case "b", "h": String(Self.months[month - 1].prefix(3))
                case "d": part(8...9)
                case "e": blank(part(8...9))
                case "A": day
                case "a": String(day.prefix(3))
                case "H": part(11...12)
                case "I": halfHour < 10 ? "0\(halfHour)" : "\(halfHour)"
                case "l": halfHour < 10 ? " \(halfHour)" : "\(halfHour)"
                case "M": part(14...15)
                case "S": part(17...18)
                case "p": hour < 12 ? "AM" : "PM"
                case "F": part(0...9)
                case "T": part(11...18)
                case "R": part(11...15)
                case "s": String(time.seconds)
                case "Z": "UTC"
                case "z": "+0000"
                case "%": "%"
                default: "%\(character)"
                }
            output += omitsZero ? String(text.drop { $0 == "0" || $0 == " " }) : text
            (isConversion, omitsZero) = (false, false)
        }
        return output
    }
}
