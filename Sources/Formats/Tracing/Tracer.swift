package import Primitives
import Synchronization

/// Makes the spans of this process, and keeps them until they are exported. Nothing waits for it: a span that finds no room
/// is dropped and counted. A server without traces has no tracer.
package final class Tracer: Sendable {
    /// Span that the present task works for. No rule depends on it, so that no flow passes it on.
    @TaskLocal package static var current: TraceContext?

    /// Most spans that wait for export, about 1 MB.
    package static let room = 4_096

    private let ratio: Double
    private let now: @Sendable () -> UInt64
    private let waiting = Mutex<[Span]>([])

    /// Spans that found no room, or that were not taken.
    package let dropped = Counter()

    /// - Parameters:
    ///   - ratio: Share of the traces begun here that are recorded, `0...1`. Another's trace is recorded if the other says so.
    ///   - now: Nanoseconds since 1970.
    package init(ratio: Double, now: @escaping @Sendable () -> UInt64) {
        self.ratio = ratio
        self.now = now
    }

    /// Begins a span of the trace of `parent`. Nil begins a trace.
    package func begin(_ name: String, _ kind: Span.Kind, below parent: TraceContext?) -> Span {
        let context =
            parent.map { TraceContext(below: $0) }
            ?? TraceContext(newTraceSampled: ratio > 0 && Double.random(in: 0..<1) < ratio)
        return Span(name, kind, context, below: parent?.span, beganAt: now())
    }

    /// Begins a span of the work that the present task does. Nil if that is not recorded.
    package func beginBelowCurrent(_ name: String, _ kind: Span.Kind) -> Span? {
        guard let current = Self.current, current.isSampled else { return nil }
        return begin(name, kind, below: current)
    }

    package func end(_ span: Span) {
        guard span.context.isSampled else { return }
        var span = span
        span.endedAt = max(now(), span.beganAt)
        let isKept = waiting.withLock { waiting in
            guard waiting.count < Self.room else { return false }
            waiting.append(span)
            return true
        }
        if !isKept { dropped.increment() }
    }

    /// Takes at most `count` spans, the oldest first.
    package func take(atMost count: Int) -> [Span] {
        waiting.withLock { waiting in
            defer { waiting.removeFirst(min(count, waiting.count)) }
            return Array(waiting.prefix(count))
        }
    }
}
