import Primitives
import Testing
import Tracing

@Suite("Spans that wait for export")
struct TracerTests {
    private static func tracer(ratio: Double = 1) -> Tracer { Tracer(ratio: ratio) { 7 } }

    private static let sampled = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    private static let unsampled = TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")

    @Test("The ratio decides about traces begun here, and the caller about its own")
    func sampling() {
        let cases: [(Double, TraceContext?, Bool)] = [
            (1, nil, true), (0, nil, false), (1, Self.unsampled, false), (0, Self.sampled, true),
        ]
        for (ratio, parent, isKept) in cases {
            let tracer = Self.tracer(ratio: ratio)
            tracer.end(tracer.begin("work", .server, below: parent))
            #expect(tracer.take(atMost: 10).count == (isKept ? 1 : 0))
        }
        let half = Self.tracer(ratio: 0.5)
        for _ in 0..<1_000 { half.end(half.begin("work", .server, below: nil)) }
        #expect((350...650).contains(half.take(atMost: 1_000).count))
    }

    @Test("Beyond the room spans are dropped and counted, and those that wait stay")
    func room() {
        let tracer = Self.tracer()
        for number in 0..<Tracer.room + 5 { tracer.end(tracer.begin("\(number)", .server, below: nil)) }
        #expect(tracer.dropped.count == 5)
        #expect(tracer.take(atMost: 2).map(\.name) == ["0", "1"])
        #expect(tracer.take(atMost: Tracer.room * 2).count == Tracer.room - 2)
    }

    @Test("Work below no recorded span has no span")
    func current() throws {
        let tracer = Self.tracer()
        #expect(tracer.beginBelowCurrent("call", .client) == nil)
        Tracer.$current.withValue(Self.unsampled) {
            #expect(tracer.beginBelowCurrent("call", .client) == nil)
        }
        let span = Tracer.$current.withValue(Self.sampled) { tracer.beginBelowCurrent("call", .client) }
        #expect(span?.parent == Self.sampled?.span)
        #expect(span?.context.trace == Self.sampled?.trace)
    }
}
