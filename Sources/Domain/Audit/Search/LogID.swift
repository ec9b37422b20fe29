/// The `log_id` of `/logs`: 20 decimal digits that sort like the entries. Unique only together with the tenant.
package struct LogID: Sendable, Hashable, Comparable, LosslessStringConvertible {
    package let sequence: Int64

    package init(sequence: Int64) { self.sequence = sequence }

    package init?(_ description: String) {
        guard description.utf8.count == 20, description.utf8.first == UInt8(ascii: "9"),
            description.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let sequence = Int64(description.dropFirst())
        else { return nil }
        self.sequence = sequence
    }

    package var description: String {
        let digits = String(sequence)
        return "9" + String(repeating: "0", count: max(0, 19 - digits.utf8.count)) + digits
    }

    package static func < (left: LogID, right: LogID) -> Bool { left.sequence < right.sequence }
}
