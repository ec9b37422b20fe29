import AuthorizationCore
import GuardianWire
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

/// A server with an enrolled phone and a pending request, and a valid request for every endpoint. Each test breaks one
/// part of a request.
struct EndpointFixture {
    enum Endpoint: String, CaseIterable, Sendable {
        case start, token, enroll, resolve, consent, update, remove, notifications, configuration, keys
        case code, refresh, clientCredentials, push, introspect, userInfo, revoke

        /// Endpoints that read a body.
        static let reading: [Endpoint] = oauth + json
        static let oauth: [Endpoint] = [
            .start, .token, .code, .refresh, .clientCredentials, .push, .introspect, .revoke,
        ]
        static let json: [Endpoint] = [.enroll, .resolve, .update]
        /// Endpoints that a phone calls.
        static let device: [Endpoint] = [.enroll, .resolve, .consent, .update, .remove, .notifications]

        var isDevice: Bool { Self.device.contains(self) }

        /// Scheme in `WWW-Authenticate` of a device's 401 (RFC 9110 clause 15.5.2).
        var scheme: String { self == .enroll ? "Ticket" : self == .consent ? "MFA-DPoP" : "Bearer" }
    }

    let server: InProcessServer
    let client: InProcessClient
    let phone: InProcessPhone
    /// Id of a pending request.
    let authReqID: String
    let notification: NotificationPayload
    /// An unused enrolment ticket.
    let ticket: String
    /// An unused code of the client `app`.
    let code: String
    /// Tokens of another authorization of `app`.
    let tokens: (access: String, refresh: String)

    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        server = try await InProcessServer { setup in
            setup.tenant.settings.requestsPerMinutePerUser = 1_000_000
            setup.tenant.settings.actionsPerMinute = 1_000_000
            setup.tenant.settings.pendingRequestsPerUser = 1_000_000
            setup.tenant.settings.rejectionPause = 0
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
            setup.clients += [
                Samples.app(), Samples.website(),
                Samples.client("service") { client in
                    client.grantTypes = [.clientCredentials]
                    client.limit(to: [Samples.api: .none])
                },
            ]
            try change(&setup)
        }
        client = InProcessClient(via: server)
        phone = try await InProcessPhone(in: server)
        ticket = try await InProcessPhone.ticket(in: server)
        authReqID = try await client.started()
        notification = try await phone.notification(of: authReqID)
        code = try await server.code("an-unused-code-of-ann")
        let redeemed = try await server.code("a-code-that-was-redeemed")
        let answer = await server.send(.form("/oauth/token", Self.redeeming(redeemed)))
        tokens = (
            try (answer["access_token"]?.stringValue).orThrow(answer.text),
            try (answer["refresh_token"]?.stringValue).orThrow(answer.text)
        )
    }

    private static func redeeming(_ code: String) -> [String: String?] {
        [
            "grant_type": "authorization_code", "client_id": "app", "code": code, "redirect_uri": Samples.callback,
            "code_verifier": Samples.verifier,
        ]
    }

    /// Form parameters of a valid request.
    func parameters(_ endpoint: Endpoint) -> [String: String?] {
        switch endpoint {
        case .start: client.startParameters()
        case .token: client.pollParameters(authReqID)
        case .code: Self.redeeming(code)
        case .refresh: ["grant_type": "refresh_token", "client_id": "app", "refresh_token": tokens.refresh]
        case .clientCredentials:
            [
                "grant_type": "client_credentials", "client_id": "service", "client_secret": Samples.secret,
                "audience": Samples.api,
            ]
        case .push:
            [
                "client_id": "web", "client_secret": Samples.secret, "response_type": "code",
                "redirect_uri": "https://web.example/callback", "code_challenge_method": "S256",
                "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
            ]
        case .introspect: ["client_id": "web", "client_secret": Samples.secret, "token": tokens.access]
        case .revoke: ["client_id": "app", "token": tokens.refresh]
        case .enroll, .resolve, .consent, .update, .remove, .notifications, .configuration, .keys, .userInfo: [:]
        }
    }

    /// A valid request. It succeeds, or is `authorization_pending` for a poll.
    func good(_ endpoint: Endpoint) throws -> Request {
        switch endpoint {
        case .start: .form("/bc-authorize", parameters(endpoint))
        case .token, .code, .refresh, .clientCredentials: .form("/oauth/token", parameters(endpoint))
        case .push: .form("/oauth/par", parameters(endpoint))
        case .introspect: .form("/oauth/introspect", parameters(endpoint))
        case .revoke: .form("/oauth/revoke", parameters(endpoint))
        case .userInfo: .get("/userinfo", fields: ["Authorization": "Bearer \(tokens.access)"])
        case .enroll:
            InProcessPhone.enrollRequest(
                ticket: ticket, identifier: "NEW", key: try Keys.signer(.es256, "new phone").publicKey.json)
        case .resolve: phone.answerRequest(notification, response: try phone.response(to: notification))
        case .consent: try phone.consentRequest(notification)
        case .update: phone.accountRequest(.patch, token: try phone.token(), ["name": "Renamed"])
        case .remove: phone.accountRequest(.delete, token: try phone.token())
        case .notifications: phone.channelRequest(token: try phone.channelToken)
        case .configuration: .get("/.well-known/openid-configuration")
        case .keys: .get("/.well-known/jwks.json")
        }
    }

    func isGood(_ answer: HTTPAnswer, _ endpoint: Endpoint) -> Bool {
        endpoint == .token
            ? answer.status == 400 && answer.code == "authorization_pending"
                || answer.code == "slow_down" : (200...204).contains(answer.status)
    }

    /// Secrets that no answer may contain.
    var secrets: [String] {
        [
            Samples.secret, authReqID, ticket, notification.transactionToken, notification.challenge,
            phone.enrollment.token, tokens.access, tokens.refresh,
        ]
    }

    /// Sends an invalid request and expects the protocol's error with a description, without secrets or program names.
    /// No table may change, and the server must still answer.
    @discardableResult
    func refused(
        _ request: Request, at endpoint: Endpoint, _ statuses: Set<Int>, _ codes: Set<String>? = nil,
        via sender: (any RequestSender)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> HTTPAnswer {
        let before = try await server.dump()
        let answer = try await (sender ?? server).send(request)
        let shown: Comment = "\(endpoint) \(request.method) \(answer.status) \(answer.text)"
        #expect(statuses.contains(answer.status), shown, sourceLocation: sourceLocation)
        if let codes { #expect(codes.contains(answer.code ?? ""), shown, sourceLocation: sourceLocation) }
        #expect(answer.message.count > 10, shown, sourceLocation: sourceLocation)
        #expect(answer.fields["Cache-Control"] == "no-store", shown, sourceLocation: sourceLocation)
        #expect(answer.fields["Content-Type"] == "application/json", shown, sourceLocation: sourceLocation)
        if answer.status == 401, endpoint.isDevice {
            #expect(answer.fields["WWW-Authenticate"] == endpoint.scheme, shown, sourceLocation: sourceLocation)
        }
        expectClean(answer, sourceLocation: sourceLocation)
        #expect(try await server.dump() == before, shown, sourceLocation: sourceLocation)
        let next = await server.send(.get("/.well-known/jwks.json"))
        #expect(next.status == 200, sourceLocation: sourceLocation)
        return answer
    }

    /// Expects no secret and no name of a Swift type or module.
    func expectClean(_ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = answer.text + answer.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        for secret in secrets {
            #expect(!text.contains(secret), "a secret in \(text)", sourceLocation: sourceLocation)
        }
        for name in Self.programNames {
            #expect(!text.contains(name), "\(name) in \(text)", sourceLocation: sourceLocation)
        }
    }

    static let programNames = [
        "AuthorizationCore", "GuardianWire", "OAuthWire", "HTTPModel", "Endpoints", "Primitives", "Persistence",
        "SQLite", "SQLError", "Failure", "OAuthError", "JSONReader", "Swift.", "Optional(", ".swift", "nil",
    ]
}
