import GuardianWire
import JOSE
import Load
import OpenSSLCrypto
package import Primitives

/// An enrolled device, which signs like a phone with its own key.
package final class Phone: Sendable {
    package let userID: String
    private let enrollmentID: String
    private let identifier: String
    private let signer: OpenSSLSigner
    private let base: ApplianceBase
    private let host: String
    private static let hashing = OpenSSLHashing()
    private static let random = SystemRandom()

    /// The used contents of a notification.
    package struct Task {
        package let transactionToken: String
        package let challenge: String
        package let consentID: String

        /// Nil for an event that requests nothing.
        package init?(event: UnsafeRawBufferPointer) {
            guard let token = Scan.string("txtkn", in: event), let challenge = Scan.string("c", in: event),
                let consent = Scan.string("txlnkid", in: event)
            else { return nil }
            transactionToken = String(decoding: token, as: UTF8.self)
            self.challenge = String(decoding: challenge, as: UTF8.self)
            consentID = String(decoding: consent, as: UTF8.self)
        }
    }

    /// Makes a P-256 key and enrols it with the ticket of an `otpauth` URI.
    package init(uri: String, host: String, port: UInt16) throws {
        self.host = host
        guard let base = ApplianceBase(host),
            let ticket = EnrollmentTicketAuthorization(ticket: try EnrollmentURI(parsing: uri).transactionID)
        else {
            throw Failure("no enrolment with \(uri) at \(host)")
        }
        self.base = base
        signer = try OpenSSLSigner.generate(algorithm: .es256)
        identifier = Hex.encode(Self.random.bytes(8))
        let request = EnrollmentRequest(
            identifier: identifier, name: "Bench phone", pushCredentials: nil, publicKey: signer.publicKey)
        let answer = try Load.ask(
            port: port,
            HTTPRequest.post(
                "/appliance-mfa/api/enroll", host: host, type: "application/json",
                fields: [("Authorization", ticket.fieldValue)], body: String(decoding: request.json, as: UTF8.self)))
        guard answer.status / 100 == 2 else {
            throw Failure("enrolment answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        let response = try EnrollmentResponse(parsing: answer.body)
        enrollmentID = response.id
        userID = response.userID
    }

    /// Opens the device channel.
    package func openStream(now: Timestamp) throws -> [UInt8] {
        let token = DeviceToken(
            enrollmentID: enrollmentID, userID: userID, audience: base.notifications, issuedAt: now)
        return HTTPRequest.get(
            "/appliance-mfa/api/notifications", host: host,
            fields: [
                ("Accept", "text/event-stream"),
                ("Authorization", "Bearer \(try JWS.sign(token.payload, with: signer))"),
            ])
    }

    /// Asks for the consent record, with the proof that this phone holds the enrolled key.
    package func fetchConsent(_ task: Task, now: Timestamp) throws -> [UInt8] {
        let proof = DPoPProof(
            url: base.richConsent(task.consentID), accessToken: task.transactionToken,
            identifier: Hex.encode(Self.random.bytes(16)), issuedAt: now, hashing: Self.hashing)
        return HTTPRequest.get(
            "/rich-consents/\(task.consentID)", host: host,
            fields: [
                ("Authorization", "MFA-DPoP \(task.transactionToken)"),
                ("MFA-DPoP", try proof.signed(by: signer)),
            ])
    }

    /// The signed decision.
    package func decide(_ task: Task, allows: Bool = true, now: Timestamp) throws -> [UInt8] {
        let response = ChallengeResponse(
            deviceIdentifier: identifier, challenge: task.challenge, audience: base.resolveTransaction, issuedAt: now,
            accepted: allows)
        let body = ResolveTransactionRequest(challengeResponse: try JWS.sign(response.payload, with: signer))
        return HTTPRequest.post(
            "/appliance-mfa/api/resolve-transaction", host: host, type: "application/json",
            fields: [("Authorization", "Bearer \(task.transactionToken)")],
            body: String(decoding: body.json, as: UTF8.self))
    }
}
