import ApprovalWire
import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

/// A phone that signs digests, with an authenticator beside it.
struct PasskeyFixture {
    let server: InProcessServer
    let client: InProcessClient
    let phone: InProcessPhone
    var authenticator: SoftwareAuthenticator

    init(
        isRegistered: Bool = true, signCount: UInt32 = 0,
        _ change: (inout InProcessServer.Setup) throws -> Void = { $0.tenant.settings.evidence = .passkey }
    ) async throws {
        server = try await InProcessServer(change)
        client = InProcessClient(via: server)
        phone = try await InProcessPhone(capabilities: [.signedDigest], in: server)
        authenticator = try SoftwareAuthenticator(host: InProcessServer.host)
        authenticator.signCount = signCount
        if isRegistered { #expect(try await register(authenticator).status == 204) }
    }

    private func request(_ method: HTTPMethod, _ body: JSONValue = [:]) throws -> Request {
        let path = "/appliance-mfa/api/device-accounts/\(phone.enrollment.id)/passkey"
        return .json(method, path, body, host: phone.host, fields: ["Authorization": "Bearer \(try phone.token())"])
    }

    func options() async throws -> PasskeyOptions {
        try PasskeyOptions(parsing: await server.send(try request(.get)).body)
    }

    func challenge() async throws -> [UInt8] {
        try Base64URL.decode(try await options().challenge).orThrow("no base64url")
    }

    func register(_ registration: PasskeyRegistration) async throws -> HTTPAnswer {
        await server.send(try request(.put, try JSONReader.parse(registration.json)))
    }

    func register(
        _ authenticator: SoftwareAuthenticator, isSelfAttested: Bool = false, type: String = "webauthn.create"
    ) async throws -> HTTPAnswer {
        try await register(
            authenticator.registration(try await challenge(), isSelfAttested: isSelfAttested, type: type))
    }

    /// Answers with an assertion made from the digest of the record.
    func decide(
        _ notification: NotificationPayload, accepted: Bool = true, signsDigest: Bool = true,
        _ assertion: ([UInt8]) throws -> PasskeyAssertion?
    ) async throws -> HTTPAnswer {
        let digest = try await phone.shownDigest(notification)
        let response = try phone.response(
            to: notification, accepted: accepted, signsDigest ? ["request_digest": .string(digest)] : [:])
        let body = ResolveTransactionRequest(
            challengeResponse: response, passkey: try assertion(try Base64URL.decode(digest).orThrow("no base64url")))
        return await server.send(
            .json(
                .post, "/appliance-mfa/api/resolve-transaction", try JSONReader.parse(body.json), host: phone.host,
                fields: ["Authorization": "Bearer \(notification.transactionToken)"]))
    }

    func decide(_ notification: NotificationPayload, by other: SoftwareAuthenticator? = nil) async throws -> HTTPAnswer
    {
        try await decide(notification) { try (other ?? authenticator).assertion($0) }
    }

    func started(_ changes: [String: String?] = [:]) async throws -> NotificationPayload {
        try await phone.notification(of: try await client.started(changes))
    }

    /// Codes of the refusals in the audit log.
    func refusals(_ kind: String) async throws -> [String?] {
        try await server.database.auditLog(kind).map { entry in
            try JSONReader.parse(Array(entry.details.utf8))["error"]?["code"]?.stringValue
        }
    }
}
