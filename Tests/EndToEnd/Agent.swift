import HTTPModel
import Primitives
import Testing

/// A backchannel client, as plain HTTP.
struct Agent: Sendable {
    let server: TestServer
    let transport: any HTTPClient

    /// Sends over `transport`, or else over one that reaches only the server.
    init(_ server: TestServer, over transport: (any HTTPClient)? = nil) throws {
        self.server = server
        self.transport = try transport ?? server.transport()
    }

    struct Answer: Sendable {
        let status: Int
        let json: JSONValue
        /// Field `Retry-After`.
        var retryAfter: String? = nil

        var error: String? { json["error"]?.stringValue }
        var authReqID: String? { json["auth_req_id"]?.stringValue }
    }

    func start(_ message: String, user: Int = 0, expiry: Int = 300) async throws -> Answer {
        let hint: JSONValue = [
            "format": "iss_sub", "iss": .string(server.issuer), "sub": .string("auth0|\(user)"),
        ]
        return try await post(
            "bc-authorize",
            [
                ("login_hint", JSONWriter.string(hint)), ("scope", "openid offline_access"),
                ("audience", TestServer.audience), ("binding_message", message),
                ("requested_expiry", String(expiry)),
            ])
    }

    /// Starts a request that must be accepted.
    func started(_ message: String, user: Int = 0) async throws -> String {
        let answer = try await start(message, user: user)
        return try #require(answer.authReqID, "\(answer.json)")
    }

    /// A poll, which the server may hold for `wait` seconds.
    func poll(_ authReqID: String, wait: Int? = nil) async throws -> Answer {
        try await post(
            "oauth/token", [("grant_type", "urn:openid:params:grant-type:ciba"), ("auth_req_id", authReqID)],
            fields: wait.map { ["Prefer": "wait=\($0)"] } ?? [:])
    }

    func refresh(_ token: String) async throws -> Answer {
        try await post("oauth/token", [("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    private func post(
        _ path: String, _ form: [(name: String, value: String)], fields: HTTPFields = [:]
    ) async throws -> Answer {
        let credentials = [("client_id", TestServer.clientID), ("client_secret", TestServer.clientSecret)]
        var fields = fields
        fields.append("Content-Type", "application/x-www-form-urlencoded")
        let response = try await transport.send(
            ClientRequest(
                method: .post, url: server.url + path, fields: fields,
                body: Array(FormFields(form + credentials).encoded.utf8), timeout: .seconds(60)))
        return Answer(
            status: response.status, json: try JSONReader.parse(response.body),
            retryAfter: response.fields["Retry-After"])
    }
}
