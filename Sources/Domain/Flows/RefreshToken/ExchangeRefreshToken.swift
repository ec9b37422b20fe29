import Audit
import AuthorizationCore
package import OAuthWire
import Primitives

/// The refresh token grant at the token endpoint (RFC 6749 clause 6, RFC 9700 clause 4.14), with one read and one
/// write.
package struct ExchangeRefreshToken: Sendable {
    private typealias RefreshRequest = Authenticated<RefreshTokenGrant>

    let store: any RefreshTokenStore
    let secrets: RefreshTokenSecrets
    let issuer: TokenIssuer
    let budgets: AuditBudgets

    /// Throws `OAuthError` for every answer but tokens.
    package func exchange(_ request: Authenticated<RefreshTokenGrant>) async throws -> TokenResponse {
        guard let token = secrets.read(request.message.token, of: request.configuration) else {
            throw Self.unknown("no token of this tenant")
        }
        if let tokens = try await exchanged(token, request) { return tokens }
        // Another exchange of the same token came in between: its result decides.
        if let tokens = try await exchanged(token, request) { return tokens }
        throw Self.unknown("the family changed meanwhile")
    }

    /// Nil if the family changed after it was read.
    private func exchanged(_ token: RefreshTokenSecrets.Token, _ request: RefreshRequest) async throws -> TokenResponse?
    {
        let now = request.context.now
        let hash = secrets.hash(ofFamily: token.family)
        guard let (family, owner) = try await find(hash, request) else {
            // SDKs recognize the text of a deleted or blocked user, and remove their stored tokens.
            if let (client, user) = try await store.endedRefreshTokens(hash, tenant: request.tenant.id),
                client == request.client.id
            {
                _ = try Self.user(user)
            }
            throw Self.unknown("the family has expired or was revoked")
        }
        guard family.access.client == request.client.id else { throw Self.unknown("the token is another client's") }
        guard !family.isExpired(at: now) else { throw Self.unknown("the family has expired") }
        guard family.constraint.isMet(by: request.proven) else {
            throw Self.unknown("the token is bound to another certificate")
        }
        let isRepeated = token.counter != family.counter
        if isRepeated {
            guard token.counter < family.counter else { throw Self.unknown("a token that was never given") }
            guard Self.isWithinLeeway(token, of: family, for: request.client, now: now) else {
                throw try await reused(token, of: family, request)
            }
        }
        let user = try Self.user(owner)
        let authorization = try TokenIssuer.Authorization(
            for: request, user: user, access: try Self.access(family.access, request, user: user), isRefresh: true)
        // A client that authenticates has one address for all its users.
        let charge = try budgets.draw(
            on: .refreshTokens(of: user.id, at: request.client.id), of: request.client.isPublic ? user : nil,
            request.context)
        // Signed before the commit, so that a failed signature uses up nothing.
        var response = try issuer.tokens(authorization)
        let idleExpiresAt = request.client.refreshTokens.idleLifetime.map { now + .seconds($0) }
        let event = event(.refreshTokenExchanged, charge, family, request)
        guard request.client.rotatesRefreshTokens, !isRepeated else {
            let renewed = try await store.renew(
                hash, counter: family.counter, tenant: request.tenant.id, now: now, idleExpiresAt: idleExpiresAt,
                event: event)
            guard renewed else { return nil }
            if request.client.rotatesRefreshTokens {
                // The same token as in the first answer, which the client may not have received.
                response.refreshToken = secrets.token(
                    family: token.family, counter: family.counter, of: request.configuration)
            }
            return response
        }
        let rotated = try await store.rotate(
            hash, from: family.counter, tenant: request.tenant.id, now: now, idleExpiresAt: idleExpiresAt, event: event)
        guard rotated else { return nil }
        response.refreshToken = secrets.token(
            family: token.family, counter: family.counter + 1, of: request.configuration)
        return response
    }

    /// Only the previous token may be repeated, and only within the client's leeway. A request that arrived before the
    /// rotation may repeat too, but by no longer: a clock that is late must not extend the leeway. Without a leeway no
    /// token is repeated, whatever arrived first.
    private static func isWithinLeeway(
        _ token: RefreshTokenSecrets.Token, of family: RefreshTokenFamily, for client: Client, now: Timestamp
    ) -> Bool {
        let leeway = Duration.seconds(client.refreshTokens.leeway)
        let age = now - family.rotatedAt
        return token.counter == family.counter - 1 && .zero - leeway < age && age < leeway
    }

    /// Throws for a family whose row somebody else changed, and ends it: it would give what the user did not allow.
    private func find(
        _ hash: [UInt8], _ request: RefreshRequest
    ) async throws -> (family: RefreshTokenFamily, user: User?)? {
        do {
            return try await store.refreshTokens(hash, tenant: request.tenant.id)
        } catch let row as ChangedRow {
            try await store.end(row, hash: hash, request.context)
            var error = Self.unknown("\(row); its family is revoked")
            error.isNoted = true
            throw error
        }
    }

    /// RFC 9700 clause 4.14.2: a repeated token was stolen, or its successor was, so the whole family ends.
    private func reused(
        _ token: RefreshTokenSecrets.Token, of family: RefreshTokenFamily, _ request: RefreshRequest
    ) async throws -> OAuthError {
        var event = event(.refreshTokenReused, .once(.authorization), family, request)
        event.details["latestCounter"] = .number(JSONNumber(family.counter))
        event.details["tokenCounter"] = .number(JSONNumber(token.counter))
        try await store.revoke(
            family.access.id, tenant: request.tenant.id,
            tokensExpireAt: request.context.now + .seconds(ResourceServer.maximumTokenLifetime), event: event)
        var error = Self.unknown("the token was used before; its family is revoked")
        error.isNoted = true
        return error
    }

    private static func user(_ owner: User?) throws(OAuthError) -> User {
        guard let user = owner else {
            throw OAuthError(.invalidGrant, "The refresh_token was generated for a user who doesn't exist anymore.")
        }
        guard !user.blocked else { throw OAuthError(.invalidGrant, "The user is blocked") }
        return user
    }

    /// The part of the granted access that is requested again (RFC 6749 clause 6) and still permitted.
    private static func access(_ granted: GrantedAccess, _ request: RefreshRequest, user: User) throws(OAuthError)
        -> GrantedAccess
    {
        try granted.check(audience: request.message.audience, in: request.configuration)
        var access = granted
        if let scope = request.message.scope {
            let wider = scope.filter { !granted.scope.contains($0) }
            guard wider.isEmpty else { throw OAuthError(.invalidScope, "The refresh token was not granted: \(wider)") }
            access.scope = scope
        }
        return try access.permitted(to: request.client, for: user, in: request.configuration)
    }

    private func event(
        _ kind: AuditEvent.Kind, _ charge: AuditCharge, _ family: RefreshTokenFamily, _ request: RefreshRequest
    ) -> AuditEvent {
        request.context.event(
            kind, charge: charge, user: family.access.user, client: request.client.id,
            details: ["familyId": .string(family.access.id.rawValue)])
    }

    private static func unknown(_ detail: String) -> OAuthError {
        OAuthError(.invalidGrant, "Unknown or invalid refresh token.", detail: detail)
    }
}
