package import Audit
package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Store port for codes that stand for tickets.
package protocol EnrollmentCodeStore: AttemptStore {
    /// Gives a ticket its code, in place of an earlier one, with the audit event. Nil if the ticket enrols nothing now, or
    /// if another ticket's code is at the place. The code never lives longer than the ticket; the result is its end.
    func keep(
        _ code: StoredEnrollmentCode, until end: Timestamp, of ticket: [UInt8], now: Timestamp, event: AuditEvent?
    ) async throws -> Timestamp?

    /// Spends one try on the code at the place, and returns its ticket if the hash is that code's. Counting and comparing
    /// are one statement, so that guesses at the same time are no more than `tries`.
    func ticket(
        of code: StoredEnrollmentCode, tries: Int, now: Timestamp
    ) async throws -> EnrollmentTicket?
}

/// A code as the store has it.
package struct StoredEnrollmentCode: Sendable, Equatable {
    package let tenant: TenantID
    package let place: String
    /// MAC of the whole code: 40 bits would be found in a plain hash.
    package let hash: [UInt8]
}

/// Issues and takes the short codes of enrolment tickets (docs/threat-model.md has the arithmetic).
package struct EnrollmentCodes: Sendable {
    package static let lifetime: Duration = .seconds(900)
    /// Tries at one code in all, right or wrong.
    package static let tries = 5
    /// Wrong codes of a tenant in all, as a multiple of the limit of one account.
    static let tenantFactor = 10
    /// Random places that are tried for a new code. With 181 live codes, all four are taken once in a billion times.
    static let placesTried = 4

    /// 32 bytes without another use.
    let key: SecretBytes
    let store: any EnrollmentStore & EnrollmentCodeStore
    let hashing: any Hashing
    let random: any RandomSource
    let budgets: AuditBudgets
    let refusals: RefusalLog

    /// Gives a ticket's holder a code for it. The ticket stays as it is, and an earlier code ends.
    package func issue(
        for ticket: EnrollmentTicketAuthorization, context: RequestContext
    ) async throws -> EnrollmentCodeAnswer {
        let hash = hashing.sha256(Array(ticket.ticket.utf8))
        guard let kept = try await store.ticket(hash, tenant: context.tenant.id, now: context.now) else {
            throw DeviceFailure.ticketNotFound
        }
        let event = context.event(
            .enrollmentTicketCreated, charge: try budgets.draw(on: .user(kept.user), context), user: kept.user,
            details: ["form": "code"])
        return try await code(of: hash, context, event: event)
    }

    /// `event` nil is for a ticket whose own event says enough.
    func code(
        of ticket: [UInt8], _ context: RequestContext, event: AuditEvent?
    ) async throws -> EnrollmentCodeAnswer {
        for _ in 0..<Self.placesTried {
            let code = EnrollmentCode(random)
            if let end = try await store.keep(
                stored(code, context.tenant.id), until: context.now + Self.lifetime, of: ticket, now: context.now,
                event: event)
            {
                return EnrollmentCodeAnswer(code: code, expiresAt: end)
            }
        }
        throw DeviceFailure.ticketNotFound
    }

    /// The ticket of a typed code, and the code's hash, which the enrolment demands again. Unknown, used and expired codes
    /// are refused alike.
    func ticket(
        of code: EnrollmentCode, context: RequestContext
    ) async throws -> (ticket: EnrollmentTicket, code: [UInt8]) {
        let attempts = AttemptLimits(context, from: context.remoteAddress, hashing: hashing)
        let limits = attempts.ofEnrollmentCodes(context.tenant.settings.bruteForceProtection)
        let failed = try await store.failures(
            limits.map(\.key), tenant: context.tenant.id, windowStart: attempts.windowStart)
        let window = context.tenant.settings.bruteForceProtection.window
        if let reached = zip(failed, limits).first(where: { $0.count >= $1.limit })?.0 {
            throw DeviceFailure.tooManyCodes(wait: reached.wait(window: window, now: context.now))
        }
        let stored = stored(code, context.tenant.id)
        if let ticket = try await store.ticket(of: stored, tries: Self.tries, now: context.now) {
            return (ticket, stored.hash)
        }
        _ = try await store.countFailure(
            limits, tenant: context.tenant.id, now: context.now, windowStart: attempts.windowStart, event: nil)
        try await refusals.device(
            context.refusal(.enrollmentFailed), of: "code from \(CountedAddress(attempts.address))",
            .ticketNotFound)
        throw DeviceFailure.ticketNotFound
    }

    private func stored(_ code: EnrollmentCode, _ tenant: TenantID) -> StoredEnrollmentCode {
        StoredEnrollmentCode(
            tenant: tenant, place: code.place,
            hash: hashing.hmac(.sha256, key: key.bytes, lengthPrefixed([tenant.rawValue, code.text])))
    }
}

extension AttemptLimits {
    /// Wrong codes of an address, and of all addresses.
    fileprivate func ofEnrollmentCodes(_ settings: BruteForceProtection) -> [AttemptLimit] {
        [
            AttemptLimit(
                AttemptKey(.enrollmentCode, account: "", from: address, hashing: hashing),
                settings.attempts(at: .enrollmentCode)),
            AttemptLimit(
                AttemptKey(.enrollmentCode, account: "", hashing: hashing),
                EnrollmentCodes.tenantFactor * settings.attemptsPerAccount),
        ]
    }
}

extension DeviceFailure {
    static let ticketNotFound = DeviceFailure(
        .ticketNotFound, "The enrolment ticket is unknown, used or expired; ask for a new one")

    static func tooManyCodes(wait: Int) -> DeviceFailure {
        DeviceFailure(
            .tooManyCodes, "There were too many wrong codes. Use the link, or try again in \(wait) seconds")
    }
}
