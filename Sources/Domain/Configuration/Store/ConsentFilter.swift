package import AuthorizationCore

/// Selects consents by every property that is not nil.
package struct ConsentFilter: Sendable, Equatable {
    package var user: UserID?
    package var client: ClientID?
    package var audience: String?

    package init(user: UserID? = nil, client: ClientID? = nil, audience: String? = nil) {
        self.user = user
        self.client = client
        self.audience = audience
    }
}
