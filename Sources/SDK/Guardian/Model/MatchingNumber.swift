import GuardianWire

/// A number of two digits that the asking program displays, so that the person approves the request that they see there
/// and no other.
public struct MatchingNumber: Sendable, Hashable, LosslessStringConvertible {
    let number: GuardianWire.MatchingNumber

    init(_ number: GuardianWire.MatchingNumber) { self.number = number }

    /// Nil unless the text has two ASCII digits, such as `07`.
    public init?(_ description: String) {
        guard let number = GuardianWire.MatchingNumber(description) else { return nil }
        self.number = number
    }

    /// Two digits.
    public var description: String { number.description }
}
