import Foundation
import GuardianWire
import HTTPModel

/// The low-level client of the device API.
public struct API: Sendable {
    let server: Server

    /// Creates an enrolment.
    ///
    /// - Parameters:
    ///   - enrollmentTicket: The ticket from the QR code.
    ///   - identifier: This device's identifier, which is `iss` of its answers.
    ///   - name: The name that the user sees among their devices.
    ///   - notificationToken: The APNs token in hexadecimal. Nil means that the device has none.
    ///   - verificationKey: The public key for this device's answers.
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
                publicKey: verificationKey.key, capabilities: server.configuration.capabilities)
            return server.request(
                .post, try server.base().enroll, authorization: authorization.fieldValue, json: body.json)
        } decode: { response in
            Enrollment(try EnrollmentResponse(parsing: try response.json()))
        }
    }

    /// Answers a transaction with a signed challenge response. ``Authentication`` signs and sends one.
    public func resolve(
        transaction transactionToken: String, withChallengeResponse challengeResponse: String
    ) -> Request<NoContent> {
        resolve(transaction: transactionToken) { _ in challengeResponse }
    }

    /// `sign` is called for each start of the request, with the URL, which is the answer's audience.
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

    /// Manages an enrolment with the token from the enrolment.
    @available(*, deprecated, message: "Use device(forEnrollmentId:userId:signingKey:), which needs no stored token")
    public func device(forEnrollmentId id: String, token: String) -> DeviceAPI {
        DeviceAPI(server: server, id: id) { _ in token }
    }

    /// Manages an enrolment with tokens signed by its key.
    public func device(forEnrollmentId enrollmentId: String, userId: String, signingKey: any SigningKey) -> DeviceAPI {
        DeviceAPI(server: server, id: enrollmentId) { [server] base in
            try server.deviceToken(
                enrollmentId: enrollmentId, userId: userId, audience: base.deviceAccounts, signingKey: signingKey)
        }
    }
}

/// The server's response to an enrolment. Printing it shows no secret.
public struct Enrollment: Sendable, CustomStringConvertible, CustomReflectable {
    /// ``EnrolledDevice/id``.
    public let identifier: String
    /// ``EnrolledDevice/deviceToken``, which is a secret.
    public let token: String
    public let userId: String
    /// The server's display name.
    public let issuer: String
    /// Nil means that the server does not offer one-time passwords.
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
