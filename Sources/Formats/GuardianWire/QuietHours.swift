/// Daily time in which a person's phones show requests without sound, in each phone's own time zone. It may span
/// midnight.
package struct QuietHours: Sendable, Hashable {
    package static let minutesOfDay = 0...1439

    /// Minutes since midnight, included.
    package let from: Int
    /// Minutes since midnight, excluded.
    package let to: Int

    /// Nil for a time outside `minutesOfDay`, and for two equal times, which could mean always or never.
    package init?(from: Int, to: Int) {
        guard Self.minutesOfDay.contains(from), Self.minutesOfDay.contains(to), from != to else { return nil }
        self.from = from
        self.to = to
    }

    package func contains(minuteOfDay minute: Int) -> Bool {
        from < to ? (from..<to).contains(minute) : minute >= from || minute < to
    }

    /// `HH:MM` of 24 hours.
    package static func text(_ minutes: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(minutes / 60)):\(padded(minutes % 60))"
    }

    /// Nil unless `text` is `00:00...23:59`.
    package static func minutes(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 0x30 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
    }
}
