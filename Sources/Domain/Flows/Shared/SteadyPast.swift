package import Primitives

/// Time before which expired entries may be deleted. The process's uptime bounds it, so that a clock that jumps forward
/// and back makes no used entry usable again.
package struct SteadyPast: Sendable {
    /// Uptime before which nothing is deleted, because the clock may have been wrong at the start. By then all earlier
    /// entries have expired.
    package static let hold = Duration.seconds(600)
    /// Another node's clock may be behind.
    static let margin = Duration.seconds(60)

    private let begun: Duration
    /// Earliest time, by the clock, at which the uptime was zero.
    private var origin: Timestamp

    /// `uptime` is a count that cannot be set, such as `Timer.uptime`.
    package init(now: Timestamp, uptime: Duration) {
        begun = uptime
        origin = now - uptime
    }

    /// Nil if nothing may be deleted yet.
    package mutating func end(now: Timestamp, uptime: Duration) -> Timestamp? {
        origin = min(origin, now - uptime)
        guard uptime - begun >= Self.hold else { return nil }
        return origin + uptime - Self.margin
    }
}
