/// A number of two digits, which a person compares or picks: `00...99`.
package struct MatchingNumber: Sendable, Hashable, LosslessStringConvertible {
    package let value: Int

    /// Nil outside `0...99`.
    package init?(_ value: Int) {
        guard (0...99).contains(value) else { return nil }
        self.value = value
    }

    /// Nil unless the text has two ASCII digits.
    package init?(_ description: String) {
        guard description.utf8.count == 2, description.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int(description)
        else { return nil }
        self.value = value
    }

    package var description: String { value < 10 ? "0\(value)" : "\(value)" }
}
