package import AuthorizationCore

/// Selects refresh tokens by every property that is not nil.
package struct RefreshTokenFilter: Sendable, Equatable {
    package var ids: [AuthorizationID]?
    package var user: UserID?
    package var client: ClientID?
    package var audience: String?
    package var session: SessionID?

    package init(
        ids: [AuthorizationID]? = nil, user: UserID? = nil, client: ClientID? = nil, audience: String? = nil,
        session: SessionID? = nil
    ) {
        self.ids = ids
        self.user = user
        self.client = client
        self.audience = audience
        self.session = session
    }
}
