import Primitives

/// Pace of one request's polls (CIBA Core 7.3 and 11).
///
/// Each early poll adds five seconds to the interval (RFC 8628 clause 3.5). One poll in time removes the penalty:
/// clients that return to the first interval would otherwise alternate between pending and `slow_down` without end.
struct PollRate: Sendable, Equatable {
    enum Verdict: Sendable, Equatable {
        case inTime
        /// Seconds until the next poll may come.
        case slowDown(interval: Int)
    }

    /// Seconds that an early poll adds.
    static let penalty: UInt8 = 5
    /// Longest interval in seconds that penalties lead to.
    static let longestInterval = 60

    private let interval: Int32
    private var penalty: UInt8 = 0
    private var last: Timestamp

    /// A request whose last poll came at `last`. Nil lets the next poll come at once.
    init(interval: Int, last: Timestamp?) {
        self.interval = Int32(clamping: interval)
        self.last = last ?? Timestamp(milliseconds: 0)
    }

    mutating func record(at now: Timestamp) -> Verdict {
        let longest = max(Int(interval), Self.longestInterval)
        let wait = min(Int(interval) + Int(penalty), longest)
        defer { last = now }
        guard now - last < .seconds(wait) - Self.tolerance(of: wait) else {
            penalty = 0
            return .inTime
        }
        penalty = min(penalty + Self.penalty, UInt8(Self.longestInterval))
        return .slowDown(interval: min(Int(interval) + Int(penalty), longest))
    }

    /// Tolerated earliness after a wait of `seconds`, because clocks and networks are not exact: a fifth, and one
    /// second at most.
    private static func tolerance(of seconds: Int) -> Duration { min(.seconds(1), .milliseconds(seconds * 200)) }
}
