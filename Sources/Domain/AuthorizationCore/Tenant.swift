package import OAuthWire

/// Issuer with its own keys, users, clients and settings, found by the called host.
package struct Tenant: Sendable, Equatable {
    package let id: TenantID
    /// Shown to people.
    package var name: String
    /// Authorities (`host` or `host:port`, lower case, without `:443`). The first is the tenant's own name; the others
    /// are custom domains.
    package var hosts: [String]
    package var settings: TenantSettings
    /// The called custom domain. Nil for the tenant's own name.
    private var customDomain: String?

    package init(id: TenantID, name: String, hosts: [String], settings: TenantSettings = TenantSettings()) {
        self.id = id
        self.name = name
        self.hosts = hosts
        self.settings = settings
    }

    /// Tenant with issuer and endpoints under `host`, because clients verify the name they called (OIDC Discovery 1.0
    /// clause 4.3).
    func called(on host: String) -> Tenant {
        var tenant = self
        tenant.customDomain = host == hosts.first ? nil : host
        return tenant
    }

    /// The called host, or the tenant's own name.
    package var host: String { customDomain ?? hosts.first ?? "" }

    /// `iss` of tokens issued under this name. Ends in a slash, as Auth0's does.
    package var issuer: String { "https://\(host)/" }

    /// Audience of requests that name none.
    package var userinfoAudience: String { EndpointPath.userInfo.url(below: issuer) }

    /// True if `audience` is the userinfo endpoint under any of the tenant's names.
    package func isUserinfoAudience(_ audience: String) -> Bool {
        hosts.contains { audience == "https://\($0)\(EndpointPath.userInfo.rawValue)" }
    }

    /// True if `text` is this tenant's issuer in one of its spellings: its own name or a custom domain, with or without
    /// the trailing slash.
    package func isIssuer(_ text: String) -> Bool {
        guard text.hasPrefix("https://") else { return false }
        var authority = text.dropFirst("https://".count)
        if authority.last == "/" { authority.removeLast() }
        return hosts.contains(Self.normalized(authority: String(authority)))
    }

    /// Base of the issuer's URLs at the port that asks for certificates. Ends in a slash.
    package func alias(port: UInt16) -> String {
        "https://\(Self.normalized(authority: "\(Self.name(ofAuthority: host)):\(port)"))/"
    }

    /// An authority without its port.
    package static func name(ofAuthority authority: String) -> String {
        // IPv6 addresses stand in brackets.
        guard let colon = authority.lastIndex(of: ":"), authority.last != "]" else { return authority }
        return String(authority[..<colon])
    }

    /// Lower case and without the default port.
    package static func normalized(authority: String) -> String {
        let lowered = authority.lowercased()
        return lowered.hasSuffix(":443") ? String(lowered.dropLast(4)) : lowered
    }
}

/// Condition under which a login asks for a second factor.
package enum MultiFactorPolicy: String, Sendable, CaseIterable {
    case never
    /// Required for users who have a device.
    case whenEnrolled = "when-enrolled"
    /// Required for everyone. A user without a device enrols one at the next login, so that requests can reach them.
    case always
}

/// Place at which people may make their first passkey.
package enum PasskeyRegistrationPlace: String, Sendable, CaseIterable {
    /// On a phone of theirs by its key, such as when a request demands one, and on the account page.
    case phone
    /// On the account page alone.
    case account
}

/// Proof with which an enrolled phone adds another one of its person.
package enum PhoneAddition: String, Sendable, CaseIterable {
    /// Phones add none.
    case never
    /// The phone's key and its passkey, which somebody else with the unlocked phone does not have.
    case passkey
    /// The phone's key alone.
    case key
}

/// Wrong passwords that block an account or an address. The numbers are Auth0's, RFC 9700 has none.
package struct BruteForceProtection: Sendable, Equatable {
    /// From one `CountedAddress` at one account, `1...1000`.
    package var attemptsPerAddress = 10
    /// From one address at all accounts together, `1...100000`. Counts all sign-ups, failed or not.
    package var attemptsPerAddressInAll = 100
    /// At one account from all addresses together, `1...10000`.
    package var attemptsPerAccount = 100
    /// Wrong numbers picked on the phone for logins from one address at one account, `1...1000`. No more than
    /// `attemptsPerAddress` count.
    package var wrongNumbersPerAddress = 3
    /// Seconds until a block or a count is forgotten.
    package var window = 3600

    package init() {}
}

/// Appearance of the hosted pages.
package struct Branding: Sendable, Equatable {
    /// `#rrggbb`, lower case.
    package var primaryColor: String?
    /// An `https` URL.
    package var logoURL: String?

    package init() {}
}

/// Addresses that the hosted pages link to.
package struct PageLinks: Sendable, Equatable {
    /// Help for people who cannot log in.
    package var support: String?
    package var privacy: String?
    package var terms: String?

    package init() {}
}

/// A tenant's limits and choices, each with a default.
package struct TenantSettings: Sendable, Equatable {
    /// Maximum requests a minute to one user (Auth0: 5).
    package var requestsPerMinutePerUser = 5
    /// Maximum undecided requests to one user.
    package var pendingRequestsPerUser = 20
    /// Maximum undecided requests of the tenant.
    package var pendingRequests = 5_000_000
    /// Time between two polls of a client, `1...60 seconds` (CIBA Core 7.3).
    package var pollInterval = 5
    /// Maximum hold of a token request with `Prefer: wait`, `0...300 seconds`. 0 turns holding off.
    package var longPollMaximum = 60
    package var bindingMessageAlphabet = BindingMessage.Alphabet.restricted
    /// 1 day to 10 years, in seconds.
    package static let approvalRetentionRange = 86_400...315_360_000
    /// Time for which decided requests stay readable as approvals, in seconds.
    package var approvalRetention = 34_560_000
    package var authorizationDetailsLimits = AuthorizationDetails.Limits()
    /// Answers `access_denied` for an expired request as Auth0 does, instead of `expired_token` (CIBA Core 11).
    package var expiredAsDenied = false
    /// Requires PKCE of confidential clients too (RFC 9700 clause 2.1.1). Public clients always need it.
    package var requiresProofKey = false
    /// Evidence that every approval needs, whatever its API demands. Nil means none.
    package var evidence: EvidenceDemand?
    package var passkeyRegistration = PasskeyRegistrationPlace.phone
    /// Lets people log in by a passkey.
    package var passkeyLogin = true
    /// Turns the push factor on. Without it no request can reach a phone.
    package var pushEnabled = true
    /// Demand for all requests of clients. Nil means none.
    package var matching: NumberMatching?
    package var loginMatching = LoginMatching.choose
    /// Rejections in a row, by one person, from which the client has to wait before it asks that person again.
    package var rejectionsBeforePause = 3
    /// First pause after rejections, in seconds. 0 turns these pauses off.
    package var rejectionPause = 30
    /// First pause after a request that the person did not ask for, in seconds. 0 turns these pauses off.
    package var reportPause = 900
    /// Audience of requests that name none. Nil means the userinfo endpoint.
    package var defaultAudience: String?
    /// Lifetime of a refresh token, in seconds.
    package var refreshTokenLifetime = 2_592_000
    /// Maximum lifetime of a session, in seconds.
    package var sessionLifetime = 604_800
    /// Maximum time a session stays unused, in seconds.
    package var sessionIdleLifetime = 259_200
    /// Longest age of the second factor with which people change what they log in with, in seconds. People without a
    /// second factor need a login of that age.
    package var recentLoginLifetime = 300
    /// Lets people delete their own account.
    package var allowsAccountDeletion = false
    package var multiFactor = MultiFactorPolicy.never
    package var bruteForceProtection = BruteForceProtection()
    /// Minimum characters of a password, `8...64`.
    package var passwordMinimumLength = 8
    /// Asks new users by mail to confirm their address.
    package var verifiesEmails = true
    /// Lets an upstream account whose provider verified its e-mail address log in as the user of that address.
    package var linksVerifiedEmails = false
    /// Addresses to which the browser may return after a logout without a client, each an exact URL.
    package var allowedLogoutURLs: [String] = []
    package var branding = Branding()
    /// Links below every page, each an `https` URL.
    package var links = PageLinks()
    package var approvalApp = ApprovalApp()
    /// Lifetime of a ticket that an operator makes to enrol a phone, in seconds (Auth0: 5 days).
    package var enrollmentTicketLifetime = 432_000
    package var phonesAddPhones = PhoneAddition.passkey
    /// The rule that holds: a tenant that demands a passkey of every approval demands it here, too.
    package var proofOfPhoneAddition: PhoneAddition {
        phonesAddPhones == .key && evidence == .passkey ? .passkey : phonesAddPhones
    }
    /// `https` URL for users to continue at if no client is known.
    package var defaultRedirectionURL: String?
    /// Maximum logins a minute that one `CountedAddress` begins and does not complete at once, on each node,
    /// `1...1000000`.
    package var loginsPerMinutePerAddress = 300
    /// Maximum successful actions a minute of one actor that each leave an audit entry, on each node, `1...1000000`. The
    /// actors are those of `AuditBudgets`.
    package var actionsPerMinute = 60
    /// Maximum tokens a minute that each client gets for itself (client credentials), on each node, `1...1000000`.
    package var clientTokensPerMinute = 600
    /// Maximum requests a minute of each client to the Management API, on each node.
    package var managementRequestsPerMinute = 3000

    package init() {}
}
