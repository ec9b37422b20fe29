/// Unicode texts as ASCII letters, digits and hyphens (RFC 3492).
package enum Punycode {
    private static let (base, lowest, highest, skew, damp) = (36, 1, 26, 38, 700)
    private static let (initialBias, initialScalar) = (72, 0x80)

    /// Encoding of a text (clause 6.3). The work grows with the square of its length, so callers bound the length.
    package static func encode(_ scalars: [Unicode.Scalar]) -> String {
        let values = scalars.map { Int($0.value) }
        var output = scalars.filter(\.isASCII).map { UInt8($0.value) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (handled, scalar, delta, bias) = (basic, initialScalar, 0, initialBias)
        while let next = values.filter({ $0 >= scalar }).min() {
            delta += (next - scalar) * (handled + 1)
            for value in values {
                if value < next { delta += 1 }
                guard value == next else { continue }
                append(delta, bias, to: &output)
                bias = adapted(delta, among: handled + 1, isFirst: handled == basic)
                (delta, handled) = (0, handled + 1)
            }
            (delta, scalar) = (delta + 1, next + 1)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Appends a number in digits of variable length (clause 3.3).
    private static func append(_ number: Int, _ bias: Int, to output: inout [UInt8]) {
        var (rest, place) = (number, base)
        while true {
            let threshold = min(max(place - bias, lowest), highest)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)
    }

    /// Clause 6.1.
    private static func adapted(_ delta: Int, among count: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / damp : delta / 2
        rest += rest / count
        var steps = 0
        while rest > (base - lowest) * highest / 2 {
            rest /= base - lowest
            steps += base
        }
        return steps + (base - lowest + 1) * rest / (rest + skew)
    }
}
