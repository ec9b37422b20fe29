package import Primitives

/// Tells until which moment things that end may be forgotten, so that a clock that jumps forward forgets nothing: what was
/// used would be usable once more when the clock jumps back. Time that passed by the process's own count bounds it.
package struct SteadyPast: Sendable {
    /// Before a process ran for so long nothing is forgotten: its clock may have been wrong when it began, and until then
    /// whatever was used before has ended.
    package static let hold = Duration.seconds(600)
    /// Another node's clock may be behind.
    static let margin = Duration.seconds(60)

    private let begun: Duration
    /// The earliest moment, by the clock, at which the count of the process was zero.
    private var origin: Timestamp

    /// `uptime` is a count that nobody sets, as `Timer` has it.
    package init(now: Timestamp, uptime: Duration) {
        begun = uptime
        origin = now - uptime
    }

    /// Nil where nothing may be forgotten yet.
    package mutating func end(now: Timestamp, uptime: Duration) -> Timestamp? {
        origin = min(origin, now - uptime)
        guard uptime - begun >= Self.hold else { return nil }
        return origin + uptime - Self.margin
    }
}
