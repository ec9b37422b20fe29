package import AuthorizationCore
import Flows
package import HTTPModel
import OAuthWire
import Primitives

/// A backchannel client for tests.
package struct InProcessClient: Sendable {
    package let id: String
    private let sender: any RequestSender

    package init(_ id: String = "agent", via sender: any RequestSender) {
        self.id = id
        self.sender = sender
    }

    /// Parameters of a valid start request, with `changes`. Nil removes a parameter.
    package func startParameters(_ changes: [String: String?] = [:]) -> [String: String?] {
        var parameters: [String: String?] = [
            "client_id": id, "client_secret": Samples.secret, "scope": "openid", "binding_message": "TX-4711",
            "login_hint": Self.loginHint(),
        ]
        for (name, value) in changes { parameters[name] = .some(value) }
        return parameters
    }

    package static func loginHint(
        _ user: String = "auth0|ann", issuer: String = "https://\(InProcessServer.host)/"
    ) -> String {
        LoginHint.issuerSubject(issuer: issuer, subject: user).json
    }

    /// Sends a start request.
    package func start(_ changes: [String: String?] = [:], fields: HTTPFields = [:]) async throws -> HTTPAnswer {
        try await sender.send(.form("/bc-authorize", startParameters(changes), fields: fields))
    }

    /// Starts a request that must be accepted, and returns its `auth_req_id`.
    package func started(_ changes: [String: String?] = [:]) async throws -> String {
        let answer = try await start(changes)
        return try (answer["auth_req_id"]?.stringValue).orThrow("not started: \(answer.status) \(answer.text)")
    }

    package func pollParameters(_ authReqID: String) -> [String: String?] {
        [
            "client_id": id, "client_secret": Samples.secret,
            "grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": authReqID,
        ]
    }

    /// Polls for tokens. `wait` is the preferred time to hold the poll, in seconds.
    package func poll(_ authReqID: String, wait: Int? = nil) async throws -> HTTPAnswer {
        let fields: HTTPFields = wait.map { ["Prefer": "wait=\($0)"] } ?? [:]
        return try await sender.send(.form("/oauth/token", pollParameters(authReqID), fields: fields))
    }

    /// Consent id of the request with this `auth_req_id`.
    package static func consent(of authReqID: String) -> ConsentID {
        AuthReqIDHash(of: authReqID, Samples.hashing).consentID
    }
}
