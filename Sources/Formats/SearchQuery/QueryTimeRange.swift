package import Primitives

/// From `from` to before `before`. Nil is open: any present value.
package struct QueryTimeRange: Sendable, Hashable {
    package let from: Timestamp?
    package let before: Timestamp?

    package init(from: Timestamp?, before: Timestamp?) {
        self.from = from
        self.before = before
    }
}

extension QueryTimeRange {
    /// The range of a date or time: `2024`, `2024-02`, `2024-02-29`, or an RFC 3339 date-time to the second or
    /// millisecond. Default offset is UTC.
    package init?(named text: String) {
        let bytes = Array(text.utf8)
        if bytes.contains(0x54) {
            guard let from = Timestamp(iso8601: text) ?? Timestamp(iso8601: text + "Z") else { return nil }
            self.init(from: from, before: from + .milliseconds(bytes.contains(0x2E) ? 1 : 1000))
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard zip(parts, [4, 2, 2]).allSatisfy({ $0.utf8.count == $1 }), parts.count <= 3,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = parts.count > 1 ? Int(parts[1]) : 1,
            let from = Self.midnight(year, month, parts.count > 2 ? parts[2] : "01")
        else { return nil }
        // Nil after the year 9999.
        let before: Timestamp? =
            switch parts.count {
            case 1: Self.midnight(year + 1, 1, "01")
            case 2: month == 12 ? Self.midnight(year + 1, 1, "01") : Self.midnight(year, month + 1, "01")
            default: from + .seconds(86_400)
            }
        self.init(from: from, before: before)
    }

    private static func midnight(_ year: Int, _ month: Int, _ day: String) -> Timestamp? {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return Timestamp(iso8601: "\(padded(year, 4))-\(padded(month, 2))-\(day)T00:00:00Z")
    }
}
