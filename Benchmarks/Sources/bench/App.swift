import Workbench

/// Client of the code flow: a public client whose refresh tokens rotate.
struct App: Sendable {
    static let clientID = "app"
    static let callback = "com.example.app:/callback"
    /// RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// Bytes of a code: 32 random bytes in base64url.
    static let codeSize = 43
    /// Bytes of a refresh token: a prefix of 4 and 45 bytes in base64url.
    static let refreshTokenSize = 64

    let host: String

    /// Exchanges a code, which occupies the last `codeSize` bytes.
    func exchange() -> [UInt8] {
        form([
            ("grant_type", "authorization_code"), ("redirect_uri", Self.callback), ("code_verifier", Self.verifier),
            ("code", String(repeating: "A", count: Self.codeSize)),
        ])
    }

    /// Exchanges a refresh token, which occupies the last `refreshTokenSize` bytes.
    func refresh() -> [UInt8] {
        form([
            ("grant_type", "refresh_token"), ("refresh_token", String(repeating: "A", count: Self.refreshTokenSize)),
        ])
    }

    func userInfo(_ accessToken: [UInt8]) -> [UInt8] {
        HTTPRequest.get(
            "/userinfo", host: host,
            fields: [("Authorization", "Bearer \(String(decoding: accessToken, as: UTF8.self))")])
    }

    private func form(_ parameters: [(String, String)]) -> [UInt8] {
        HTTPRequest.post("/oauth/token", host: host, form: [("client_id", Self.clientID)] + parameters)
    }
}
