public import Foundation
import HTTPModel
public import JOSE
import OAuthWire
import Primitives

/// What the server says of a person (OIDC Core 5.3.2).
public struct UserInfo: Sendable, CustomStringConvertible {
    public let subject: String
    public let claims: Claims

    public var description: String { "UserInfo(sub: \(subject))" }
}

extension CountersignClient {
    /// Exchanges the refresh token for new tokens (RFC 6749 clause 6, OIDC Core 12). Where the server rotates refresh
    /// tokens, the old one is used up; `CredentialsManager` sees to it that the new one is not lost.
    ///
    /// - Parameters:
    ///   - tokens: what the last login or refresh gave.
    ///   - scope: what the access token shall be good for, of what was granted; nil takes all of it.
    /// - Throws: `loginAgain` where there is no refresh token, or the server does not take it any more.
    public func refresh(_ tokens: Tokens, scope: [String]? = nil) async throws(CountersignError) -> Tokens {
        try await self.tokens(in: try await refreshed(tokens, scope: scope), refreshing: tokens, scope: scope)
    }

    /// The first half of a refresh, after which the old refresh token may be used up.
    func refreshed(_ tokens: Tokens, scope: [String]?) async throws(CountersignError) -> Redeemed {
        guard let token = tokens.refreshToken else { throw .loginAgain }
        var form = FormFields([("grant_type", "refresh_token"), ("refresh_token", token)])
        if let scope { form.append("scope", scope.joined(separator: " ")) }
        let response = try await redeem(form)
        guard response.status == 200 else { throw ErrorAnswer(response).refreshError }
        return try redeemed(response)
    }

    /// The second half: what is new, verified, in the place of what was.
    func tokens(
        in redeemed: Redeemed, refreshing old: Tokens, scope: [String]?
    ) async throws(CountersignError) -> Tokens {
        var redeemed = redeemed
        redeemed.answer.refreshToken = redeemed.answer.refreshToken ?? old.refreshToken
        var rules = IDTokenRules(issuer: try await provider.metadata().issuer, clientID: clientID)
        rules.previous = old.idToken
        return try await tokens(in: redeemed, scope: scope ?? old.scope, by: rules)
    }

    /// What the server says of the person that the tokens are about (OIDC Core 5.3).
    ///
    /// - Throws: `loginAgain` where the server does not take the access token.
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
        // Tokens may have been exchanged for another person's (OIDC Core 5.3.2).
        guard tokens.idToken == nil || tokens.idToken?.subject == subject else { throw .tokenInvalid(.subject) }
        return UserInfo(subject: subject, claims: claims)
    }

    /// Makes a refresh token, and what was issued with it, useless (RFC 7009). One that is unknown is no error.
    public func revoke(refreshToken: String) async throws(CountersignError) {
        guard let endpoint = try await provider.metadata().revocationEndpoint else {
            throw .protocolViolation("the server has no revocation endpoint")
        }
        let form = FormFields([("token", refreshToken), ("token_type_hint", "refresh_token")])
        let response = try await post(form, to: endpoint)
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
    }

    /// The page that ends the person's session at the server (OIDC RP-Initiated Logout 2; `/v2/logout` of a server
    /// that does not publish one).
    ///
    /// - Parameters:
    ///   - idToken: says whose session, so that the person need not be asked.
    ///   - returnTo: where to go afterwards, one that the client has registered.
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
