public import AuthorizationCore
import OAuthWire
public import Primitives

extension TenantSettings {
    /// Reads settings; absent ones have their defaults.
    init(_ fields: DocumentFields) {
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
        pushEnabled = fields.bool("push_enabled", default: pushEnabled)
        defaultAudience = fields.string("default_audience", limit: 600)
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
        fields.finish()
    }

    var document: JSONObject {
        let limits = authorizationDetailsLimits
        var document: JSONObject = [
            "requests_per_minute_per_user": .number(JSONNumber(requestsPerMinutePerUser)),
            "pending_requests_per_user": .number(JSONNumber(pendingRequestsPerUser)),
            "pending_requests": .number(JSONNumber(pendingRequests)),
            "poll_interval": .number(JSONNumber(pollInterval)),
            "long_poll_maximum": .number(JSONNumber(longPollMaximum)),
            "binding_message_alphabet": .string(bindingMessageAlphabet.rawValue),
            "expired_as_denied": .bool(expiredAsDenied),
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
        return document
    }
}

extension Tenant {
    /// Reads a tenant without what belongs to it. Nil where a problem was noted that leaves no tenant.
    init?(_ fields: DocumentFields) {
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

    public var document: JSONObject {
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
