/// Rules of a client's refresh tokens (Auth0: `refresh_token` of an application).
package struct RefreshTokenPolicy: Sendable, Equatable {
    /// True if each use replaces the token. Nil means true for public clients only (RFC 9700 clause 4.14.2).
    package var rotates: Bool?
    /// Time in which the previous token may be used again without counting as stolen, `0...86400 seconds`.
    package var leeway = 0
    /// Lifetime of a family, `1...31557600 seconds`. Nil takes the tenant's.
    package var lifetime: Int?
    /// Time a family may stay unused, `1...31557600 seconds`. Nil means no limit.
    package var idleLifetime: Int?

    package init() {}
}

extension Client {
    package var rotatesRefreshTokens: Bool { refreshTokens.rotates ?? isPublic }
}
