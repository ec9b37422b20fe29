/// The tenant's server before this one. It still knows the people who have no password here yet.
package struct OldServer: Sendable, Equatable {
    /// Parts of a person's profile that are taken from the old server, beside id and address.
    package enum Member: String, Sendable, CaseIterable {
        case emailVerified = "email_verified"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case nickname
        case picture
        case locale
        case userMetadata = "user_metadata"
        case appMetadata = "app_metadata"
    }

    /// Seconds that a call may take.
    package static let timeouts = 1...10
    package static let defaultTimeout = 5
    /// Minimum bytes of the secret: somebody who guesses it learns from the endpoint which passwords are right.
    package static let secretMinimum = 32

    /// The tenant's own endpoint, which this server calls.
    package var endpoint: EndpointURL
    /// The secret, sealed with the connection's sealing context.
    package var sealedSecret: [UInt8]
    /// Seconds.
    package var timeout: Int
    package var members: Set<Member>

    package init(
        endpoint: EndpointURL, sealedSecret: [UInt8], timeout: Int = defaultTimeout,
        members: Set<Member> = Set(Member.allCases)
    ) {
        self.endpoint = endpoint
        self.sealedSecret = sealedSecret
        self.timeout = timeout
        self.members = members
    }
}
