import AuthorizationCore
import GuardianWire

/// Compares the URL that a device signed with those that lead here.
enum PublicURL {
    /// The appliance's path, and the bare one that legacy Guardian hosts use.
    static let appliancePrefixes = [AppliancePath.base, ""]

    /// How a device may spell an address: by the tenant's first host.
    static func example(_ tenant: Tenant, _ path: String) -> String { "https://\(tenant.hosts.first ?? "")\(path)" }

    /// Whether `url` is one of the tenant's own addresses of `path`, however it is spelt.
    static func matches(_ url: String, tenant: Tenant, prefixes: [String], path: String) -> Bool {
        func leadsHere(_ url: String) -> Bool {
            tenant.hosts.contains { host in prefixes.contains { url == "https://\(host)\($0)\(path)" } }
        }
        // Most are spelt as they were given out.
        return leadsHere(url) || normalizedURL(url).map(leadsHere) ?? false
    }
}
