import Testing
import Tracing

@Suite("W3C Trace Context")
struct TraceContextTests {
    @Test("Trace Context 3.2.2: a valid traceparent is read and written as it is")
    func valid() throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.span.description == "00f067aa0ba902b7")
        #expect(context.isSampled)
        #expect(context.traceparent == text)
        let other = try #require(TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-fe"))
        #expect(!other.isSampled, "other flags do not count")
        #expect(other.traceparent.hasSuffix("-00"))
    }

    @Test(
        "Trace Context 4.3: an invalid traceparent is ignored",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ])
    func invalid(text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test("Trace Context 4.3: a later version may have more fields behind those of this one")
    func later() {
        #expect(TraceContext(traceparent: "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more") != nil)
    }
}
