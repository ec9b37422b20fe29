package import OAuthWire

/// An issuer with its own keys, users, clients and settings. It is found by the host it was called on.
package struct Tenant: Sendable, Equatable {
    package let id: TenantID
    /// Shown to people.
    package var name: String
    /// Authorities (`host` or `host:port`, lower case, without `:443`). The first is the tenant's own name; the others
    /// are custom domains.
    package var hosts: [String]
    package var settings: TenantSettings
    /// The custom domain it was called on; nil for its own name.
    private var customDomain: String?

    package init(id: TenantID, name: String, hosts: [String], settings: TenantSettings = TenantSettings()) {
        self.id = id
        self.name = name
        self.hosts = hosts
        self.settings = settings
    }

    /// The tenant as those see it who call it on one of its hosts: issuer and endpoints are under that host, because
    /// what a client verifies is the name it called (OIDC Discovery 1.0 clause 4.3).
    func called(on host: String) -> Tenant {
        var tenant = self
        tenant.customDomain = host == hosts.first ? nil : host
        return tenant
    }

    /// The one of its hosts that it was called on, or its own name.
    package var host: String { customDomain ?? hosts.first ?? "" }

    /// `iss` of the tokens that are given under this name; it ends in a slash as Auth0's do.
    package var issuer: String { "https://\(host)/" }

    /// The audience of a request that named none.
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

    /// The issuer's URLs where the server asks for certificates; ends in a slash.
    package func alias(port: UInt16) -> String {
        "https://\(Self.normalized(authority: "\(Self.name(ofAuthority: host)):\(port)"))/"
    }

    /// An authority without its port.
    static func name(ofAuthority authority: String) -> String {
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

/// When a login asks for a second factor.
package enum MultiFactorPolicy: String, Sendable, CaseIterable {
    case never
    /// Required for users who have a device.
    case whenEnrolled = "when-enrolled"
    /// Required for everyone. A user without a device enrols one at the next login, so that requests can reach them.
    case always
}

/// How many wrong passwords block an account, or an address (RFC 9700 has no number; these are Auth0's).
package struct BruteForceProtection: Sendable, Equatable {
    /// From one address, or one IPv6 network as `CountedAddress` has it, at one account, 1…1000.
    package var attemptsPerAddress = 10
    /// From one address at all accounts together, 1…100000; sign-ups count here whether they fail or not.
    package var attemptsPerAddressInAll = 100
    /// From all addresses together, 1…10000.
    package var attemptsPerAccount = 100
    /// Seconds until a block, or a count that led to none, is forgotten.
    package var window = 3600

    package init() {}
}

/// How the hosted pages look.
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
    /// The privacy notice.
    package var privacy: String?
    /// The terms of use.
    package var terms: String?

    package init() {}
}

/// A tenant's limits and choices. Every one has a default.
package struct TenantSettings: Sendable, Equatable {
    /// Requests a minute to one user (Auth0: 5).
    package var requestsPerMinutePerUser = 5
    /// Undecided requests to one user at a time.
    package var pendingRequestsPerUser = 20
    /// Undecided requests of the tenant at a time.
    package var pendingRequests = 5_000_000
    /// Seconds a client waits between two polls, 1…60 (CIBA Core 7.3).
    package var pollInterval = 5
    /// Seconds a token request with `Prefer: wait` may be held, 0…300; 0 turns holding off.
    package var longPollMaximum = 60
    package var bindingMessageAlphabet = BindingMessage.Alphabet.restricted
    package var authorizationDetailsLimits = AuthorizationDetails.Limits()
    /// Answers `access_denied` for an expired request as Auth0 does, instead of `expired_token` (CIBA Core 11).
    package var expiredAsDenied = false
    /// Requires PKCE of confidential clients too (RFC 9700 clause 2.1.1); public ones always need it.
    package var requiresProofKey = false
    /// Turns the push factor on. Without it no request can reach a phone.
    package var pushEnabled = true
    /// The audience of a request that named none; nil means the userinfo endpoint.
    package var defaultAudience: String?
    /// Seconds a refresh token lives.
    package var refreshTokenLifetime = 2_592_000
    /// Seconds a browser stays logged in at most.
    package var sessionLifetime = 604_800
    /// Seconds a browser stays logged in without being used.
    package var sessionIdleLifetime = 259_200
    package var multiFactor = MultiFactorPolicy.never
    package var bruteForceProtection = BruteForceProtection()
    /// Fewest characters of a password, 8…64.
    package var passwordMinimumLength = 8
    /// Asks by mail to confirm the address of whoever signs up.
    package var verifiesEmails = true
    /// Lets an upstream account whose provider verified its e-mail address log in as the user of that address.
    package var linksVerifiedEmails = false
    /// Addresses to which the browser may return after a logout without a client, each an exact URL.
    package var allowedLogoutURLs: [String] = []
    package var branding = Branding()
    /// Links below every page, each an `https` URL.
    package var links = PageLinks()
    /// The `https` URL where people go on if no client is known.
    package var defaultRedirectionURL: String?
    /// Logins a minute that one address may begin without ending them at once, on each node; 1…1000000. An IPv6 network
    /// counts as one, as `CountedAddress` has it.
    package var loginsPerMinutePerAddress = 300
    /// Tokens a minute that each client may have for itself (client credentials), on each node; 1…1000000.
    package var clientTokensPerMinute = 600
    /// Requests a minute of each client to the Management API, on each node.
    package var managementRequestsPerMinute = 3000

    package init() {}
}
