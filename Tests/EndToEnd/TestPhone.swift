import CurlTransport
import Foundation
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

/// An enrolled phone that a test controls. It outlives its server.
struct TestPhone: Sendable {
    /// Members of a notification that an answer needs.
    struct NotifiedRequest: Sendable {
        let transactionToken: String
        let challenge: String
        let consentID: String
    }

    let user: Int
    private let enrollment: EnrollmentResponse
    private let identifier: String
    private let signer: OpenSSLSigner
    private let base: ApplianceBase
    private let server: String

    private static let hashing = OpenSSLHashing()

    /// Enrols a phone for the user `auth0|<number>`.
    init(user: Int, at server: TestServer) async throws {
        try await self.init(user: user, scanning: try await server.ticket(user: "auth0|\(user)"), at: server)
    }

    /// Enrols a phone with the text of a QR code.
    init(user: Int, scanning code: String, at server: TestServer) async throws {
        self.user = user
        base = try #require(ApplianceBase(server.issuer))
        self.server = server.url
        signer = try OpenSSLSigner.generate(algorithm: .es256)
        identifier = Hex.encode(SystemRandom().bytes(8))
        let uri = try EnrollmentURI(parsing: code)
        let ticket = try #require(EnrollmentTicketAuthorization(ticket: uri.transactionID))
        let request = EnrollmentRequest(
            identifier: identifier, name: "Test phone", pushCredentials: nil, publicKey: signer.publicKey)
        let response = try await server.transport().send(
            ClientRequest(
                method: .post, url: Self.reached(base.enroll, at: server.url),
                fields: ["Authorization": ticket.fieldValue, "Content-Type": "application/json"], body: request.json))
        try #require(response.status / 100 == 2, "\(String(decoding: response.body, as: UTF8.self))")
        enrollment = try EnrollmentResponse(parsing: response.body)
    }

    /// Pending requests, then new ones while the stream is open, each once.
    func requests(over transport: some HTTPClient) async throws -> AsyncThrowingStream<NotifiedRequest, any Error> {
        let token = DeviceToken(
            enrollmentID: enrollment.id, userID: enrollment.userID, audience: base.notifications, issuedAt: now())
        let response = try await transport.stream(
            ClientRequest(
                method: .get, url: Self.reached(base.notifications, at: server),
                fields: ["Authorization": "Bearer \(try JWS.sign(token.payload, with: signer))"], timeout: nil))
        try #require(response.status == 200)
        return AsyncThrowingStream { continuation in
            let task = Task {
                var parser = ServerSentEventParser()
                do {
                    for try await piece in response.body {
                        for event in try parser.parse(piece) {
                            guard case .notification(let payload) = try DeviceEvent(event)?.content else { continue }
                            continuation.yield(
                                NotifiedRequest(
                                    transactionToken: payload.transactionToken, challenge: payload.challenge,
                                    consentID: payload.transactionLinkingID ?? ""))
                        }
                    }
                    continuation.finish()
                } catch { continuation.finish(throwing: error) }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    func consent(_ notified: NotifiedRequest, over transport: some HTTPClient) async throws -> ConsentRecord {
        try ConsentRecord(parsing: try await transport.send(try consentRequest(notified)).body)
    }

    /// A request that reads the consent. It works once.
    func consentRequest(_ notified: NotifiedRequest) throws -> ClientRequest {
        let url = base.richConsent(notified.consentID)
        let proof = DPoPProof(
            url: url, accessToken: notified.transactionToken, identifier: Hex.encode(SystemRandom().bytes(16)),
            issuedAt: now(), hashing: Self.hashing)
        return ClientRequest(
            method: .get, url: Self.reached(url, at: server),
            fields: [
                "Authorization": "\(DPoPProof.scheme) \(notified.transactionToken)",
                DPoPProof.scheme: try proof.signed(by: signer),
            ])
    }

    /// Signs and sends the decision. Returns the status: 204 if accepted.
    func decide(_ notified: NotifiedRequest, accept: Bool, over transport: some HTTPClient) async throws -> Int {
        let response = ChallengeResponse(
            deviceIdentifier: identifier, challenge: notified.challenge, audience: base.resolveTransaction,
            issuedAt: now(), accepted: accept)
        return try await transport.send(
            ClientRequest(
                method: .post, url: Self.reached(base.resolveTransaction, at: server),
                fields: ["Authorization": "Bearer \(notified.transactionToken)", "Content-Type": "application/json"],
                body: ResolveTransactionRequest(challengeResponse: try JWS.sign(response.payload, with: signer)).json)
        ).status
    }

    /// A phone signs for https URLs; behind a TLS proxy the request itself is plain HTTP.
    private static func reached(_ url: String, at server: String) -> String {
        server.hasPrefix("https") ? url : "http" + url.dropFirst("https".count)
    }

    private func now() -> Timestamp { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
