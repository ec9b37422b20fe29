/// An opaque sRGB colour.
package struct Colour: Sendable, Hashable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `#1a6fd4`, `1A6FD4` or `#16d`. Nil if `text` has another form.
    package init?(hex text: String) {
        var digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        if digits.utf8.count == 3 { digits = String(digits.flatMap { [$0, $0] })[...] }
        guard let bytes = Hex.decode(digits), bytes.count == 3 else { return nil }
        self.init(red: bytes[0], green: bytes[1], blue: bytes[2])
    }

    /// Six lower-case digits, without `#`.
    package var hex: String { Hex.encode([red, green, blue]) }

    package static let black = Colour(red: 0, green: 0, blue: 0)
    package static let white = Colour(red: 255, green: 255, blue: 255)

    /// Relative luminance (WCAG 2.2), from 0 (black) to 1 (white).
    package var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    /// Contrast ratio (WCAG 2.2), `1...21`. Text needs 4.5.
    package func contrast(with other: Colour) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// Black or white, whichever has more contrast with this colour: at least 4.58.
    package var ink: Colour { contrast(with: .white) >= contrast(with: .black) ? .white : .black }

    /// Mixes in `share` of another colour, `0...1`.
    package func mixed(with other: Colour, share: Double) -> Colour {
        func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
            UInt8((Double(from) + (Double(to) - Double(from)) * share).rounded())
        }
        return Colour(red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }

    /// The nearest colour towards `end` that is readable on `background`.
    package func readable(on background: Colour, towards end: Colour) -> Colour {
        for step in 0..<64 {
            let colour = mixed(with: end, share: Double(step) / 64)
            if colour.contrast(with: background) >= 4.5 { return colour }
        }
        return end
    }

    /// Removes the transfer function of sRGB (IEC 61966-2-1).
    private static func linear(_ component: UInt8) -> Double {
        let value = Double(component) / 255
        guard value > 0.04045 else { return value / 12.92 }
        let base = (value + 0.055) / 1.055
        return base * base * fifthRoot(base * base)
    }

    /// Fifth root by Newton's method, for the power 2.4, which the standard library lacks. `value` is above 0 and at
    /// most 1.
    private static func fifthRoot(_ value: Double) -> Double {
        var root = 1.0
        for _ in 0..<32 {
            let square = root * root
            root -= (root - value / (square * square)) / 5
        }
        return root
    }
}
