package import AuthorizationCore
import JSONSchema
package import OAuthWire

extension TenantSettings: Described {
    /// Every setting of a tenant, each a property of `TenantSettings`.
    package static let fields = Fields<TenantSettings> {
        Field(
            "requests_per_minute_per_user", protects: .person, .integer(1...1_000_000), \.requestsPerMinutePerUser,
            "CIBA requests of one client to one user per minute, and as many again for logins from one address. Other "
                + "clients still have their share, up to twice the number in all. A development tenant has 600")
        Field(
            "pending_requests_per_user", protects: .person, .integer(1...1_000_000), \.pendingRequestsPerUser,
            "Pending CIBA requests of one client to one user. Other clients still have their share, up to twice the number "
                + "in all; requests that wait on a page or over 300 seconds count for their client alone")
        Field(
            "pending_requests", protects: .server(below: \.pendingRequests), .integer(1...1_000_000_000),
            \.pendingRequests,
            "Pending CIBA requests of the tenant, counted approximately")
        Field(
            "client_tokens_per_minute", protects: .server(below: \.clientTokensPerMinute), .integer(1...1_000_000),
            \.clientTokensPerMinute,
            "Client credentials tokens per minute and client on each node, and ten times as many requests that a client pushes"
        )
        Field(
            "logins_per_minute_per_address", protects: .server(below: \.loginsPerMinutePerAddress),
            .integer(1...1_000_000), \.loginsPerMinutePerAddress,
            "Logins started, and pages of links with a ticket opened, per minute and address (IPv6: a /64 network) on each "
                + "node; logins answered directly from a session count as `actions_per_minute` alone"
        ).formerly("log_ins_per_minute_per_address")
        Field(
            "actions_per_minute", protects: .server(below: \.actionsPerMinute), .integer(1...1_000_000),
            \.actionsPerMinute,
            "Successful actions per minute on each node, each with entries in the audit log: logins and codes of a user, "
                + "changes by all phones of a user, refreshes of a user's tokens at a client, and, ten times as many, "
                + "readings of a phone. A development tenant has 600")
        Field(
            "management_requests_per_minute", protects: .server(below: \.managementRequestsPerMinute),
            .integer(1...1_000_000), \.managementRequestsPerMinute,
            "Management API requests per minute and client on each node")
        Field(
            "poll_interval", protects: .server, .integer(1...60), \.pollInterval,
            "Seconds between two polls; polls may be early by 1 second, or by a fifth of the wait if that is less")
        Field(
            "long_poll_maximum", protects: .server, .integer(0...300), \.longPollMaximum,
            "Maximum seconds for which a token request with `Prefer: wait=N` is held; 0 turns it off")
        Field(
            "binding_message_alphabet", protects: .person, .choice, \.bindingMessageAlphabet,
            "`restricted`: letters, digits, space and `+-_.,:#`; `unicode`: all printable characters, including joined "
                + "emoji")
        Field(
            "expired_as_denied", protects: .nothing, .flag, \.expiredAsDenied,
            "Answer `access_denied` for an expired request, as Auth0 does, instead of `expired_token`")
        Field(
            "approval_retention", protects: .evidence.below(\.approvalRetention), .integer(approvalRetentionRange),
            \.approvalRetention,
            "Seconds for which decisions and their evidence are kept for receipts; counts for later decisions")
        Field(
            "require_proof_key", protects: .identity(update: ["update:client_keys"]), .flag, \.requiresProofKey,
            "Require PKCE from every client; otherwise it is required from public clients and those that set it "
                + "themselves")
        Field(
            "evidence", protects: .evidence, .choice, \.evidence,
            "Evidence that every approval needs: `signed-digest`, or `passkey`, with which the phone's passkey verifies "
                + "the user, too. APIs and types can demand more"
        )
        Field(
            "passkey_registration", protects: .person, .choice, \.passkeyRegistration,
            "Where people make a first passkey: `phone`, with the key of a phone that needs one, such as when a request "
                + "demands it, and on the account page; or `account`, on the account page alone. Further ones are made there"
        )
        Field(
            "passkey_login", protects: .person, .flag, \.passkeyLogin,
            "Let people log in by a passkey, which counts as two factors. Those made with a phone's key alone log nobody in"
        )
        Field(
            "push_enabled", protects: .person("update:guardian_factors"), .flag, \.pushEnabled,
            "Allow requests to be pushed to phones")
        Field(
            "approval_app", protects: .identity(update: ["update:guardian_factors"]),
            .object(new: ApprovalApp()).omitted { !$0.isPresent }, \.approvalApp,
            "App that the pages recommend to people who add a phone"
        ).preset("none; the pages recommend the web app")
        Field(
            "enrollment_ticket_lifetime", protects: .identity(update: ["create:guardian_enrollment_tickets"]),
            .integer(300...2_592_000), \.enrollmentTicketLifetime,
            "Seconds for which an operator's link to add a phone works")
        Field(
            "phones_add_phones", protects: .identity(update: ["create:guardian_enrollment_tickets"]), .choice,
            \.phonesAddPhones,
            "Proof with which an enrolled phone adds another one of its person: `passkey`, its key and its passkey; `key`, "
                + "its key alone, unless `evidence` demands a passkey; or `never`")
        Field(
            "matching", protects: .person, .choice, \.matching,
            "Number matching for every CIBA request: the start's answer has `matching_code` for the client to display, the "
                + "phone shows three numbers, and the person picks that one (`choose`), or types it into a field (`type`)"
        )
        Field(
            "login_matching", protects: .person, .choice, \.loginMatching,
            "The same for second factors, if a phone of the person can take numbers; with `choose`, logins with an "
                + "administrator's rights have it typed"
        )
        Field(
            "rejections_before_pause", protects: .person, .integer(1...1000), \.rejectionsBeforePause,
            "Rejections in a row from which a client has to wait before it asks the same person again. An allowed request "
                + "and 24 hours forget them. A development tenant has 100")
        Field(
            "rejection_pause", protects: .person, .integer(0...3600), \.rejectionPause,
            "Seconds of the first such pause; each further rejection doubles it, up to an hour; 0 turns it off")
        Field(
            "report_pause", protects: .person, .integer(0...86_400), \.reportPause,
            "Seconds of the pause after a person said that they did not ask for a request; each further report doubles "
                + "it, up to 24 hours; 0 turns it off")
        Field(
            "default_audience", protects: .nothing, .text(0...600), \.defaultAudience,
            "API of requests without an audience: an identifier of `apis`"
        ).preset("the userinfo endpoint")
        Field(
            "refresh_token_lifetime", protects: .person, .integer(60...31_557_600), \.refreshTokenLifetime,
            "Lifetime of a refresh token and its successors in seconds, at clients without their own")
        Field(
            "session_lifetime", protects: .person, .integer(60...31_557_600), \.sessionLifetime,
            "Maximum lifetime of a browser session in seconds")
        Field(
            "session_idle_lifetime", protects: .person, .integer(60...31_557_600), \.sessionIdleLifetime,
            "Maximum idle time of a browser session in seconds, at most `session_lifetime`")
        Field(
            "multi_factor", protects: .person, .choice, \.multiFactor,
            "When a login asks for a second factor. `when-enrolled`: for users who have one; `always`: users without "
                + "one enrol a phone"
        )
        Field(
            "recent_login_lifetime", protects: .person, .integer(60...3600), \.recentLoginLifetime,
            "Longest age in seconds of the second factor with which people change their phones, passkeys, recovery codes "
                + "and password on their account's pages. People without a second factor need a login of that age")
        Field(
            "account_deletion", protects: .person, .flag, \.allowsAccountDeletion,
            "Let people delete their own account on its pages")
        Field(
            "brute_force_protection", protects: .person,
            .object(new: BruteForceProtection(), settle: BruteForceProtection.settle),
            \.bruteForceProtection, "Limits of wrong passwords")
        Field(
            "password_minimum_length", protects: .person, .integer(8...64), \.passwordMinimumLength,
            "Minimum number of characters in a password that a user chooses"
        )
        Field(
            "verify_emails", protects: .nothing, .flag, \.verifiesEmails,
            "Send a mail to confirm the address after a sign-up")
        Field(
            "link_verified_emails", protects: .identity(update: ["update:connections"]), .flag, \.linksVerifiedEmails,
            "Let an upstream account with a verified address log in as the user with that address")
        Field(
            "allowed_logout_urls", protects: .nothing, .redirectTexts(0...100), \.allowedLogoutURLs,
            "Redirect URIs after a logout without a client, compared exactly"
        ).shaped(.list(.text(0...2048), 0...100))
        Field(
            "branding", protects: .nothing, .object(new: Branding()).omitted { $0 == Branding() }, \.branding,
            "Appearance of the pages"
        ).preset("plain")
        Field(
            "support_url", protects: .nothing, .secureURL, \.links.support, "Help, linked at the bottom of every page")
        Field(
            "privacy_url", protects: .nothing, .secureURL, \.links.privacy,
            "Privacy notice, linked at the bottom of every page")
        Field(
            "terms_url", protects: .nothing, .secureURL, \.links.terms,
            "Terms of use, linked at the bottom of every page")
        Field(
            "default_redirection_uri", protects: .nothing, .secureURL, \.defaultRedirectionURL,
            "URL to continue to after a new password was set, if no client is known")
        Field(
            "authorization_details_limits", protects: .server, .object(new: AuthorizationDetails.Limits()),
            \.authorizationDetailsLimits,
            "Limits of authorization details")
    }

    /// Reads settings; absent settings get defaults.
    package init(_ fields: DocumentFields) {
        self.init()
        Self.fields.read(fields, into: &self)
        if sessionIdleLifetime > sessionLifetime {
            if fields.value("session_idle_lifetime") != nil {
                fields.problem("session_idle_lifetime", "must not be longer than session_lifetime, \(sessionLifetime)")
            }
            sessionIdleLifetime = sessionLifetime
        }
        fields.finish()
    }
}

extension BruteForceProtection: Described {
    package static let fields = Fields<BruteForceProtection> {
        Field(
            "attempts_per_address", protects: .covered(.person), .integer(1...1000), \.attemptsPerAddress,
            "Wrong passwords for an account from one address (IPv6: a /64 network)")
        Field(
            "attempts_per_address_in_all", protects: .covered(.person), .integer(1...100_000),
            \.attemptsPerAddressInAll,
            "Wrong passwords from one address for all accounts together, and sign-ups from it"
        ).preset("100, or `attempts_per_address` if that is more")
        Field(
            "attempts_per_account", protects: .covered(.person), .integer(1...10_000), \.attemptsPerAccount,
            "Wrong passwords for an account from all addresses")
        Field(
            "wrong_numbers_per_address", protects: .covered(.person), .integer(1...1000), \.wrongNumbersPerAddress,
            "Wrong numbers picked on the phone for logins to an account from one address, after which the phone is "
                + "asked for no login from there; no more than `attempts_per_address`. One report does the same")
        Field(
            "window", protects: .covered(.person), .integer(60...604_800), \.window,
            "Seconds until attempts are forgotten")
    }

    /// Raised `attempts_per_address` raises the default of `attempts_per_address_in_all`.
    static func settle(_ limits: inout BruteForceProtection, _ fields: DocumentFields) {
        if fields.value("attempts_per_address_in_all") != nil { return }
        limits.attemptsPerAddressInAll = max(limits.attemptsPerAddressInAll, limits.attemptsPerAddress)
    }
}

extension Branding: Described {
    package static let fields = Fields<Branding> {
        Field("primary_color", protects: .nothing, .colour, \.primaryColor).preset("the default colour")
        Field("logo_url", protects: .nothing, .secureURL, \.logoURL)
    }
}

extension ApprovalApp: Described {
    package static let fields = Fields<ApprovalApp> {
        Field("app_name", protects: .covered(.identity), .text(1...100), \.name, "Name of the app").preset(
            "the tenant's name")
        Field("icon_url", protects: .covered(.identity), .appLink, \.icon, "Icon of the app").preset("none")
        Field("apple_app_link", protects: .covered(.identity), .appLink, \.apple, "Page from which iPhones get the app")
            .preset("none")
        Field(
            "google_app_link", protects: .covered(.identity), .appLink, \.google,
            "Page from which Android phones get the app"
        ).preset("none")
    }
}

extension AuthorizationDetails.Limits: Described {
    package static let fields = Fields<AuthorizationDetails.Limits> {
        Field("bytes", protects: .server, .integer(64...65_536), \.bytes, "Bytes of the whole parameter")
        Field("entries", protects: .server, .integer(1...100), \.entries, "Objects in the list")
        Field("properties", protects: .server, .integer(1...1000), \.properties, "Members of any one object")
        Field("name_length", protects: .server, .integer(1...1024), \.nameLength, "Characters of a member's name")
        Field("value_length", protects: .server, .integer(1...65_536), \.valueLength, "Characters of a text or number")
        Field("depth", protects: .server, .integer(1...16), \.depth, "Objects and lists within one another")
    }
}

extension FieldType where Value == AppLink {
    fileprivate static var appLink: FieldType {
        .parsed(
            .text(0...2048), "`https` URL",
            "must be an https URL without a user name, a fragment and characters that URLs escape", AppLink.init
        ) { $0.text }
    }
}

extension FieldType where Value == String {
    fileprivate static var colour: FieldType {
        .parsed(
            .text(7...7), "`#` and six hexadecimal digits", limit: 7, "must be # and six hexadecimal digits"
        ) { text in
            let colour = text.lowercased()
            let digits = colour.utf8.dropFirst()
            let isColour =
                colour.first == "#" && digits.count == 6
                && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
            return isColour ? colour : nil
        } write: {
            $0
        }
    }
}
