/// A piece of work with its time, for traces. Attributes hold no secret and no personal data: routes, methods, statuses,
/// tenants, queues.
package struct Span: Sendable {
    /// Numbers of OpenTelemetry's protocol.
    package enum Kind: Int, Sendable {
        case server = 2
        case client, producer
    }

    package enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
    }

    package let context: TraceContext
    /// Nil for the first span of a trace.
    package let parent: TraceContext.SpanID?
    package let name: String
    package let kind: Kind
    /// Nanoseconds since 1970.
    package let beganAt: UInt64
    /// Nanoseconds since 1970. 0 until the span ends.
    package internal(set) var endedAt: UInt64 = 0
    package private(set) var attributes: [(name: String, value: Value)] = []
    /// True if this server, or one that it called, failed.
    package var hasFailed = false

    init(_ name: String, _ kind: Kind, _ context: TraceContext, below parent: TraceContext.SpanID?, beganAt: UInt64) {
        self.name = name
        self.kind = kind
        self.context = context
        self.parent = parent
        self.beganAt = beganAt
    }

    package mutating func note(_ name: String, _ value: String) { attributes.append((name, .text(value))) }

    package mutating func note(_ name: String, _ value: Int) { attributes.append((name, .number(value))) }
}
