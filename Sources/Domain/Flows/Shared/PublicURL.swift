import AuthorizationCore
import GuardianWire

/// Compares the URL that a device signed with the tenant's own URLs.
enum PublicURL {
    /// Path of the device API, and the empty one of legacy Guardian hosts.
    static let appliancePrefixes = [AppliancePath.base, ""]

    /// URL of a path at the tenant's first host, for advice to a device.
    static func example(_ tenant: Tenant, _ path: String) -> String { "https://\(tenant.hosts.first ?? "")\(path)" }

    /// True if `url` is one of the tenant's URLs of `path`, in any spelling.
    static func matches(_ url: String, tenant: Tenant, prefixes: [String], path: String) -> Bool {
        func leadsHere(_ url: String) -> Bool {
            tenant.hosts.contains { host in prefixes.contains { url == "https://\(host)\($0)\(path)" } }
        }
        // Most URLs have the published spelling.
        return leadsHere(url) || normalizedURL(url).map(leadsHere) ?? false
    }
}
