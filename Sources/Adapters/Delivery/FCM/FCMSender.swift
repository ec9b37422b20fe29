import AuthorizationCore
import Flows
import GuardianWire
import HTTPModel
import Primitives

/// Sends data messages by Firebase Cloud Messaging, HTTP v1.
struct FCMSender: Sendable {
    private let http: any OutgoingHTTPClient
    private let address: String
    private let tokens: FCMTokens
    private let service = CredentialedService("Google's push service", credentials: "FCM")

    init(http: any OutgoingHTTPClient, addresses: PushAddresses) {
        self.http = http
        address = addresses.google
        tokens = FCMTokens(http: http, address: addresses.googleTokens)
    }

    func send(
        _ message: DeviceMessage, token: String, with credentials: FCMCredentials, now: Timestamp
    ) async -> DeliveryAttempt {
        guard let body = Self.body(message, to: token, now: now) else { return DeliveryAttempt(.unneeded) }
        return await service.send(with: credentials.stamp, now: now) { await post(body, with: credentials, now: now) }
    }

    // MARK: one request

    private func post(_ body: [UInt8], with credentials: FCMCredentials, now: Timestamp) async -> PushOutcome {
        let token: (text: String, isFresh: Bool)
        do throws(FCMTokens.Failure) {
            token = try await tokens.token(credentials, now: now)
        } catch {
            switch error {
            case .unreachable(let error): return .noAnswer(error)
            case .busy(let reason, let wait): return .answered(.failed(reason: reason, retryAfter: wait))
            case .refused(let reason, let detail): return .refusedCredentials(reason, detail: detail)
            }
        }
        let answer: ClientResponse
        do throws(HTTPClientError) {
            answer = try await http.send(
                ClientRequest(
                    method: .post, url: "\(address)/v1/projects/\(credentials.projectID)/messages:send",
                    fields: ["Authorization": "Bearer \(token.text)", "Content-Type": "application/json"], body: body,
                    timeout: mobilePushTimeout))
        } catch {
            return .noAnswer(error)
        }
        if answer.status == 401 { await tokens.forget(token.text, of: credentials.stamp) }
        return outcome(answer, isFresh: token.isFresh, now: now)
    }

    private func outcome(_ answer: ClientResponse, isFresh: Bool, now: Timestamp) -> PushOutcome {
        let body = (try? JSONReader.parse(answer.body, depthLimit: 12))?.objectValue
        let failure = FCMFailure(body)
        let code = failure.code
        let text = "Google's push service answered \(answer.status)" + (code.map { " \($0.rawValue)" } ?? "")
        let retry = PushOutcome.answered(.failed(reason: text, retryAfter: answer.fields.retryAfter(now: now)))
        func refused(_ cause: String) -> PushOutcome { .answered(.refused(reason: "\(text): \(cause)")) }
        func gone(_ cause: String) -> PushOutcome { .answered(.gone(reason: "\(text): \(cause)"), accepts: true) }
        // Any other 200 is not Google's.
        if answer.status == 200 {
            return body?["name"]?.stringValue == nil ? retry : .answered(.delivered, accepts: true)
        }
        switch (answer.status, code) {
        case (_, .unregistered): return gone("the app was removed from the device, or its token was replaced")
        case (400, .invalidArgument) where failure.isOfToken:
            return gone("the device's token is not one of Firebase")
        // Both depend on the device's token, which a user chooses: it must not stop the messages to others.
        case (_, .senderIDMismatch): return refused("the device's token is of another Firebase project")
        case (_, .thirdPartyAuthError): return refused("the project has no credentials for the device's own service")
        // Google ends tokens early, as after a change of the account. A new one tells.
        case (401, _): return isFresh ? .refusedCredentials("\(text): the access token is refused") : retry
        case (403, _):
            return .refusedCredentials(
                "\(text): the account may not send, or the project has the interface turned off")
        case (404, nil): return .refusedCredentials("\(text): there is no such project")
        case (429, _):
            // Google's rule without a time that it names.
            let wait = answer.fields.retryAfter(now: now) ?? .seconds(60)
            return .answered(.failed(reason: text, retryAfter: wait))
        case (408, _), (500..., _): return retry
        default: return .answered(.refused(reason: text))
        }
    }

    // MARK: messages

    /// A data message, which wakes the app: a `notification` member would show it without the app's keys. Nil if there is
    /// nothing to send.
    static func body(_ message: DeviceMessage, to token: String, now: Timestamp) -> [UInt8]? {
        guard let content = FCMContent(message, now: now) else { return nil }
        return JSONWriter.object(capacity: 1024) { writer in
            writer.member("message") { writer in
                writer.member("token", token)
                content.write(to: &writer)
            }
        }
    }

    // MARK: check

    /// Requests an access token, and has Google validate a message that it does not send.
    func check(_ credentials: FCMCredentials, now: Timestamp) async -> [CredentialFinding] {
        let subject = "FCM \(credentials.projectID)"
        let body = JSONWriter.object { writer in
            writer.member("validate_only", true)
            writer.member("message") { writer in
                writer.member("topic", "countersign-check")
                writer.member("data") { _ in }
            }
        }
        switch await post(body, with: credentials, now: now) {
        case .answered(.delivered, _): return [.ok(subject, "Google accepts the service account")]
        case .noAnswer(let error):
            return [
                .fault(
                    subject, "Google's services cannot be reached: \(error.text)",
                    advice: "Allow connections to port 443 of Google's addresses, or set fcm-url and google-token-url.")
            ]
        case .refusedCredentials(let text, let detail):
            return [
                .fault(
                    subject, detail.map { "\(text) (\($0))" } ?? text,
                    advice: "Download a new key of the service account and set it: countersign push set fcm FILE.")
            ]
        case .answered(let result, _):
            let text = if case .failed(let reason, _) = result { reason } else { "Google refused the check's message" }
            return [.warning(subject, "\(text), which proves nothing", advice: "Try again in a few minutes.")]
        }
    }
}

/// Content of one message, for Firebase and for services that hand it on.
struct FCMContent: Sendable {
    let data: JSONObject
    let isUrgent: Bool
    /// Seconds of the message's use.
    let life: Int64
    /// Messages with the same key replace each other while the device is away: a withdrawal its notification.
    let collapseKey: String?

    init?(_ message: DeviceMessage, now: Timestamp) {
        life = max(0, (message.expiresAt - now).components.seconds)
        switch message.event.content {
        case .notification(let payload):
            (data, isUrgent, collapseKey) = (payload.fcmData, true, payload.transactionLinkingID)
        case .withdrawal(let id):
            data = WithdrawalPayload(enrollmentID: message.device.id.rawValue, transactionLinkingID: id).fcmData
            (isUrgent, collapseKey) = (false, id)
        case .pending: return nil
        }
    }

    /// Members of a `Message` of HTTP v1.
    func write(to writer: inout JSONWriter) {
        writer.member("data", .object(data))
        writer.member("android") { writer in
            writer.member("priority", isUrgent ? "high" : "normal")
            writer.member("ttl", "\(life)s")
            writer.member("collapse_key", ifPresent: collapseKey)
        }
    }
}

/// Error of Google's APIs, with Firebase's code in its details.
private struct FCMFailure {
    enum Code: String {
        case unspecified = "UNSPECIFIED_ERROR"
        case invalidArgument = "INVALID_ARGUMENT"
        case unregistered = "UNREGISTERED"
        case senderIDMismatch = "SENDER_ID_MISMATCH"
        case quotaExceeded = "QUOTA_EXCEEDED"
        case unavailable = "UNAVAILABLE"
        case `internal` = "INTERNAL"
        case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    }

    /// Firebase's own code. Nil if an API of Google before it answered.
    let code: Code?
    /// True if the token is the field that is wrong. Other fields may be this server's fault.
    let isOfToken: Bool

    init(_ body: JSONObject?) {
        let details = body?["error"]?["details"]?.arrayValue ?? []
        code = details.lazy.compactMap { $0["errorCode"]?.stringValue.flatMap(Code.init(rawValue:)) }.first
        let fields = details.flatMap { $0["fieldViolations"]?.arrayValue ?? [] }.compactMap { $0["field"]?.stringValue }
        let message = body?["error"]?["message"]?.stringValue ?? ""
        isOfToken = fields.contains("message.token") || message.lowercased().contains("registration token")
    }
}
