import AuthorizationCore
import Flows
import HTTPModel
import Primitives

/// Sends data messages by Firebase Cloud Messaging, HTTP v1.
struct FCMSender: Sendable {
    private let http: any OutgoingHTTPClient
    private let address: String
    private let tokens: FCMTokens
    private let service = CredentialedService("Google's push service", credentials: "FCM")

    /// `tokens` sends to Google's token endpoint.
    init(http: any OutgoingHTTPClient, tokens: any OutgoingHTTPClient, addresses: PushAddresses) {
        self.http = http
        address = addresses.google
        self.tokens = FCMTokens(http: tokens, address: addresses.googleTokens)
    }

    func send(
        _ push: MobilePush, token: String, with credentials: FCMCredentials, now: Timestamp
    ) async -> DeliveryAttempt {
        let body = Self.body(push, to: token, now: now)
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
                    timeout: MobilePushServices.timeout))
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
        let retry = PushOutcome.answered(.failed(reason: text, retryAfter: answer.retryAfter(now: now)))
        func refused(_ cause: String) -> PushOutcome { .answered(.refused(reason: "\(text): \(cause)")) }
        func gone(_ cause: String) -> PushOutcome { .answered(.gone(reason: "\(text): \(cause)"), accepts: true) }
        // A 200 without `name` is not from Google.
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
        // Google may end a token early, for example after a change of the account. If a new token is refused too, the
        // credentials are wrong.
        case (401, _): return isFresh ? .refusedCredentials("\(text): the access token is refused") : retry
        case (403, _):
            return .refusedCredentials(
                "\(text): the account may not send, or the project has the interface turned off")
        case (404, nil): return .refusedCredentials("\(text): there is no such project")
        case (429, _):
            // Google asks for 60 seconds if `Retry-After` is absent.
            let wait = answer.retryAfter(now: now) ?? .seconds(60)
            return .answered(.failed(reason: text, retryAfter: wait))
        case _ where ClientResponse.mayPass(status: answer.status): return retry
        default: return .answered(.refused(reason: text))
        }
    }

    // MARK: messages

    /// A data message, which wakes the app: a `notification` member would show it without the app's keys.
    private static func body(_ push: MobilePush, to token: String, now: Timestamp) -> [UInt8] {
        let content = FCMContent(push, now: now)
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
        case .answered(.delivered, _, _): return [.ok(subject, "Google accepts the service account")]
        case .noAnswer(let error):
            return [
                .unreachable(
                    subject, service: "Google's services", error, hosts: "Google's addresses",
                    settings: "fcm-url and google-token-url")
            ]
        case .refusedCredentials(let text, let detail):
            return [
                .fault(
                    subject, detail.map { "\(text) (\($0))" } ?? text,
                    advice: "download a new key of the service account and set it: countersign push set fcm FILE")
            ]
        case .answered(let result, _, _):
            let text = if case .failed(let reason, _) = result { reason } else { "Google refused the check's message" }
            return [.inconclusive(subject, text)]
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

    /// Firebase's own code. Nil if another Google API answered.
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
