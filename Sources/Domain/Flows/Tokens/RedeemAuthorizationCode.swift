package import Audit
package import AuthorizationCore
package import OAuthWire
package import Primitives

/// The authorization code grant at the token endpoint (RFC 6749 clause 4.1.3, RFC 7636 clause 4.6).
package struct RedeemAuthorizationCode: Sendable {
    let store: any AuthorizationCodeStore
    let revocations: any RefreshTokenStore
    let issuer: TokenIssuer
    let hashing: any Hashing

    /// Throws `OAuthError` for every answer but tokens.
    package func redeem(_ request: Authenticated<AuthorizationCodeGrant>) async throws -> TokenResponse {
        let hash = hashing.sha256(Array(request.message.code.utf8))
        guard let (code, owner) = try await find(hash, request) else { throw Self.invalid("no such code") }
        if code.isRedeemed { throw try await replayed(code, by: request) }
        try check(code, request)
        guard let user = owner, !user.blocked else {
            throw OAuthError(.invalidGrant, "The user of this authorization no longer exists or is blocked")
        }
        // Signed before the commit, so that a failed signature uses up nothing.
        let authorization = try TokenIssuer.Authorization(
            for: request, user: user,
            access: try code.access.permitted(to: request.client, for: user, in: request.configuration),
            nonce: code.nonce)
        let tokens = try issuer.issue(authorization)
        let redeemed = try await store.redeem(
            CodeRedemption(
                hash: hash, client: request.client.id, tenant: request.tenant.id, now: request.context.now,
                tokenLifetime: tokens.response.expiresIn, refreshToken: tokens.refreshToken,
                event: event(.codeExchanged, code, request)))
        guard redeemed else {
            // A code that was replaced meanwhile is deleted, and nobody redeemed it.
            guard let (code, _) = try await find(hash, request), code.isRedeemed else {
                throw Self.invalid("the code ended meanwhile")
            }
            throw try await replayed(code, by: request)
        }
        return tokens.response
    }

    /// Throws for a code whose row somebody else changed, and ends it: it would give what nobody allowed.
    private func find(
        _ hash: [UInt8], _ request: Authenticated<AuthorizationCodeGrant>
    ) async throws -> (code: AuthorizationCode, user: User?)? {
        do {
            return try await store.code(hash, tenant: request.tenant.id)
        } catch let row as ChangedRow {
            try await store.end(row, hash: hash, request.context)
            var error = Self.invalid(row.description)
            error.isNoted = true
            throw error
        }
    }

    /// A failed check does not use up the code: a wrong guess must not harm its owner.
    private func check(_ code: AuthorizationCode, _ request: Authenticated<AuthorizationCodeGrant>) throws(OAuthError) {
        guard code.access.client == request.client.id else { throw Self.invalid("the code is another client's") }
        guard request.context.now < code.expiresAt else { throw Self.invalid("the code has expired") }
        guard Self.isSame(request.message.redirectURI, as: code.redirectURI, for: request.client) else {
            throw Self.invalid("redirect_uri is not the one of the authorization request")
        }
        try prove(code.codeChallenge, request)
        try code.access.check(audience: request.message.audience, in: request.configuration)
    }

    /// RFC 7636 clause 4.6. A verifier without a challenge means that the challenge was removed from the request (RFC
    /// 9700 clause 4.8.2).
    private func prove(
        _ challenge: CodeChallenge?, _ request: Authenticated<AuthorizationCodeGrant>
    ) throws(OAuthError) {
        switch (challenge, request.message.codeVerifier) {
        case (let challenge?, let verifier?):
            guard challenge.matches(verifier, hashing) else {
                throw OAuthError(.invalidGrant, "Failed to verify code verifier")
            }
        case (_?, nil): throw .missing("code_verifier")
        case (nil, _?):
            throw OAuthError(
                .invalidGrant,
                "code_verifier was sent without a code_challenge in the authorization request; send both or neither")
        case (nil, nil):
            // The client or its tenant may require PKCE since.
            guard !request.client.needsProofKey(in: request.tenant) else {
                throw Self.invalid("the authorization request had no code_challenge, which the client needs now")
            }
        }
    }

    /// RFC 6749 clause 4.1.3: a redirect URI of the authorization request must be repeated. If the request named none,
    /// the client has only one, and may name it or not.
    private static func isSame(_ presented: String?, as requested: String?, for client: Client) -> Bool {
        let presented = presented.map(RedirectURI.withoutFragment)
        if let requested { return presented == requested }
        guard let presented else { return true }
        return client.redirectURIs.contains { $0.allows(presented) }
    }

    /// RFC 6749 clause 4.1.2: a repeated code has leaked, so all its tokens are revoked, whichever sender repeats it. A
    /// client that sends a code twice at once loses its tokens too, as strictly as RFC 9700 clause 4.5 asks. If
    /// everything is revoked already, the repetition is recorded and limited as any other refusal.
    private func replayed(
        _ code: AuthorizationCode, by request: Authenticated<AuthorizationCodeGrant>
    ) async throws -> OAuthError {
        var error = Self.invalid("the code was redeemed before")
        guard try await !revocations.isRevoked(code.access.id, tenant: request.tenant.id) else { return error }
        try await revocations.revoke(
            code.access.id, tenant: request.tenant.id,
            tokensExpireAt: request.context.now + .seconds(ResourceServer.maximumTokenLifetime),
            event: event(.codeRefused, code, request))
        error.isNoted = true
        return error
    }

    private func event(
        _ kind: AuditEvent.Kind, _ code: AuthorizationCode, _ request: Authenticated<AuthorizationCodeGrant>
    ) -> AuditEvent {
        request.context.event(
            kind, charge: .once(.code), user: code.access.user, client: request.client.id,
            details: ["audience": .string(code.access.audience), "authorization": .string(code.access.id.rawValue)])
    }

    private static func invalid(_ detail: String) -> OAuthError {
        OAuthError(.invalidGrant, "Invalid authorization code", detail: detail)
    }
}

package protocol AuthorizationCodeStore: ChangedRowStore {
    /// The code, redeemed or not, with its user. Nil means that there is no such code; a nil user means that the user
    /// was deleted. A redeemed code is kept until its access tokens have expired. Throws `ChangedRow`.
    func code(_ hash: [UInt8], tenant: TenantID) async throws -> (code: AuthorizationCode, user: User?)?

    /// Marks the code redeemed, and stores the refresh token and the event, in one transaction. False, with nothing
    /// stored, if the code was redeemed before, is another client's or has expired.
    func redeem(_ redemption: CodeRedemption) async throws -> Bool
}

package struct CodeRedemption: Sendable {
    package let hash: [UInt8]
    package let client: ClientID
    package let tenant: TenantID
    package let now: Timestamp
    /// Lifetime of the access token, in seconds.
    package let tokenLifetime: Int
    package let refreshToken: RefreshTokenFamily?
    package let event: AuditEvent
}
