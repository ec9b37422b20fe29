package import Primitives

/// A short form of an enrolment ticket, which people type: eight characters of Crockford's Base32, which has no
/// look-alikes. 40 random bits are few, so a code lives for minutes and is tried a few times.
package struct EnrollmentCode: Sendable, Hashable {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 8
    /// Characters of `place`: 15 bits. The other 25 have to be guessed in as many tries as a code has.
    private static let placeLength = 3

    /// Eight characters, without a hyphen.
    package let text: String

    package init(_ random: some RandomSource) {
        let bits = random.bytes(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        text = String((0..<Self.length).map { Self.alphabet[Int(bits >> (5 * UInt64($0)) & 31)] })
    }

    /// Reads a code as people type it: in either case, with spaces or hyphens, and with O, I and L for 0 and 1. Nil for
    /// every other text.
    package init?(parsing typed: String) {
        guard typed.utf8.count <= 32 else { return nil }
        let characters = typed.uppercased().filter { !" -".contains($0) }.map { character -> Character in
            switch character {
            case "O": "0"
            case "I", "L": "1"
            default: character
            }
        }
        guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else { return nil }
        text = String(characters)
    }

    /// The beginning, which is kept in the clear. Wrong guesses count against the code at their place.
    package var place: String { String(text.prefix(Self.placeLength)) }

    /// In two groups of four.
    package var shown: String { "\(text.prefix(4))-\(text.dropFirst(4))" }
}

/// The `Authorization: Code id="…"` field of `api/enroll`.
package struct EnrollmentCodeAuthorization: Sendable, Equatable {
    package let code: EnrollmentCode

    /// Nil for another scheme or form.
    package init?(parsing value: String) {
        let halves = value.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "code",
            let quoted = EnrollmentTicketAuthorization(parsing: "Ticket \(halves[1])"),
            let code = EnrollmentCode(parsing: quoted.ticket)
        else { return nil }
        self.code = code
    }
}
