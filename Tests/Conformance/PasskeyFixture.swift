import ApprovalWire
import Audit
import AuthorizationCore
import GuardianWire
import HTTPModel
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

/// A phone that signs digests, with an authenticator beside it.
struct PasskeyFixture {
    let server: InProcessServer
    let client: InProcessClient
    let phone: InProcessPhone
    var authenticator: SoftwareAuthenticator

    init(
        isRegistered: Bool = true, signCount: UInt32 = 0, capabilities: [DeviceCapability] = [.signedDigest],
        _ change: (inout InProcessServer.Setup) throws -> Void = { $0.tenant.settings.evidence = .passkey }
    ) async throws {
        server = try await InProcessServer(change)
        client = InProcessClient(via: server)
        phone = try await InProcessPhone(capabilities: capabilities, in: server)
        authenticator = try SoftwareAuthenticator(host: InProcessServer.host)
        authenticator.signCount = signCount
        if isRegistered { #expect(try await register(authenticator).status == 204) }
    }

    func options() async throws -> PasskeyOptions { try await server.passkeyOptions(of: phone) }

    func challenge() async throws -> [UInt8] {
        try Base64URL.decode(try await options().challenge).orThrow("no base64url")
    }

    func register(_ registration: PasskeyRegistration) async throws -> HTTPAnswer {
        try await server.register(registration, of: phone)
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

extension InProcessServer {
    private func event(_ kind: AuditEvent.Kind) -> AuditEvent {
        AuditEvent(kind, tenant: TenantID("dev"), at: clock.now, user: Self.ann)
    }

    /// Keeps a passkey of Ann's, without its authenticator.
    func keepPasskey(of device: DeviceID?) async throws {
        let new = try Samples.passkey(of: device, event(.passkeyRegistered))
        #expect(try await storage.store.register(new, tenant: TenantID("dev")))
    }

    func removePasskey(_ id: [UInt8]) async throws {
        try await database.execute("DELETE FROM passkey WHERE id = \(id)")
    }

    func letLogIn(_ id: [UInt8]) async throws {
        try await database.execute("UPDATE passkey SET logs_in = 1 WHERE id = \(id)")
    }

    private func passkeyRequest(_ method: HTTPMethod, of phone: InProcessPhone, _ body: JSONValue) throws -> Request {
        .json(
            method, "/appliance-mfa/api/device-accounts/\(phone.enrollment.id)/passkey", body, host: phone.host,
            fields: ["Authorization": "Bearer \(try phone.token())"])
    }

    func passkeyOptions(of phone: InProcessPhone) async throws -> PasskeyOptions {
        try PasskeyOptions(parsing: await send(try passkeyRequest(.get, of: phone, [:])).body)
    }

    func register(_ registration: PasskeyRegistration, of phone: InProcessPhone) async throws -> HTTPAnswer {
        await send(try passkeyRequest(.put, of: phone, try JSONReader.parse(registration.json)))
    }
}

extension InProcessBrowser.Page {
    /// The form that the page's script sends. Nil if the page has none.
    func passkeyForm() throws -> (form: InProcessBrowser.Form, element: Markup.Element)? {
        try Markup.read(answer.body).all("form").first { $0["id"] == "passkey" }.map { element in
            var fields: [String: String] = [:]
            for input in element.all("input") { fields[input["name"] ?? ""] = input["value"] ?? "" }
            return (InProcessBrowser.Form(action: element["action"] ?? "", fields: fields), element)
        }
    }

    var passkeyChallenge: [UInt8] {
        get throws {
            let element = try passkeyForm().orThrow("no passkeys at \(url): \(text)").element
            return try Base64URL.decode(element["data-challenge"] ?? "").orThrow("no base64url")
        }
    }
}
