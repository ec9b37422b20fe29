/// The text that both devices show, so that a person can tell the request is the one they started (CIBA Core 7.1).
public struct BindingMessage: Sendable, Equatable {
    public let text: String

    /// Which characters a tenant accepts.
    public enum Alphabet: String, Sendable, CaseIterable {
        /// ASCII letters, digits, space and `+-_.,:#`, as Auth0 documents.
        case restricted
        /// Any printable Unicode.
        case unicode
    }

    /// Longest message, in characters.
    public static let limit = 64

    public init(_ text: String, alphabet: Alphabet = .restricted) throws(OAuthError) {
        guard (1...Self.limit).contains(text.unicodeScalars.count) else {
            throw OAuthError(
                .invalidBindingMessage,
                "binding_message must have 1 to \(Self.limit) characters, not \(text.unicodeScalars.count)")
        }
        guard !text.unicodeScalars.allSatisfy(\.properties.isWhitespace) else {
            throw OAuthError(.invalidBindingMessage, "binding_message must not be blank: people compare what it says")
        }
        if let bad = text.unicodeScalars.first(where: { !Self.allows($0, in: alphabet) }) {
            let advice = alphabet.advice
            throw OAuthError(
                .invalidBindingMessage,
                "binding_message must not contain \(Self.shown(bad)); \(advice)")
        }
        self.text = text
    }

    /// As itself where that is plain to see, otherwise as Unicode writes code points: four digits at least.
    private static func shown(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII, scalar.value > 0x20, scalar.value != 0x7F, !["\"", "'", "\\"].contains(scalar) {
            return "'\(scalar)'"
        }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func allows(_ scalar: Unicode.Scalar, in alphabet: Alphabet) -> Bool {
        switch alphabet {
        case .restricted:
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "+", "-", "_", ".", ",", ":", "#": true
            default: false
            }
        case .unicode:
            switch scalar.properties.generalCategory {
            // Format characters could reorder or hide what the person reads.
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
    }
}

extension BindingMessage.Alphabet {
    /// What to write instead.
    fileprivate var advice: ErrorDescription {
        switch self {
        case .restricted:
            "use letters, digits, spaces and + - _ . , : #"
        case .unicode:
            "leave out line breaks, control and formatting characters, and what Unicode has not assigned"
        }
    }
}
