package import Audit
package import AuthorizationCore
package import GuardianWire
package import HTTPModel
package import JOSE
package import Primitives

/// Binds a phone's key to a user by a ticket that only the user saw (Guardian: `api/enroll`).
package struct EnrollDevice: Sendable {
    private let store: any EnrollmentStore
    private let verifier: any Verifier
    private let hashing: any Hashing
    private let random: any RandomSource
    private let sealer: any Sealer
    private let refusals: RefusalLog
    private let outgoing: OutgoingPolicy

    /// `outgoing` limits the push services that a device may name.
    package init(
        store: any EnrollmentStore, verifier: any Verifier, hashing: any Hashing, random: any RandomSource,
        sealer: any Sealer, refusals: RefusalLog, outgoing: OutgoingPolicy = OutgoingPolicy()
    ) {
        self.store = store
        self.verifier = verifier
        self.hashing = hashing
        self.random = random
        self.sealer = sealer
        self.refusals = refusals
        self.outgoing = outgoing
    }

    /// Makes a ticket, and returns the URI of its QR code. Nil if the tenant has no such user. `lifetime` is in
    /// seconds, from the time of `event`. `authentication` is the proof of the login in which the user requested it.
    package func makeTicket(
        for user: UserID, account: String?, tenant: Tenant, lifetime: Int,
        loggingIn authentication: Authentication? = nil, event: AuditEvent
    ) async throws -> EnrollmentURI? {
        let ticket = Identifiers.ticket(random)
        let kept = EnrollmentTicket(
            hash: hashing.sha256(Array(ticket.utf8)), tenant: tenant.id, user: user, createdAt: event.at,
            expiresAt: event.at + .seconds(lifetime), accessEndings: authentication?.accessEndings)
        guard try await store.createTicket(kept, event: event) else { return nil }
        return EnrollmentURI(ticket: ticket, account: account, tenant: tenant)
    }

    /// Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func enroll(
        _ request: EnrollmentRequest, ticket: EnrollmentTicketAuthorization, context: RequestContext
    ) async throws -> EnrollmentResponse {
        let (tenant, now) = (context.tenant, context.now)
        try DeviceDescription.check(identifier: request.identifier, name: request.name, push: request.pushCredentials)
        guard
            !ResolveBackchannelRequest.algorithms.isDisjoint(
                with: JWSAlgorithm.allCases.filter(request.publicKey.allows))
        else {
            throw DeviceFailure.invalidBody("public_key must be RSA (RS256) or P-256 (ES256)")
        }
        let ticketHash = hashing.sha256(Array(ticket.ticket.utf8))
        guard let kept = try await store.ticket(ticketHash, tenant: tenant.id, now: now) else {
            throw Self.ticketNotFound
        }
        // After the ticket's check, because only its holder may make the server compute.
        do throws(DeviceFailure) {
            guard verifier.isUsable(request.publicKey) else {
                throw .invalidBody("public_key is not a point of its curve or no RSA modulus")
            }
            try DeviceDescription.check(request.pushCredentials, outgoing: outgoing, verifier: verifier)
        } catch {
            try await refusals.device(
                context.refusal(.enrollmentFailed, user: kept.user), of: kept.user.rawValue, error)
            throw error
        }
        let token = Identifiers.ticket(random)
        // RFC 4226 clause 4 R6 recommends 160 bits.
        let secret = random.bytes(20)
        let device = Device(
            id: Identifiers.device(random), tenant: tenant.id, user: kept.user, identifier: request.identifier,
            name: request.name, publicKey: request.publicKey, push: request.pushCredentials, enrolledAt: now,
            capabilities: request.capabilities)
        let event = context.event(
            .enrolled, charge: .once(.ticket), user: kept.user, device: device.id,
            details: ["name": .string(device.name), "identifier": .string(device.identifier)])
        let enrolled = try await store.enroll(
            device, tokenHash: hashing.sha256(Array(token.utf8)),
            sealedTOTP: try sealer.seal(
                secret, context: DeviceOneTimePassword.sealingContext(tenant: tenant.id, device: device.id)),
            ticket: ticketHash, now: now, event: event)
        guard enrolled else { throw Self.ticketNotFound }
        return EnrollmentResponse(
            id: device.id.rawValue, url: String(tenant.issuer.dropLast()), issuer: tenant.name,
            userID: kept.user.rawValue, token: token, totp: try TOTPParameters(secret: Base32.encode(secret)))
    }

    private static let ticketNotFound = DeviceFailure(
        .ticketNotFound, "The enrolment ticket is unknown, used or expired; ask for a new one")
}

extension EnrollmentURI {
    /// The text of a ticket's QR code. It names the host that was called.
    package init(ticket: String, account: String?, tenant: Tenant) {
        self.init(
            transactionID: ticket, baseURL: tenant.issuer + AppliancePath.base.dropFirst(), issuer: tenant.name,
            account: account)
    }
}
