public import OAuthWire

/// An issuer with its own keys, users, clients and settings. It is found by the host it was called on.
public struct Tenant: Sendable, Equatable {
    public let id: TenantID
    /// Shown to people.
    public var name: String
    /// Authorities (`host` or `host:port`, lower case, without `:443`). The first is the tenant's own name; the others
    /// are custom domains.
    public var hosts: [String]
    public var settings: TenantSettings
    /// The custom domain it was called on; nil for its own name.
    private var customDomain: String?

    public init(id: TenantID, name: String, hosts: [String], settings: TenantSettings = TenantSettings()) {
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

    /// `iss` of the tokens that are given under this name; it ends in a slash as Auth0's do.
    public var issuer: String { "https://\(customDomain ?? hosts.first ?? "")/" }

    /// The audience of a request that named none.
    public var userinfoAudience: String { issuer + "userinfo" }

    /// Whether `audience` is the userinfo endpoint under any of the tenant's names.
    public func isUserinfoAudience(_ audience: String) -> Bool {
        hosts.contains { audience == "https://\($0)/userinfo" }
    }

    /// Whether `text` is this tenant's issuer in one of its spellings: its own name or a custom domain, with or
    /// without the trailing slash.
    public func isIssuer(_ text: String) -> Bool {
        guard text.hasPrefix("https://") else { return false }
        var authority = text.dropFirst("https://".count)
        if authority.last == "/" { authority.removeLast() }
        return hosts.contains(Self.normalized(authority: String(authority)))
    }

    /// Lower case and without the default port.
    public static func normalized(authority: String) -> String {
        let lowered = authority.lowercased()
        return lowered.hasSuffix(":443") ? String(lowered.dropLast(4)) : lowered
    }
}

/// A tenant's limits and choices. Every one has a default.
public struct TenantSettings: Sendable, Equatable {
    /// Requests a minute to one user (Auth0: 5).
    public var requestsPerMinutePerUser = 5
    /// Undecided requests to one user at a time.
    public var pendingRequestsPerUser = 20
    /// Undecided requests of the tenant at a time.
    public var pendingRequests = 5_000_000
    /// Seconds a client waits between two polls, 1…60 (CIBA Core 7.3).
    public var pollInterval = 5
    /// Seconds a token request with `Prefer: wait` may be held, 0…300; 0 turns holding off.
    public var longPollMaximum = 60
    public var bindingMessageAlphabet = BindingMessage.Alphabet.restricted
    public var authorizationDetailsLimits = AuthorizationDetails.Limits()
    /// Answers `access_denied` for an expired request as Auth0 does, instead of `expired_token` (CIBA Core 11).
    public var expiredAsDenied = false
    /// Whether the push factor is on; without it no request can reach a phone.
    public var pushEnabled = true
    /// The audience of a request that named none; nil means the userinfo endpoint.
    public var defaultAudience: String?
    /// Seconds a refresh token lives.
    public var refreshTokenLifetime = 2_592_000

    public init() {}
}
