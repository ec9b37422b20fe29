import AuthorizationCore
import Primitives

extension KeycloakRealm {
    /// Settings of the tenant, its mail server, and words about those that have no counterpart.
    func readSettings(_ configuration: inout ForeignConfiguration) throws {
        try sessions(&configuration)
        try bruteForce(&configuration)
        try passwords(&configuration)
        try secondFactor(&configuration)
        try mails(&configuration)
        if let verifies = try object.flag("verifyEmail") { configuration.set("verify_emails", to: .bool(verifies)) }
        if let attributes = try object.object("attributes") {
            if let interval = try attributes.number("cibaInterval") {
                configuration.set("poll_interval", to: interval.clamped(1...60))
            }
            if let mode = try attributes.text("cibaBackchannelTokenDeliveryMode"), mode != "poll" {
                attributes.differs(
                    "cibaBackchannelTokenDeliveryMode", was: mode, here: "poll",
                    "poll, or hold the token request with Prefer: wait")
            }
            attributes.absent("cibaExpiresIn", "requested_expiry names the time, which is 300 seconds without it")
            attributes.absent("cibaAuthRequestedUserHint", "login_hint names the user")
            attributes.finish("nothing here has this effect")
        }
        if try object.flag("enabled") == false {
            object.differs("enabled", was: "off", here: "on", "a tenant is deleted, or its host taken from DNS")
        }
        for (member, text) in Self.instead { object.absent(member, text) }
        for member in object.names where member.hasPrefix("webAuthnPolicy") {
            object.absent(member, "passkeys are made for the tenant's host, with the person verified")
        }
        for member in object.names where member.hasSuffix("Theme") {
            object.absent(member, "pages and mails are the server's own, with the tenant's colour, logo and templates")
        }
        for member in object.names where member.hasSuffix("Flow") && member != "browserFlow" {
            object.absent(member, "there is one flow; multi_factor and acr_values make it stronger")
        }
    }

    private func sessions(_ configuration: inout ForeignConfiguration) throws {
        let range = 60...31_557_600
        let longest = try object.number("ssoSessionMaxLifespan")?.clamped(range)
        if let longest { configuration.set("session_lifetime", to: longest) }
        if let idle = try object.number("ssoSessionIdleTimeout") {
            configuration.set("session_idle_lifetime", to: min(idle.clamped(range), longest ?? range.upperBound))
        }
        if let days = try object.number("offlineSessionMaxLifespan"),
            try object.flag("offlineSessionMaxLifespanEnabled") == true
        {
            configuration.set("refresh_token_lifetime", to: days.clamped(range))
        } else {
            object.differs(
                "offlineSessionMaxLifespanEnabled", was: "off", here: "refresh_token_lifetime",
                "every refresh token ends, after 30 days unless the setting or the client says otherwise")
        }
        object.absent("offlineSessionIdleTimeout", "set idle_token_lifetime in refresh_token of a client")
        for (member, text) in [
            ("ssoSessionIdleTimeoutRememberMe", "a session has one lifetime"),
            ("ssoSessionMaxLifespanRememberMe", "a session has one lifetime"),
            ("rememberMe", "a session has one lifetime"),
            ("accessTokenLifespanForImplicitFlow", "there is no implicit flow"),
            ("refreshTokenMaxReuse", "set leeway in refresh_token of a client"),
            ("clientSessionIdleTimeout", "a session has one lifetime for all clients"),
            ("clientSessionMaxLifespan", "a session has one lifetime for all clients"),
            ("clientOfflineSessionIdleTimeout", "set idle_token_lifetime in refresh_token of a client"),
            ("clientOfflineSessionMaxLifespan", "set token_lifetime in refresh_token of a client"),
            ("accessCodeLifespan", "a code lives a minute"), ("accessCodeLifespanLogin", "a login has an hour"),
            ("accessCodeLifespanUserAction", "a login has an hour"),
            ("actionTokenGeneratedByAdminLifespan", "--expires says how long a link works"),
            ("actionTokenGeneratedByUserLifespan", "links in mails have a lifetime of their own"),
            ("oauth2DeviceCodeLifespan", "there are no device codes; use CIBA"),
            ("oauth2DevicePollingInterval", "there are no device codes; use CIBA"),
        ] {
            object.absent(member, text)
        }
    }

    private func bruteForce(_ configuration: inout ForeignConfiguration) throws {
        if try object.flag("bruteForceProtected") == false {
            object.differs("bruteForceProtected", was: "off", here: "on", "wrong passwords are always limited")
        }
        if let failures = try object.number("failureFactor") {
            configuration.set("brute_force_protection", "attempts_per_account", to: failures.clamped(1...10_000))
        }
        if let window = try object.number("maxDeltaTimeSeconds") {
            configuration.set("brute_force_protection", "window", to: window.clamped(60...604_800))
        }
        for member in [
            "permanentLockout", "maxTemporaryLockouts", "bruteForceStrategy", "maxFailureWaitSeconds",
            "minimumQuickLoginWaitSeconds", "waitIncrementSeconds", "quickLoginCheckMilliSeconds",
        ] {
            object.absent(member, "an account is blocked for the window, by address first; user unblock ends it")
        }
    }

    private func passwords(_ configuration: inout ForeignConfiguration) throws {
        guard let policy = try object.text("passwordPolicy"), !policy.isEmpty else { return }
        for rule in policy.split(separator: " and ") {
            if rule.hasPrefix("length("), let length = Int(rule.dropFirst(7).prefix { $0 != ")" }) {
                configuration.set("password_minimum_length", to: length.clamped(8...64))
            } else {
                object.differs(
                    "passwordPolicy", was: String(rule), here: "none",
                    "new passwords are checked by their length and against common ones")
            }
        }
    }

    private func secondFactor(_ configuration: inout ForeignConfiguration) throws {
        let factor = KeycloakSecondFactor(
            flows: object.value("authenticationFlows")?.arrayValue ?? [],
            browser: try object.text("browserFlow") ?? "browser")
        configuration.set("multi_factor", to: .string(factor.setting))
        switch factor {
        case .never: break
        case .whenEnrolled:
            object.differs(
                "browserFlow", was: "a second factor from people who have one", here: "multi_factor when-enrolled",
                "people who have a phone or codes here are asked; those who lose their factor are not, until they enrol"
            )
        case .always:
            object.differs(
                "browserFlow", was: "a second factor from everybody", here: "multi_factor always",
                "people without a phone enrol one at their first login")
        }
    }

    private func mails(_ configuration: inout ForeignConfiguration) throws {
        guard let server = try object.object("smtpServer") else { return }
        guard let host = try server.text("host"), !host.isEmpty, let from = try server.text("from") else {
            return server.finish("set a mail server with countersign mail provider set")
        }
        var credentials: JSONObject = ["smtp_host": .string(host)]
        credentials["smtp_port"] = try server.number("port").map { .number(JSONNumber($0)) }
        let needsLogin = try server.flag("auth") ?? false
        let (user, password) = (try server.text("user"), try server.secret("password"))
        if needsLogin {
            credentials["smtp_user"] = user.map(JSONValue.string)
            credentials["smtp_pass"] = password.map(JSONValue.string)
        }
        for member in ["ssl", "starttls"] {
            server.absent(member, "port 465 speaks TLS at once, and others STARTTLS")
        }
        for member in ["fromDisplayName", "replyTo", "replyToDisplayName", "envelopeFrom"] {
            server.absent(member, "the sender is default_from_address, or from of a template")
        }
        server.finish()
        let subject = MoveReport.Subject(kind: "mail server", name: host, file: object.account.subject.file)
        guard !needsLogin || password != nil else {
            return ledger.absent(
                subject, "", "the export hides its password: countersign mail provider set takes it", isIdle: false)
        }
        configuration.emailProvider = ForeignConfiguration.Part(
            document: [
                "name": "smtp", "default_from_address": .string(from), "credentials": .object(credentials),
            ], subject: subject)
        ledger.came(subject, as: "e-mail provider smtp", [])
    }

    private static let instead: KeyValuePairs = [
        "id": "a tenant has one id",
        "displayNameHtml": "the name is plain text",
        "notBefore": "countersign keys revoke ends all tokens of a key",
        "defaultSignatureAlgorithm": "tokens are signed with RS256, unless API or client name another",
        "sslRequired": "TLS is always required",
        "registrationEmailAsUsername": "an address or a username is a login's name",
        "loginWithEmailAllowed": "an address or a username is a login's name",
        "duplicateEmailsAllowed": "an address has one user",
        "resetPasswordAllowed": "people can always reset a forgotten password by mail",
        "editUsernameAllowed": "usernames are changed by administrators",
        "defaultRole": "the users of an export have its roles; give them to new users with countersign role assign",
        "defaultGroups": "there are no groups; give roles to new users with countersign role assign",
        "requiredCredentials": "people log in by password, passkey or provider",
        "scopeMappings": "roles limit the user's scopes, and client_grants the client's",
        "clientScopeMappings": "roles limit the user's scopes, and client_grants the client's",
        "defaultDefaultClientScopes": "every client may request the scopes of OpenID Connect, and those of its APIs",
        "defaultOptionalClientScopes": "every client may request the scopes of OpenID Connect, and those of its APIs",
        "browserSecurityHeaders": "pages have a Content Security Policy of their own, and --hsts-max-age sets HSTS",
        "localizationTexts": "pages have texts of their own in English, German and French",
        "internationalizationEnabled": "pages and mails are in English, German and French, as the browser asks",
        "supportedLocales": "pages and mails are in English, German and French, as the browser asks",
        "defaultLocale": "pages and mails are in English, German and French, as the browser asks",
        "identityProviderMappers": "a connection has an attribute_map",
        "authenticationFlows": "there is one flow; multi_factor and acr_values make it stronger",
        "authenticatorConfig": "there is one flow; multi_factor and acr_values make it stronger",
        "requiredActions": "pages lead people to what is missing",
        "components": "keys are new, and users live in the tenant's database; no directory is read",
        "userFederationProviders": "no directory is read; import its users, or put a provider before it",
        "userFederationMappers": "no directory is read",
        "clientProfiles": "rules are each client's own",
        "clientPolicies": "rules are each client's own",
        "organizations": "there are no organizations; use a tenant for each, or app_metadata",
        "eventsEnabled": "the audit log is always on",
        "eventsExpiration": "the audit log is kept; countersign log archive moves it",
        "eventsListeners": "follow the log with countersign log tail --json",
        "enabledEventTypes": "the audit log has every kind of event",
        "adminEventsEnabled": "the audit log is always on",
        "adminEventsDetailsEnabled": "the audit log names changed members, without values",
        "otpPolicyType": "each person's secret says it", "otpPolicyAlgorithm": "each person's secret says it",
        "otpPolicyDigits": "each person's secret says it", "otpPolicyPeriod": "each person's secret says it",
        "federatedUsers": "no directory is read; import its users",
        "keycloakVersion": "this report is about its export",
    ]
}
