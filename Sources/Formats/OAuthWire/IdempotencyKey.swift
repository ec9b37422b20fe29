/// A client's name for one request, by which the server recognizes repetitions of it
/// (draft-ietf-httpapi-idempotency-key-header).
package struct IdempotencyKey: Sendable, Equatable {
    package static let header = "Idempotency-Key"
    private static let length = 1...255
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    /// 1 to 255 printable ASCII characters.
    package let text: String

    package init(_ text: String) throws(OAuthError) {
        guard Self.length.contains(text.utf8.count), text.utf8.allSatisfy(Self.isPrintable) else { throw Self.problem }
        self.text = text
    }

    /// Reads the values of the header's lines. Nil if there are none.
    package init?(fields values: [String]) throws(OAuthError) {
        guard let value = values.first else { return nil }
        guard values.count == 1 else {
            throw OAuthError(.invalidRequest, "Idempotency-Key is repeated; send it once")
        }
        guard let text = Self.text(of: Array(value.utf8)) else { throw Self.problem }
        try self.init(text)
    }

    /// The string of a structured field (RFC 9651 clause 3.3.3), as the draft asks for.
    package var fieldValue: String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static let problem = OAuthError(
        .invalidRequest,
        "Idempotency-Key must have 1 to 255 printable ASCII characters: a quoted string, or without quotes a text that "
            + "has no blank, comma, semicolon, quote or backslash")

    /// A string of a structured field without parameters, or a text that could not be a list, a string or parameters.
    private static func text(of value: [UInt8]) -> String? {
        guard value.first != quote else { return unquoted(value) }
        let others = Array(" ,;\"\\".utf8)
        return value.contains(where: others.contains) ? nil : String(decoding: value, as: UTF8.self)
    }

    private static func unquoted(_ value: [UInt8]) -> String? {
        guard value.count >= 2, value.last == quote else { return nil }
        var text: [UInt8] = []
        var isEscaped = false
        for byte in value[1..<(value.count - 1)] {
            switch byte {
            case quote, backslash:
                if isEscaped { text.append(byte) } else if byte == quote { return nil }
                isEscaped = !isEscaped && byte == backslash
            default:
                guard !isEscaped else { return nil }
                text.append(byte)
            }
        }
        return isEscaped ? nil : String(decoding: text, as: UTF8.self)
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}
