import ApprovalWire
import Audit
package import AuthorizationCore
import Flows
package import GuardianWire
package import HTTPModel
package import JOSE
import OpenSSLCrypto
package import Primitives

/// An enrolled phone, which signs proofs and answers.
package struct InProcessPhone: Sendable {
    package let enrollment: EnrollmentResponse
    package let identifier: String
    package let signer: any Signer
    package let host: String
    private let server: InProcessServer

    package var id: DeviceID { DeviceID(enrollment.id) }
    private var tenant: TenantID { TenantID(host == InProcessServer.otherHost ? "other" : "dev") }
    package var base: String { "https://\(host)/appliance-mfa" }

    /// Enrols over HTTP with a new ticket.
    package init(
        _ user: UserID = InProcessServer.ann, identifier: String = "PHONE-1", algorithm: JWSAlgorithm = .es256,
        key: String? = nil, host: String = InProcessServer.host, capabilities: [DeviceCapability] = [],
        in server: InProcessServer
    ) async throws {
        let ticket = try await Self.ticket(for: user, host: host, in: server)
        signer = try Keys.signer(algorithm, key ?? "phone \(identifier)")
        let request = Self.enrollRequest(
            ticket: ticket, identifier: identifier, key: signer.publicKey.json, capabilities: capabilities, host: host)
        let answer = await server.send(request)
        guard answer.status == 200 else { throw Unexpected("not enrolled: \(answer.status) \(answer.text)") }
        enrollment = try EnrollmentResponse(parsing: answer.body)
        self.identifier = identifier
        self.host = host
        self.server = server
    }

    package static func ticket(
        for user: UserID = InProcessServer.ann, host: String = InProcessServer.host, in server: InProcessServer
    ) async throws -> String {
        let tenant = try server.configuration.current.tenant(host: host).orThrow("no tenant \(host)").tenant
        let uri = try await server.enrollment.makeTicket(
            for: user, account: nil, tenant: tenant, lifetime: 300,
            event: AuditEvent(.enrollmentTicketCreated, tenant: tenant.id, at: server.clock.now, user: user))
        return try uri.orThrow("no user \(user)").transactionID
    }

    package static func enrollRequest(
        ticket: String, identifier: String = "PHONE-1", name: String = "Ann's phone", key: JSONValue,
        capabilities: [DeviceCapability] = [], host: String = InProcessServer.host
    ) -> Request {
        var body: JSONObject = ["identifier": .string(identifier), "name": .string(name), "public_key": key]
        if !capabilities.isEmpty { body["capabilities"] = JSONValue(capabilities.map(\.rawValue)) }
        return .json(
            .post, "/appliance-mfa/api/enroll", .object(body), host: host,
            fields: ["Authorization": "Ticket id=\"\(ticket)\""])
    }

    /// Notification of a request.
    package func notification(of authReqID: String) async throws -> NotificationPayload {
        try await server.notification(for: InProcessClient.consent(of: authReqID), to: id, tenant: tenant)
    }

    /// Notifications of all pending requests of the phone, oldest first.
    package func notifications() async throws -> [NotificationPayload] {
        try await server.notifications(to: id, tenant: tenant)
    }

    /// The proof for reading a consent, with `changes` to its claims.
    package func proof(
        of notification: NotificationPayload, jti: String? = nil, header: JSONObject = [:], type: String = "dpop+jwt",
        signedBy other: (any Signer)? = nil, _ changes: JSONObject = [:]
    ) throws -> String {
        let proof = DPoPProof(
            url: "https://\(host)/rich-consents/\(notification.transactionLinkingID ?? "")",
            accessToken: notification.transactionToken, identifier: jti ?? Base64URL.encode(SystemRandom().bytes(12)),
            issuedAt: server.clock.now, hashing: Samples.hashing)
        var extra: JSONObject = ["jwk": signer.publicKey.json]
        for (name, value) in header { extra[name] = value }
        return try sign(proof.payload, changes, type: type, extra: extra, with: other)
    }

    package func consentRequest(_ notification: NotificationPayload, proof: String? = nil) throws -> Request {
        .get(
            "/rich-consents/\(notification.transactionLinkingID ?? "")", host: host,
            fields: [
                "Authorization": "MFA-DPoP \(notification.transactionToken)",
                "MFA-DPoP": try proof ?? self.proof(of: notification),
            ])
    }

    /// The signed answer, with `changes` to its claims.
    package func response(
        to notification: NotificationPayload, accepted: Bool = true, reason: String? = nil, type: String? = "JWT",
        signedBy other: (any Signer)? = nil, _ changes: JSONObject = [:]
    ) throws -> String {
        let claims = ChallengeResponse(
            deviceIdentifier: identifier, challenge: notification.challenge,
            audience: "\(base)/api/resolve-transaction", issuedAt: server.clock.now, accepted: accepted,
            reason: reason)
        return try sign(claims.payload, changes, type: type, with: other)
    }

    package func answerRequest(_ notification: NotificationPayload, response: String) -> Request {
        .json(
            .post, "/appliance-mfa/api/resolve-transaction", ["challenge_response": .string(response)], host: host,
            fields: ["Authorization": "Bearer \(notification.transactionToken)"])
    }

    /// Digest of the record that the phone is shown.
    package func shownDigest(_ notification: NotificationPayload) async throws -> String {
        let answer = await server.send(try consentRequest(notification))
        let consent = try ConsentRecord(parsing: answer.body)
        return try RequestRecord(parsing: consent.record.orThrow("no record")).digest(Samples.hashing).description
    }

    /// Decides a request over HTTP.
    package func decide(
        _ authReqID: String, accepted: Bool = true, reason: String? = nil, signsDigest: Bool = false,
        pick: MatchingNumber? = nil, isReported: Bool = false, via sender: (any RequestSender)? = nil
    ) async throws -> HTTPAnswer {
        let notification = try await notification(of: authReqID)
        var claims: JSONObject = [:]
        if signsDigest { claims["request_digest"] = .string(try await shownDigest(notification)) }
        if let pick { claims["matching_pick"] = .string(pick.description) }
        if isReported { claims["reported"] = true }
        let request = answerRequest(
            notification,
            response: try response(to: notification, accepted: accepted, reason: reason, claims))
        return try await (sender ?? server).send(request)
    }

    /// The last notification to the phone, such as that of a login.
    package func newestNotification() async throws -> NotificationPayload {
        try await server.newestNotification(to: id, tenant: tenant)
    }

    /// Decides the request of the last notification.
    package func decideNewest(accepted: Bool = true) async throws -> HTTPAnswer {
        let notification = try await newestNotification()
        return await server.send(
            answerRequest(notification, response: try response(to: notification, accepted: accepted)))
    }

    /// The token for the phone's own account or, with another audience, for the device channel.
    package func token(
        _ audience: String? = nil, type: String? = "JWT", signedBy other: (any Signer)? = nil,
        _ changes: JSONObject = [:]
    ) throws -> String {
        let claims = DeviceToken(
            enrollmentID: enrollment.id, userID: enrollment.userID,
            audience: audience ?? "\(base)/api/device-accounts", issuedAt: server.clock.now)
        return try sign(claims.payload, changes, type: type, with: other)
    }

    package var channelToken: String { get throws { try token("\(base)/api/notifications") } }

    /// Asks for the receipt of one of the user's requests.
    package func receiptRequest(_ authReqID: String) throws -> Request {
        .get(
            "/appliance-mfa/api/device-accounts/\(enrollment.id)/receipts/\(InProcessClient.consent(of: authReqID))",
            host: host, fields: ["Authorization": "Bearer \(try token())"])
    }

    package func accountRequest(_ method: HTTPMethod, token: String, _ body: JSONValue = [:]) -> Request {
        let path = "/appliance-mfa/api/device-accounts/\(enrollment.id)"
        return .json(method, path, body, host: host, fields: ["Authorization": "Bearer \(token)"])
    }

    package func channelRequest(token: String, after last: Int64? = nil) -> Request {
        var fields: HTTPFields = ["Authorization": "Bearer \(token)"]
        if let last { fields.append("Last-Event-ID", String(last)) }
        return .get("/appliance-mfa/api/notifications", host: host, fields: fields)
    }

    /// Signs a payload with members set, or removed for null.
    private func sign(
        _ payload: [UInt8], _ changes: JSONObject, type: String?, extra: JSONObject = [:], with other: (any Signer)?
    ) throws -> String {
        var object = try JSONReader.parse(payload).objectValue.orThrow("no object")
        for (name, value) in changes { object[name] = value.isNull ? nil : value }
        let signer = other ?? signer
        return try JWS.sign(JSONWriter.bytes(.object(object)), type: type, extra: extra, with: signer)
    }
}
