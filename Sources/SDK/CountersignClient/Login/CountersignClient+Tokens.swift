import HTTPModel
public import JOSE
import OAuthWire
public import PlatformFoundation
import Primitives

/// The server's claims about a person (OIDC Core 5.3.2).
public struct UserInfo: Sendable, CustomStringConvertible {
    /// The id of the person at the server (`sub`).
    public let subject: String
    /// All claims, as far as the scopes of the tokens allow them.
    public let claims: Claims

    public var description: String { "UserInfo(sub: \(subject))" }
}

extension CountersignClient {
    /// Exchanges the refresh token for new tokens (RFC 6749 clause 6, OIDC Core 12). If the server rotates refresh
    /// tokens, the old one is used up. `CredentialsManager` stores the new one safely.
    ///
    /// - Parameters:
    ///   - tokens: The result of the last login or refresh.
    ///   - scope: Scopes of the access token, a subset of those granted. Nil means all of them.
    /// - Throws: `loginAgain` if there is no refresh token, or if the server no longer accepts it.
    public func refresh(_ tokens: Tokens, scope: [String]? = nil) async throws(CountersignError) -> Tokens {
        try await self.tokens(in: try await refreshed(tokens, scope: scope), refreshing: tokens, scope: scope)
    }

    /// The first half of a refresh. Afterwards the old refresh token may be used up.
    func refreshed(_ tokens: Tokens, scope: [String]?) async throws(CountersignError) -> Redeemed {
        guard let token = tokens.refreshToken else { throw .loginAgain }
        var form = FormFields([("grant_type", "refresh_token"), ("refresh_token", token)])
        if let scope { form.append("scope", scope.joined(separator: " ")) }
        let response = try await redeem(form)
        guard response.status == 200 else { throw ErrorAnswer(response).refreshError }
        return try redeemed(response)
    }

    /// The second half of a refresh: verifies the new tokens and merges them with the old ones.
    func tokens(
        in redeemed: Redeemed, refreshing old: Tokens, scope: [String]?
    ) async throws(CountersignError) -> Tokens {
        var redeemed = redeemed
        redeemed.answer.refreshToken = redeemed.answer.refreshToken ?? old.refreshToken
        var rules = IDTokenRules(issuer: try await provider.metadata().issuer, clientID: clientID)
        rules.previous = old.idToken
        return try await tokens(in: redeemed, scope: scope ?? old.scope, by: rules)
    }

    /// Fetches the server's claims about the person of the tokens (OIDC Core 5.3).
    ///
    /// - Throws: `loginAgain` if the server does not accept the access token.
    public func userInfo(_ tokens: Tokens) async throws(CountersignError) -> UserInfo {
        guard let endpoint = try await provider.metadata().userinfoEndpoint else {
            throw .protocolViolation("the server has no userinfo endpoint")
        }
        let response = try await send(
            ClientRequest(
                method: .get, url: endpoint,
                fields: ["Authorization": "Bearer \(tokens.accessToken)", "Accept": "application/json"]))
        if response.status == 401 { throw .loginAgain }
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
        guard let body = try? JSONReader.parse(response.body), let claims = body.objectValue.map(Claims.init),
            let subject = claims.subject
        else { throw .protocolViolation("the userinfo response lacks sub") }
        // The tokens could have been swapped for another person's (OIDC Core 5.3.2).
        guard tokens.idToken == nil || tokens.idToken?.subject == subject else { throw .tokenInvalid(.subject) }
        return UserInfo(subject: subject, claims: claims)
    }

    /// Revokes a refresh token and the tokens issued with it (RFC 7009). An unknown token is not an error.
    public func revoke(refreshToken: String) async throws(CountersignError) {
        try await revoke(refreshToken, hint: "refresh_token")
    }

    /// The page that ends the person's session at the server (OIDC RP-Initiated Logout 2). If the server does not
    /// publish one, this is `/v2/logout`.
    ///
    /// - Parameters:
    ///   - idToken: Identifies the session, so that the server need not ask the person.
    ///   - returnTo: A registered URL to return to afterwards.
    public func logoutURL(idToken: IDToken? = nil, returnTo: URL? = nil) async throws(CountersignError) -> URL {
        let metadata = try await provider.metadata()
        var form = FormFields([("client_id", clientID)])
        guard let endpoint = metadata.endSessionEndpoint else {
            if let returnTo { form.append("returnTo", returnTo.absoluteString) }
            let slash = metadata.issuer.hasSuffix("/") ? "" : "/"
            return try Self.url("\(metadata.issuer)\(slash)v2/logout", form)
        }
        if let idToken { form.append("id_token_hint", idToken.encoded) }
        if let returnTo { form.append("post_logout_redirect_uri", returnTo.absoluteString) }
        return try Self.url(endpoint, form)
    }
}
