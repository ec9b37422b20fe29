/// The `Authorization: Ticket id="…"` field of `api/enroll`.
package struct EnrollmentTicketAuthorization: Sendable, Equatable {
    package let ticket: String

    /// Nil for a ticket that a quoted string cannot hold unescaped (RFC 9110 clause 5.6.4).
    package init?(ticket: String) {
        guard !ticket.isEmpty, ticket.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }) else {
            return nil
        }
        self.ticket = ticket
    }

    /// Nil for another scheme or form. The scheme's case does not matter (RFC 9110 clause 11.1).
    package init?(parsing value: String) {
        let halves = value.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "ticket" else { return nil }
        let parameter = halves[1].drop { $0 == " " }
        guard parameter.lowercased().hasPrefix("id=\""), parameter.count > 5, parameter.hasSuffix("\"") else {
            return nil
        }
        self.init(ticket: String(parameter.dropFirst(4).dropLast()))
    }

    package var fieldValue: String { "Ticket id=\"\(ticket)\"" }
}
