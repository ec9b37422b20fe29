import Primitives

/// Text that both devices show, so that users recognize the request that they started (CIBA Core 7.1).
public struct BindingMessage: Sendable, Equatable {
    package let text: String

    /// Characters that a tenant accepts.
    public enum Alphabet: String, Sendable, CaseIterable {
        /// ASCII letters, digits, space and `+-_.,:#`, as Auth0 documents.
        case restricted
        /// Any printable Unicode, including emoji of several characters.
        case unicode
    }

    /// Longest message, in characters.
    package static let limit = 64

    package init(_ text: String, alphabet: Alphabet = .restricted) throws(OAuthError) {
        guard (1...Self.limit).contains(text.unicodeScalars.count) else {
            throw OAuthError(
                .invalidBindingMessage,
                "binding_message must have 1 to \(Self.limit) characters, not \(text.unicodeScalars.count)")
        }
        guard !text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else {
            throw OAuthError(.invalidBindingMessage, "binding_message must not be blank: people compare what it says")
        }
        if let bad = text.firstUnseen ?? Self.firstRefused(in: Array(text.unicodeScalars), alphabet) {
            let advice = alphabet.advice
            throw OAuthError(.invalidBindingMessage, "binding_message must not contain \(Self.shown(bad)); \(advice)")
        }
        self.text = text
    }

    /// Visible ASCII as itself, except quotation marks and `\`. Others as code points of at least four digits.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII, scalar.value > 0x20, scalar.value != 0x7F, !["\"", "'", "\\"].contains(scalar) {
            return "'\(scalar)'"
        }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func firstRefused(in scalars: [Unicode.Scalar], _ alphabet: Alphabet) -> Unicode.Scalar? {
        for (place, scalar) in scalars.enumerated() {
            let isAllowed =
                switch alphabet {
                case .restricted: isRestricted(scalar)
                case .unicode: isPrinted(scalar) || shapes(place, scalars)
                }
            if !isAllowed { return scalar }
        }
        return nil
    }

    private static func isRestricted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", " ", "+", "-", "_", ".", ",", ":", "#": true
        default: false
        }
    }

    /// Returns false for invisible characters and for characters that reorder text.
    private static func isPrinted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    private static let joiner: Unicode.Scalar = "\u{200D}"
    /// True if the invisible character at `place` shapes its visible neighbour (UTS 51 clause 1.4.2): a variation
    /// selector behind a visible character, or a joiner between two emoji.
    private static func shapes(_ place: Int, _ scalars: [Unicode.Scalar]) -> Bool {
        guard place > 0 else { return false }
        let before = scalars[place - 1]
        if scalars[place].properties.isVariationSelector { return isPrinted(before) && !before.properties.isWhitespace }
        guard scalars[place] == joiner, place + 1 < scalars.count else { return false }
        let isSelected = before.properties.isVariationSelector && place > 1
        return isPicture(isSelected ? scalars[place - 2] : before) && isPicture(scalars[place + 1])
    }

    /// Excludes ASCII's digits, `#` and `*`, which Unicode counts as emoji because keycaps begin with them.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isEmoji && !scalar.isASCII }
}

extension BindingMessage.Alphabet {
    /// Advice for a refused message.
    fileprivate var advice: ErrorDescription {
        switch self {
        case .restricted:
            "use letters, digits, spaces and + - _ . , : #, or let the tenant's setting binding_message_alphabet be unicode"
        case .unicode: "leave out line breaks, control and formatting characters, and what Unicode has not assigned"
        }
    }
}
