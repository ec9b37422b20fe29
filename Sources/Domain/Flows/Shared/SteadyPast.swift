package import Primitives

/// Time before which expired entries may be forgotten. The process's own count of time bounds it, so that a clock that
/// jumps forward forgets nothing: when it jumps back, used entries would be usable again.
package struct SteadyPast: Sendable {
    /// Nothing is forgotten until a process has run for so long: its clock may have been wrong at the start. By then all
    /// entries of earlier uses have expired.
    package static let hold = Duration.seconds(600)
    /// Another node's clock may be behind.
    static let margin = Duration.seconds(60)

    private let begun: Duration
    /// The earliest moment, by the clock, at which the count of the process was zero.
    private var origin: Timestamp

    /// `uptime` is a count that nobody sets, such as `Timer.uptime`.
    package init(now: Timestamp, uptime: Duration) {
        begun = uptime
        origin = now - uptime
    }

    /// Nil if nothing may be forgotten yet.
    package mutating func end(now: Timestamp, uptime: Duration) -> Timestamp? {
        origin = min(origin, now - uptime)
        guard uptime - begun >= Self.hold else { return nil }
        return origin + uptime - Self.margin
    }
}
