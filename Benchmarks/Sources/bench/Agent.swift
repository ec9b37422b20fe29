import Primitives

/// The requesting client: a confidential client with a secret.
struct Agent: Sendable {
    static let grantType = "urn:openid:params:grant-type:ciba"
    let host: String
    let clientID: String
    let secret: String
    let audience: String

    /// A request for a user's approval, valid for `expiry` seconds.
    func start(user: String, expiry: Int) -> [UInt8] {
        let hint = JSONWriter.string(["format": "iss_sub", "iss": .string("https://\(host)/"), "sub": .string(user)])
        return form(
            "/bc-authorize",
            [
                ("scope", "openid"), ("audience", audience), ("binding_message", "Order 4711"), ("login_hint", hint),
                ("requested_expiry", String(expiry)),
            ])
    }

    /// A poll. The `auth_req_id` is last, so that it can be overwritten in place.
    func poll(_ identifier: some Sequence<UInt8>, wait: Int? = nil) -> [UInt8] {
        form(
            "/oauth/token",
            [
                ("grant_type", Self.grantType), ("auth_req_id", String(decoding: Array(identifier), as: UTF8.self)),
            ], fields: wait.map { [("Prefer", "wait=\($0)")] } ?? [])
    }

    private func form(
        _ path: String, _ parameters: [(String, String)], fields: [(String, String)] = []
    ) -> [UInt8] {
        HTTPRequest.post(
            path, host: host, fields: fields,
            form: [("client_id", clientID), ("client_secret", secret)] + parameters)
    }
}
