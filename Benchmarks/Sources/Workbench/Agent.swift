import Primitives

/// The requesting client: a confidential client with a secret.
package struct Agent: Sendable {
    package static let grantType = "urn:openid:params:grant-type:ciba"
    package let host: String
    package let clientID: String
    package let secret: String
    package let audience: String

    package init(host: String, clientID: String, secret: String, audience: String) {
        self.host = host
        self.clientID = clientID
        self.secret = secret
        self.audience = audience
    }

    /// A request for a user's approval, valid for `expiry` seconds.
    /// - Parameter key: `Idempotency-Key`. Nil sends none.
    package func start(
        user: String, expiry: Int, message: String = "Order 4711", scope: String = "openid", key: String? = nil
    ) -> [UInt8] {
        let hint = JSONWriter.string(["format": "iss_sub", "iss": .string("https://\(host)/"), "sub": .string(user)])
        return form(
            "/bc-authorize",
            [
                ("scope", scope), ("audience", audience), ("binding_message", message), ("login_hint", hint),
                ("requested_expiry", String(expiry)),
            ], fields: key.map { [("Idempotency-Key", $0)] } ?? [])
    }

    /// A poll. The `auth_req_id` is last, so that it can be overwritten in place.
    package func poll(_ identifier: some Sequence<UInt8>, wait: Int? = nil) -> [UInt8] {
        form(
            "/oauth/token",
            [
                ("grant_type", Self.grantType), ("auth_req_id", String(decoding: Array(identifier), as: UTF8.self)),
            ], fields: wait.map { [("Prefer", "wait=\($0)")] } ?? [])
    }

    package func refresh(_ token: String) -> [UInt8] {
        form("/oauth/token", [("grant_type", "refresh_token"), ("refresh_token", token)])
    }

    private func form(
        _ path: String, _ parameters: [(String, String)], fields: [(String, String)] = []
    ) -> [UInt8] {
        HTTPRequest.post(
            path, host: host, fields: fields,
            form: [("client_id", clientID), ("client_secret", secret)] + parameters)
    }
}
