/// An `error_description`: printable ASCII without quotation marks and backslashes (RFC 6749 clause 5.2), which are all
/// that may stand in a JSON body, a redirect and a `WWW-Authenticate` field alike. English, because SDKs compare it.
package struct ErrorDescription: Sendable, Hashable, ExpressibleByStringInterpolation {
    /// Characters of an interpolated value that are shown; the rest of a longer one is left out.
    package static let valueLimit = 128

    package let text: String

    /// Takes a text that quotes what came from outside, whole.
    package init(_ text: String) { self.text = String(String.UnicodeScalarView(text.unicodeScalars.map(Self.allowed))) }

    /// A text of ours, which fits as it is.
    package init(stringLiteral value: String) {
        self.init(value)
        assert(text == value)
    }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// Values are shortened, descriptions that complete this one are not.
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
    /// All of them, one after another.
    package func joined(separator: ErrorDescription) -> ErrorDescription {
        reduce(nil as ErrorDescription?) { first, next in first.map { "\($0)\(separator)\(next)" } ?? next } ?? ""
    }
}
