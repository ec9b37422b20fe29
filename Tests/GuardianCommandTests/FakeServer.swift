import ApprovalWire
import Foundation
import Guardian
import GuardianWire
import HTTPModel
import Primitives
import Synchronization

/// A server with one device channel, which remembers what it was told.
final class FakeServer: HTTPClient {
    private struct State {
        var requests: [ClientRequest] = []
        var events: [DeviceEvent]
        var scripted: [(path: String, answer: Result<ClientResponse, HTTPClientError>)] = []
        /// Clients of requests whose client is another one than `c1`.
        var clients: [String: String] = [:]
        var display = RequestRecord.Display()
        /// Members of single requests, by id, instead of `display`.
        var displays: [String: RequestRecord.Display] = [:]
        /// Answers of the account's endpoints, by the end of the path.
        var account: [String: String] = [:]
        var channel: AsyncThrowingStream<[UInt8], any Error>.Continuation?
    }

    private let state: Mutex<State>
    private let expiresAt: Timestamp
    private let totp: TOTPParameters?

    /// `events` are what a device finds when it opens the channel.
    init(
        _ events: [DeviceEvent] = [], expiresAt: Timestamp = Timestamp(seconds: 4_000_000_000),
        totp: TOTPParameters? = nil
    ) {
        state = Mutex(State(events: events))
        self.expiresAt = expiresAt
        self.totp = totp
    }

    static func request(_ id: Int64) -> DeviceEvent {
        let payload = NotificationPayload(
            enrollmentID: "dev_1", transactionToken: "tx-token-\(id)", transactionLinkingID: "cns_\(id)",
            challenge: "chl", date: Timestamp(seconds: 1_795_168_800), host: "id.example.org")
        return DeviceEvent(id: id, content: .notification(payload))
    }

    var clients: [String: String] {
        get { state.withLock { $0.clients } }
        set { state.withLock { $0.clients = newValue } }
    }

    /// Members of all requests that only later phones know. Set, the requests have records.
    var display: RequestRecord.Display {
        get { state.withLock { $0.display } }
        set { state.withLock { $0.display = newValue } }
    }

    var displays: [String: RequestRecord.Display] {
        get { state.withLock { $0.displays } }
        set { state.withLock { $0.displays = newValue } }
    }

    var account: [String: String] {
        get { state.withLock { $0.account } }
        set { state.withLock { $0.account = newValue } }
    }

    var requests: [ClientRequest] { state.withLock { $0.requests } }

    /// The claims of the answers that came, unverified.
    var answers: [JSONValue] {
        requests.filter { $0.url.hasSuffix("/resolve-transaction") }.compactMap { request in
            guard let body = request.body, let resolve = try? ResolveTransactionRequest(parsing: body) else {
                return nil
            }
            let payload = resolve.challengeResponse.split(separator: ".")[1]
            return Base64URL.decode(payload).flatMap { try? JSONReader.parse($0) }
        }
    }

    /// Fails the next request whose URL has this part.
    func fail(_ path: String, with error: HTTPClientError) {
        state.withLock { $0.scripted.append((path, .failure(error))) }
    }

    /// Refuses the next request whose URL has this part.
    func refuse(_ path: String, _ status: Int, _ code: String, _ message: String) {
        let body = GuardianErrorBody(
            statusCode: status, error: "Refused", message: message, errorCode: GuardianErrorBody.Code(rawValue: code))
        state.withLock { $0.scripted.append((path, .success(json(body.json, status: status)))) }
    }

    private func remember(_ request: ClientRequest) throws(HTTPClientError) -> ClientResponse? {
        let answer = state.withLock { state in
            state.requests.append(request)
            let index = state.scripted.firstIndex { request.url.contains($0.path) }
            return index.map { state.scripted.remove(at: $0).answer }
        }
        return try answer?.get()
    }

    func push(_ event: DeviceEvent) {
        let channel = state.withLock { $0.channel }
        channel?.yield(event.serverSentEvent.bytes)
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        if let scripted = try remember(request) { return scripted }
        switch request.url {
        case let url where url.hasSuffix("/api/enroll"):
            var enrollment = EnrollmentResponse(
                id: "dev_1", url: "https://id.example.org", issuer: "Example", userID: "auth0|1",
                token: "secret-token")
            enrollment.totp = totp
            return json(enrollment.json)
        case let url where url.contains("/rich-consents/"):
            return json(consent(String(url.split(separator: "/").last ?? "")).json)
        case let url where url.contains("/device-accounts/dev_1/") && request.method == .get:
            let path = url.split(separator: "/").last.map { $0.prefix { $0 != "?" } } ?? ""
            return json(Array((account[String(path)] ?? "{}").utf8))
        case _ where request.method == .patch: return json(request.body ?? [])
        default: return ClientResponse(status: 204, fields: [:], body: [])
        }
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        if let scripted = try remember(request) {
            return StreamingResponse(
                status: scripted.status, fields: scripted.fields,
                body: AsyncThrowingStream { continuation in
                    continuation.yield(scripted.body)
                    continuation.finish()
                })
        }
        let (body, channel) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let events = state.withLock { state in
            state.channel = channel
            return state.events
        }
        for event in events { channel.yield(event.serverSentEvent.bytes) }
        return StreamingResponse(status: 200, fields: ["Content-Type": "text/event-stream"], body: body)
    }

    private func json(_ body: [UInt8], status: Int = 200) -> ClientResponse {
        ClientResponse(status: status, fields: ["Content-Type": "application/json"], body: body)
    }

    private func consent(_ id: String) -> ConsentRecord {
        let created = Timestamp(seconds: 1_795_168_800)
        let details: [JSONObject] = [
            ["type": "payment", "amount": ["value": 12, "currency": "EUR"], "to": ["Ann", "Bob"]]
        ]
        let (client, display) = (clients[id] ?? "c1", displays[id] ?? display)
        var consent = ConsentRecord(
            id: id,
            requestedDetails: .init(
                audience: "https://pay.example/", scope: ["openid", "pay:send"], bindingMessage: "TX-4711\u{1B}[2J",
                authorizationDetails: details, scopeDescriptions: ["pay:send": "Send money"]),
            client: .init(clientID: client, name: "Shopping agent"), createdAt: created, expiresAt: expiresAt)
        guard display != RequestRecord.Display() else { return consent }
        consent.record =
            RequestRecord(
                id: id, issuer: "https://id.example.org/", tenant: "t",
                client: .init(id: client, name: "Shopping agent"), user: "auth0|1",
                audience: .init(id: "https://pay.example/", name: "Payments"), scope: [], bindingMessage: "TX-4711",
                authorizationDetails: details, display: display, createdAt: created, expiresAt: expiresAt,
                salt: "c2FsdA"
            ).text
        return consent
    }
}
