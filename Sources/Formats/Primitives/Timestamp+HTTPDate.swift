extension Timestamp {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads an HTTP-date in any of its three forms (RFC 9110 clause 5.6.7). Nil for anything else.
    package init?(httpDate text: String, now: Timestamp) {
        var parts = text.split { $0 == " " || $0 == "," || $0 == "-" }.dropFirst().map(String.init)
        // asctime: `Sun Nov  6 08:49:37 1994`
        if parts.count == 4 { parts = [parts[1], parts[0], parts[3], parts[2], "GMT"] }
        guard parts.count == 5, parts[4] == "GMT", let month = Self.months.firstIndex(of: parts[1]),
            let day = Self.number(parts[0], digits: 1...2), let time = Self.secondOfDay(parts[3]),
            let year = Self.number(parts[2], digits: 4...4) ?? Self.year(ofTwoDigits: parts[2], now: now)
        else { return nil }
        let date = CivilDate(year: year, month: month + 1, day: day)
        guard date.isValid else { return nil }
        self.init(seconds: date.daysSince1970 * 86_400 + Int64(time))
    }

    /// A year that seems to be more than 50 years ahead is the latest past one with the same digits.
    private static func year(ofTwoDigits text: String, now: Timestamp) -> Int? {
        guard let digits = number(text, digits: 2...2) else { return nil }
        let current = CivilDate(daysSince1970: now.seconds.dividedFloor(by: 86_400)).year
        let year = current - current % 100 + digits
        return year > current + 50 ? year - 100 : year
    }

    private static func secondOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":").compactMap { number(String($0), digits: 2...2) }
        guard text.utf8.count == 8, parts.count == 3, parts[0] < 24, parts[1] < 60, parts[2] <= 60 else { return nil }
        return parts[0] * 3600 + parts[1] * 60 + parts[2]
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
