/// An `error_description`: printable ASCII without quotation marks and backslashes (RFC 6749 clause 5.2), fit for JSON
/// bodies, redirects and `WWW-Authenticate` fields. English, because SDKs compare it.
package struct ErrorDescription: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// Maximum characters of an interpolated value. The rest is omitted.
    package static let valueLimit = 128

    package let text: String

    /// Takes a whole text that quotes outside input.
    package init(_ text: String) { self.text = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.allowed))) }

    /// A literal, which needs no change.
    package init(stringLiteral value: String) {
        self.init(value)
        assert(text == value)
    }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Shortens values, but not interpolated descriptions.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += ErrorDescription(stringLiteral: literal).text }

        package mutating func appendInterpolation(_ part: ErrorDescription) { text += part.text }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let scalars = value.description.unicodeScalars
            text.unicodeScalars += scalars.prefix(ErrorDescription.valueLimit).map(ErrorDescription.allowed)
            if scalars.dropFirst(ErrorDescription.valueLimit).first != nil { text += "..." }
        }
    }

    package static func + (first: ErrorDescription, second: ErrorDescription) -> ErrorDescription {
        "\(first)\(second)"
    }

    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "\"", "\\": "'"
        case " "..."~": scalar
        default: "?"
        }
    }
}

extension Sequence<ErrorDescription> {
    package func joined(separator: ErrorDescription) -> ErrorDescription {
        reduce(nil as ErrorDescription?) { first, next in first.map { "\($0)\(separator)\(next)" } ?? next } ?? ""
    }
}
