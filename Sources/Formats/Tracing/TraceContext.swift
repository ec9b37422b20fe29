/// Place in a trace: the trace, and the span to which others belong (W3C Trace Context). Its ids are random and say nothing.
package struct TraceContext: Sendable, Hashable {
    /// 128 bits, not all zero.
    package struct TraceID: Sendable, Hashable, CustomStringConvertible {
        fileprivate let high: UInt64
        fileprivate let low: UInt64

        /// 32 hexadecimal digits in lower case.
        package var description: String { hexadecimal(high) + hexadecimal(low) }
    }

    /// 64 bits, not all zero.
    package struct SpanID: Sendable, Hashable, CustomStringConvertible {
        fileprivate let bits: UInt64

        /// 16 hexadecimal digits in lower case.
        package var description: String { hexadecimal(bits) }
    }

    package let trace: TraceID
    package let span: SpanID
    /// True if spans of this trace are recorded.
    package let isSampled: Bool

    /// A context of a new trace.
    init(newTraceSampled isSampled: Bool) {
        trace = TraceID(high: UInt64.random(in: 1...UInt64.max), low: UInt64.random(in: 0...UInt64.max))
        span = SpanID(bits: UInt64.random(in: 1...UInt64.max))
        self.isSampled = isSampled
    }

    /// A context of a new span in the trace of `parent`.
    init(below parent: TraceContext) {
        trace = parent.trace
        span = SpanID(bits: UInt64.random(in: 1...UInt64.max))
        isSampled = parent.isSampled
    }

    /// Parses the field `traceparent` (clause 3.2.2). Nil for every text that the clause calls invalid, which is then
    /// ignored (clause 4.3).
    package init?(traceparent text: String) {
        let bytes = Array(text.utf8)
        let hyphen = UInt8(ascii: "-")
        guard bytes.count >= 55, let version = number(bytes[0..<2]), version != 0xFF,
            // Later versions may append fields.
            bytes.count == 55 || version != 0 && bytes[55] == hyphen,
            [2, 35, 52].allSatisfy({ bytes[$0] == hyphen }),
            let high = number(bytes[3..<19]), let low = number(bytes[19..<35]), high | low != 0,
            let span = number(bytes[36..<52]), span != 0, let flags = number(bytes[53..<55])
        else { return nil }
        trace = TraceID(high: high, low: low)
        self.span = SpanID(bits: span)
        isSampled = flags & 1 == 1
    }

    /// Value of the field `traceparent`.
    package var traceparent: String { "00-\(trace)-\(span)-0\(isSampled ? 1 : 0)" }
}

private func hexadecimal(_ bits: UInt64) -> String {
    let digits = String(bits, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

/// Reads hexadecimal digits in lower case. Nil for another character.
private func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    digits.reduce(0) { (number: UInt64?, digit) in
        guard let number else { return nil }
        switch digit {
        case 0x30...0x39: return number << 4 | UInt64(digit - 0x30)
        case 0x61...0x66: return number << 4 | UInt64(digit - 0x61 + 10)
        default: return nil
        }
    }
}
