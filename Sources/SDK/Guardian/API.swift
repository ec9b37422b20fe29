import Foundation
import GuardianWire
import HTTPModel

/// The low-level client of the device API.
public struct API: Sendable {
    let server: Server

    /// Creates an enrolment.
    ///
    /// - Parameters:
    ///   - enrollmentTicket: the ticket of the QR code
    ///   - identifier: this device's own name for itself; answers are signed with it as `iss`
    ///   - name: what the user will see among their devices
    ///   - notificationToken: the APNs token in hexadecimal; nil where the device has none
    ///   - verificationKey: the public half of the key that will sign answers
    public func enroll(
        withTicket enrollmentTicket: String, identifier: String, name: String, notificationToken: String?,
        verificationKey: VerificationKey
    ) -> Request<Enrollment> {
        Request(.post, server.described(\.enroll), on: server) { [server] in
            guard let authorization = EnrollmentTicketAuthorization(ticket: enrollmentTicket) else {
                throw GuardianError(.invalidEnrollmentUri)
            }
            let body = EnrollmentRequest(
                identifier: identifier, name: name,
                pushCredentials: notificationToken.map { PushCredentials(service: .apns, token: $0) },
                publicKey: verificationKey.key)
            return server.request(
                .post, try server.base().enroll, authorization: authorization.fieldValue, json: body.json)
        } decode: { response in
            Enrollment(try EnrollmentResponse(parsing: try response.json()))
        }
    }

    /// Answers a transaction with a signed challenge response. ``Authentication`` does both.
    public func resolve(
        transaction transactionToken: String, withChallengeResponse challengeResponse: String
    ) -> Request<NoContent> {
        resolve(transaction: transactionToken) { _ in challengeResponse }
    }

    /// `sign` is called with the URL, which the answer names as its audience, each time the request is started.
    func resolve(
        transaction transactionToken: String, sign: @escaping @Sendable (String) throws -> String
    ) -> Request<NoContent> {
        Request(.post, server.described(\.resolveTransaction), on: server) { [server] in
            let url = try server.base().resolveTransaction
            let body = ResolveTransactionRequest(challengeResponse: try sign(url))
            return server.request(.post, url, authorization: "Bearer \(transactionToken)", json: body.json)
        } decode: { _ in
            NoContent()
        }
    }

    /// Manages an enrolment with the token it was given.
    @available(*, deprecated, message: "Use device(forEnrollmentId:userId:signingKey:), which needs no stored token")
    public func device(forEnrollmentId id: String, token: String) -> DeviceAPI {
        DeviceAPI(server: server, id: id) { _ in token }
    }

    /// Manages an enrolment with tokens that its key signs.
    public func device(
        forEnrollmentId enrollmentId: String, userId: String, signingKey: any SigningKey
    ) -> DeviceAPI {
        DeviceAPI(server: server, id: enrollmentId) { [server] base in
            try server.deviceToken(
                enrollmentId: enrollmentId, userId: userId, audience: base.deviceAccounts, signingKey: signingKey)
        }
    }
}

/// What the server made of an enrolment. Printing it shows no secret.
public struct Enrollment: Sendable, CustomStringConvertible, CustomReflectable {
    public let identifier: String
    public let token: String
    public let userId: String
    public let issuer: String
    /// Nil where the server offers no one-time passwords.
    public let totp: OTPParameters?

    init(_ response: EnrollmentResponse) {
        identifier = response.id
        token = response.token
        userId = response.userID
        issuer = response.issuer
        totp = response.totp.flatMap { OTPParameters($0) }
    }

    public var description: String { "Enrollment(identifier: \(identifier))" }
    public var customMirror: Mirror { Mirror(self, children: ["identifier": identifier]) }
}
