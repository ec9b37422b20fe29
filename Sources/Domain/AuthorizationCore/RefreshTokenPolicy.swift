/// How a client's refresh tokens behave (Auth0: `refresh_token` of an application).
package struct RefreshTokenPolicy: Sendable, Equatable {
    /// True if each use replaces the token. Nil means: for public clients, as RFC 9700 clause 4.14.2 asks, and not for
    /// confidential ones.
    package var rotates: Bool?
    /// Seconds for which the token before the current one may be used again without counting as stolen, 0…86400.
    package var leeway = 0
    /// Seconds from the first token of a family to its end, 1…31557600; nil takes the tenant's.
    package var lifetime: Int?
    /// Seconds a family may stay unused, 1…31557600; nil is without limit.
    package var idleLifetime: Int?

    package init() {}
}

extension Client {
    package var rotatesRefreshTokens: Bool { refreshTokens.rotates ?? isPublic }
}
