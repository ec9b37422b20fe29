package import AuthorizationCore
import OAuthWire
package import Primitives

extension TenantSettings {
    /// Reads settings; absent settings get defaults.
    package init(_ fields: DocumentFields) {
        self.init()
        requestsPerMinutePerUser = fields.integer(
            "requests_per_minute_per_user", 1...1_000_000, default: requestsPerMinutePerUser)
        pendingRequestsPerUser = fields.integer(
            "pending_requests_per_user", 1...1_000_000, default: pendingRequestsPerUser)
        pendingRequests = fields.integer("pending_requests", 1...1_000_000_000, default: pendingRequests)
        pollInterval = fields.integer("poll_interval", 1...60, default: pollInterval)
        longPollMaximum = fields.integer("long_poll_maximum", 0...300, default: longPollMaximum)
        bindingMessageAlphabet = fields.choice("binding_message_alphabet") ?? bindingMessageAlphabet
        expiredAsDenied = fields.bool("expired_as_denied", default: expiredAsDenied)
        requiresProofKey = fields.bool("require_proof_key", default: requiresProofKey)
        pushEnabled = fields.bool("push_enabled", default: pushEnabled)
        defaultAudience = fields.string("default_audience", limit: 600)
        managementRequestsPerMinute = fields.integer(
            "management_requests_per_minute", 1...1_000_000, default: managementRequestsPerMinute)
        refreshTokenLifetime = fields.integer(
            "refresh_token_lifetime", 60...31_557_600, default: refreshTokenLifetime)
        if let limits = fields.object("authorization_details_limits") {
            var read = AuthorizationDetails.Limits()
            read.bytes = limits.integer("bytes", 64...65_536, default: read.bytes)
            read.entries = limits.integer("entries", 1...100, default: read.entries)
            read.properties = limits.integer("properties", 1...1000, default: read.properties)
            read.nameLength = limits.integer("name_length", 1...1024, default: read.nameLength)
            read.valueLength = limits.integer("value_length", 1...65_536, default: read.valueLength)
            read.depth = limits.integer("depth", 1...16, default: read.depth)
            limits.finish()
            authorizationDetailsLimits = read
        }
        readLogin(fields)
        fields.finish()
    }

    /// Reads login settings.
    private mutating func readLogin(_ fields: DocumentFields) {
        sessionLifetime = fields.integer("session_lifetime", 60...31_557_600, default: sessionLifetime)
        sessionIdleLifetime = fields.integer("session_idle_lifetime", 60...31_557_600, default: sessionIdleLifetime)
        if sessionIdleLifetime > sessionLifetime {
            if fields.value("session_idle_lifetime") != nil {
                fields.problem("session_idle_lifetime", "must not be longer than session_lifetime, \(sessionLifetime)")
            }
            sessionIdleLifetime = sessionLifetime
        }
        loginsPerMinutePerAddress = fields.integer(
            "log_ins_per_minute_per_address", 1...1_000_000, default: loginsPerMinutePerAddress)
        clientTokensPerMinute = fields.integer(
            "client_tokens_per_minute", 1...1_000_000, default: clientTokensPerMinute)
        multiFactor = fields.choice("multi_factor") ?? multiFactor
        if let protection = fields.object("brute_force_protection") {
            var read = BruteForceProtection()
            read.attemptsPerAddress = protection.integer(
                "attempts_per_address", 1...1000, default: read.attemptsPerAddress)
            // Raised `attempts_per_address` raises this default.
            read.attemptsPerAddressInAll = protection.integer(
                "attempts_per_address_in_all", 1...100_000,
                default: max(read.attemptsPerAddressInAll, read.attemptsPerAddress))
            read.attemptsPerAccount = protection.integer(
                "attempts_per_account", 1...10_000, default: read.attemptsPerAccount)
            read.window = protection.integer("window", 60...604_800, default: read.window)
            protection.finish()
            bruteForceProtection = read
        }
        passwordMinimumLength = fields.integer("password_minimum_length", 8...64, default: passwordMinimumLength)
        verifiesEmails = fields.bool("verify_emails", default: verifiesEmails)
        linksVerifiedEmails = fields.bool("link_verified_emails", default: linksVerifiedEmails)
        allowedLogoutURLs = fields.redirects("allowed_logout_urls").map(\.description)
        links.support = fields.secureURL("support_url")
        links.privacy = fields.secureURL("privacy_url")
        links.terms = fields.secureURL("terms_url")
        defaultRedirectionURL = fields.secureURL("default_redirection_uri")
        if let look = fields.object("branding") {
            if let colour = look.string("primary_color", limit: 7)?.lowercased() {
                let digits = colour.utf8.dropFirst()
                if colour.first == "#", digits.count == 6,
                    digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
                {
                    branding.primaryColor = colour
                } else {
                    look.problem("primary_color", "must be # and six hexadecimal digits")
                }
            }
            branding.logoURL = look.secureURL("logo_url")
            look.finish()
        }
    }

    package var document: JSONObject {
        let limits = authorizationDetailsLimits
        var document: JSONObject = [
            "requests_per_minute_per_user": .number(JSONNumber(requestsPerMinutePerUser)),
            "pending_requests_per_user": .number(JSONNumber(pendingRequestsPerUser)),
            "pending_requests": .number(JSONNumber(pendingRequests)),
            "management_requests_per_minute": .number(JSONNumber(managementRequestsPerMinute)),
            "poll_interval": .number(JSONNumber(pollInterval)),
            "long_poll_maximum": .number(JSONNumber(longPollMaximum)),
            "binding_message_alphabet": .string(bindingMessageAlphabet.rawValue),
            "expired_as_denied": .bool(expiredAsDenied),
            "require_proof_key": .bool(requiresProofKey),
            "push_enabled": .bool(pushEnabled),
            "refresh_token_lifetime": .number(JSONNumber(refreshTokenLifetime)),
            "authorization_details_limits": [
                "bytes": .number(JSONNumber(limits.bytes)), "entries": .number(JSONNumber(limits.entries)),
                "properties": .number(JSONNumber(limits.properties)),
                "name_length": .number(JSONNumber(limits.nameLength)),
                "value_length": .number(JSONNumber(limits.valueLength)), "depth": .number(JSONNumber(limits.depth)),
            ],
        ]
        document["default_audience"] = defaultAudience.map(JSONValue.string)
        for (name, value) in loginDocument { document[name] = value }
        return document
    }
}

extension TenantSettings {
    fileprivate var loginDocument: JSONObject {
        var document: JSONObject = [
            "session_lifetime": .number(JSONNumber(sessionLifetime)),
            "session_idle_lifetime": .number(JSONNumber(sessionIdleLifetime)),
            "log_ins_per_minute_per_address": .number(JSONNumber(loginsPerMinutePerAddress)),
            "client_tokens_per_minute": .number(JSONNumber(clientTokensPerMinute)),
            "multi_factor": .string(multiFactor.rawValue),
            "brute_force_protection": [
                "attempts_per_address": .number(JSONNumber(bruteForceProtection.attemptsPerAddress)),
                "attempts_per_address_in_all": .number(JSONNumber(bruteForceProtection.attemptsPerAddressInAll)),
                "attempts_per_account": .number(JSONNumber(bruteForceProtection.attemptsPerAccount)),
                "window": .number(JSONNumber(bruteForceProtection.window)),
            ],
            "password_minimum_length": .number(JSONNumber(passwordMinimumLength)),
            "verify_emails": .bool(verifiesEmails),
            "link_verified_emails": .bool(linksVerifiedEmails),
        ]
        if !allowedLogoutURLs.isEmpty { document["allowed_logout_urls"] = JSONValue(allowedLogoutURLs) }
        document["support_url"] = links.support.map(JSONValue.string)
        document["privacy_url"] = links.privacy.map(JSONValue.string)
        document["terms_url"] = links.terms.map(JSONValue.string)
        document["default_redirection_uri"] = defaultRedirectionURL.map(JSONValue.string)
        if branding != Branding() {
            var look = JSONObject()
            look["primary_color"] = branding.primaryColor.map(JSONValue.string)
            look["logo_url"] = branding.logoURL.map(JSONValue.string)
            document["branding"] = .object(look)
        }
        return document
    }
}

extension Tenant {
    /// Reads a tenant without its objects. Nil if a problem leaves no tenant.
    package init?(_ fields: DocumentFields) {
        let id = fields.requiredString("id", limit: 64)
        let name = fields.requiredString("name")
        let host = fields.requiredString("host")
        let domains = fields.strings("custom_domains") ?? []
        let settings = fields.object("settings").map(TenantSettings.init) ?? TenantSettings()
        if let id, !id.utf8.allSatisfy({ Self.isNameByte($0) }) {
            fields.problem("id", "may hold a–z, 0–9, - and _")
        }
        var hosts: [String] = []
        for (place, text) in [("host", host)] + domains.map({ ("custom_domains", Optional($0)) }) {
            guard let text else { continue }
            guard Self.isAuthority(text) else {
                fields.problem(place, "\(text) is no host name with an optional port")
                continue
            }
            hosts.append(Tenant.normalized(authority: text))
        }
        guard let id, let name, !hosts.isEmpty else { return nil }
        self.init(id: TenantID(id), name: name, hosts: hosts, settings: settings)
    }

    package var document: JSONObject {
        var document: JSONObject = [
            "id": .string(id.rawValue), "name": .string(name), "host": .string(hosts.first ?? ""),
        ]
        if hosts.count > 1 { document["custom_domains"] = JSONValue(Array(hosts.dropFirst())) }
        document["settings"] = .object(settings.document)
        return document
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAuthority(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), !parts[0].isEmpty else { return false }
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), port > 0 else { return false }
        }
        return parts[0].utf8.allSatisfy { byte in
            isNameByte(byte | 0x20) || byte == UInt8(ascii: ".") || isNameByte(byte)
        }
    }
}
