package import Primitives

/// Answer of `POST api/enroll/code`: the code that stands for a ticket.
package struct EnrollmentCodeAnswer: Sendable, Equatable {
    package let code: EnrollmentCode
    package let expiresAt: Timestamp

    package init(code: EnrollmentCode, expiresAt: Timestamp) {
        self.code = code
        self.expiresAt = expiresAt
    }

    package var json: [UInt8] { JSONWriter.object(write) }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("code", code.shown)
        writer.member("expires_at", expiresAt.iso8601)
    }
}

/// Body of `POST api/device-accounts/{id}/tickets`.
package struct NewPhoneRequest: Sendable, Equatable {
    /// Answer of `navigator.credentials.get` to a challenge of `passkey`. Nil without a passkey.
    package let passkey: PasskeyAssertion?

    package init(parsing body: [UInt8]) throws(GuardianWireFailure) {
        let members = try Members(parsing: body)
        passkey = try members.optionalMembers("passkey").map(PasskeyAssertion.init)
    }
}

/// Its answer: a ticket in each form in which another phone can take it.
package struct NewPhoneTicket: Sendable, Equatable {
    package let ticket: EnrollmentURI
    package let answer: EnrollmentCodeAnswer

    package init(ticket: EnrollmentURI, answer: EnrollmentCodeAnswer) {
        self.ticket = ticket
        self.answer = answer
    }

    /// - Parameters:
    ///   - link: Address of the web app with the ticket.
    ///   - modules: Rows of the link's QR code.
    package func json(link: String, modules: [[Bool]]) -> [UInt8] {
        JSONWriter.object { writer in
            writer.member("ticket", ticket.transactionID)
            writer.member("link", link)
            answer.write(to: &writer)
            writer.member(
                "modules", .array(modules.map { .string(String($0.map { $0 ? "1" as Character : "0" })) }))
        }
    }
}

/// The `Authorization: Farewell id="…"` field of `api/device-accounts/{id}/farewell`.
package struct FarewellAuthorization: Sendable, Equatable {
    package let secret: String

    /// Nil for another scheme or form.
    package init?(parsing value: String) {
        let halves = value.split(separator: " ", maxSplits: 1)
        guard halves.count == 2, halves[0].lowercased() == "farewell",
            let quoted = EnrollmentTicketAuthorization(parsing: "Ticket \(halves[1])")
        else { return nil }
        secret = quoted.ticket
    }
}
