import Audit
package import AuthorizationCore
package import GuardianWire
import Primitives

/// Lets an enrolled phone add another one of the same person.
package struct AddPhone: Sendable {
    /// Time in which the other phone has to be added.
    package static let lifetime: Duration = .seconds(600)

    let store: any EnrollmentStore & ApproverStore
    let passkeys: PasskeyAnswers
    let challenges: PasskeyChallenges
    let codes: EnrollmentCodes
    let hashing: any Hashing
    let random: any RandomSource
    let budgets: AuditBudgets
    let refusals: RefusalLog

    /// Makes a ticket of the phone's own person. Throws `DeviceFailure` for the device's faults, other errors for the
    /// server's.
    package func ticket(
        for authenticated: AuthenticatedDevice, _ request: NewPhoneRequest, context: RequestContext
    ) async throws -> NewPhoneTicket {
        let (device, tenant) = (authenticated.device, context.tenant)
        let passkey = try await passkeys.passkey(for: request.passkey, of: device)
        let confirmation: PasskeyConfirmation?
        do throws(DeviceFailure) {
            confirmation = try confirmed(request.passkey, by: passkey, authenticated, context)
        } catch {
            let refusal = context.refusal(.enrollmentFailed, user: device.user, device: device.id)
            try await refusals.device(refusal, of: device.id.rawValue, error)
            throw error
        }
        guard let user = try await store.approver(.id(device.user), tenant: tenant.id)?.user else {
            throw DeviceFailure.enrollmentNotFound
        }
        let event = context.event(
            .enrollmentTicketCreated, charge: try budgets.draw(on: .phones(of: device.user), context),
            user: device.user, device: device.id, details: ["form": "phone", "passkey": .bool(confirmation != nil)])
        let text = Identifiers.ticket(random)
        let ticket = EnrollmentTicket(
            hash: hashing.sha256(Array(text.utf8)), tenant: tenant.id, user: device.user, createdAt: context.now,
            expiresAt: context.now + Self.lifetime, requestedBy: device.id)
        guard try await store.createTicket(ticket, confirmedBy: confirmation, event: event) else {
            throw DeviceFailure.passkeyCountWentBack
        }
        return NewPhoneTicket(
            ticket: EnrollmentURI(ticket: text, account: user.accountName, tenant: tenant),
            answer: try await codes.code(of: ticket.hash, context, event: nil))
    }

    /// The proof by a passkey. Nil if none is demanded and none was sent.
    private func confirmed(
        _ assertion: PasskeyAssertion?, by passkey: Passkey?, _ authenticated: AuthenticatedDevice,
        _ context: RequestContext
    ) throws(DeviceFailure) -> PasskeyConfirmation? {
        let proof = context.tenant.settings.proofOfPhoneAddition
        guard authenticated.provedKey else { throw .needsKey }
        guard proof != .never else { throw .additionNotAllowed }
        guard let assertion else {
            guard proof == .key else { throw .additionNeedsPasskey }
            return nil
        }
        var challenge: UsedProof?
        let use = try passkeys.use(
            of: assertion, by: passkey, at: context.tenant,
            for: "one that this device was given in the last five minutes"
        ) { bytes in
            challenge = challenges.proof(
                of: bytes, for: .phone(authenticated.device.id), tenant: context.tenant.id, at: context.now)
            return challenge != nil
        }
        // `use` demanded it.
        return challenge.map { PasskeyConfirmation(use: use, challenge: $0) }
    }
}

extension DeviceFailure {
    static let additionNotAllowed = DeviceFailure(
        .additionNotAllowed, "Phones of this tenant add no other phones; use the account page, or ask the operator")
    static let additionNeedsPasskey = DeviceFailure(
        .passkeyRequired,
        "Another phone is added only with an assertion of this phone's passkey, in the member passkey")
}
