package import Audit
package import AuthorizationCore
package import GuardianWire
import HTTPModel
import JOSE
import Primitives

/// Binds a phone's key to a user by a ticket that only the user saw (Guardian: `api/enroll`).
package struct EnrollDevice: Sendable {
    let store: any EnrollmentStore & ApproverStore
    let verifier: any Verifier
    let hashing: any Hashing
    let random: any RandomSource
    let sealer: any Sealer
    let refusals: RefusalLog
    /// Limits the push services that a device may name.
    let outgoing: OutgoingPolicy

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
        let hash = hashing.sha256(Array(ticket.ticket.utf8))
        return try await enroll(request, context) { [store] in
            guard let kept = try await store.ticket(hash, tenant: context.tenant.id, now: context.now) else {
                throw DeviceFailure.ticketNotFound
            }
            return (kept, nil)
        }
    }

    /// Takes a typed code in place of its ticket. Throws `DeviceFailure` for the device's faults, other errors for the
    /// server's.
    package func enroll(
        _ request: EnrollmentRequest, code: EnrollmentCodeAuthorization, of codes: EnrollmentCodes,
        context: RequestContext
    ) async throws -> EnrollmentResponse {
        try await enroll(request, context) {
            let found = try await codes.ticket(of: code.code, context: context)
            return (found.ticket, found.code)
        }
    }

    /// `open` finds the ticket, and the hash of the code that stands for it.
    private func enroll(
        _ request: EnrollmentRequest, _ context: RequestContext,
        by open: () async throws -> (ticket: EnrollmentTicket, code: [UInt8]?)
    ) async throws -> EnrollmentResponse {
        let (tenant, now) = (context.tenant, context.now)
        try DeviceDescription.check(identifier: request.identifier, name: request.name, push: request.pushCredentials)
        guard
            !ResolveBackchannelRequest.algorithms.isDisjoint(
                with: JWSAlgorithm.allCases.filter(request.publicKey.allows))
        else {
            throw DeviceFailure.invalidBody("public_key must be RSA (RS256) or P-256 (ES256)")
        }
        let (kept, code) = try await open()
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
        let (token, farewell) = (Identifiers.ticket(random), Identifiers.ticket(random))
        // RFC 4226 clause 4 R6 recommends 160 bits.
        let secret = random.bytes(20)
        let device = Device(
            id: Identifiers.device(random), tenant: tenant.id, user: kept.user, identifier: request.identifier,
            name: request.name, publicKey: request.publicKey, push: request.pushCredentials, enrolledAt: now,
            capabilities: request.capabilities)
        var details: JSONObject = ["name": .string(device.name), "identifier": .string(device.identifier)]
        if code != nil { details["form"] = "code" }
        details["asked_by"] = kept.requestedBy.map { .string($0.rawValue) }
        let event = context.event(
            .enrolled, charge: .once(.ticket), user: kept.user, device: device.id, details: details)
        var new = NewEnrollment(
            device, tokenHash: hashing.sha256(Array(token.utf8)),
            sealedTOTP: try sealer.seal(
                secret, context: KeptOneTimePassword.sealingContext(tenant: tenant.id, device: device.id)),
            ticket: kept.hash)
        new.farewellHash = hashing.sha256(Array(farewell.utf8))
        new.code = code
        new.notice = try await notice(of: device, kept, tenant, now)
        guard try await store.enroll(new, now: now, event: event) else { throw DeviceFailure.ticketNotFound }
        return EnrollmentResponse(
            id: device.id.rawValue, url: String(tenant.issuer.dropLast()), issuer: tenant.name,
            userID: kept.user.rawValue, token: token, totp: try TOTPParameters(secret: Base32.encode(secret)),
            farewell: farewell)
    }

    /// Mail about a phone that another phone added: nobody else was asked.
    private func notice(
        of device: Device, _ ticket: EnrollmentTicket, _ tenant: Tenant, _ now: Timestamp
    ) async throws -> SealedMail? {
        guard ticket.requestedBy != nil,
            let user = try await store.approver(.id(ticket.user), tenant: tenant.id)?.user,
            let email = user.noticeAddress
        else { return nil }
        let mail = MailComposer(sealer: sealer)
        return try mail.sealed(
            mail.phoneAdded(device.name, to: email, user, tenant: tenant), tenant: tenant, now: now)
    }
}

extension DeviceFailure {
    package static let tooManyDevices = DeviceFailure(
        .tooManyDevices, "The user has \(OwnedDevice.limit) devices, the most that one may have; remove one first")
}

extension EnrollmentURI {
    /// The text of a ticket's QR code. It names the host that was called.
    package init(ticket: String, account: String?, tenant: Tenant) {
        self.init(
            transactionID: ticket, baseURL: tenant.issuer + AppliancePath.base.dropFirst(), issuer: tenant.name,
            account: account)
    }
}
