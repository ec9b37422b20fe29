import Primitives

/// Base of a tenant's device endpoints, computed from an app's domain as both Guardian SDKs do.
package struct ApplianceBase: Sendable, Hashable {
    /// The base of the device API, without a slash at its end: `https://tenant.example/appliance-mfa`.
    package let url: String
    /// The base of the consent API: `https://tenant.example/rich-consents`.
    package let consentURL: String

    /// Takes a host, a host with a port, an `https` URL, or an `http` URL of this machine. Nil for anything else. A URL
    /// whose path ends in `appliance-mfa` is not extended. Hosts of Auth0's former Guardian service have no such path.
    package init?(_ domainOrURL: String) {
        let text = domainOrURL.contains("://") ? domainOrURL : "https://" + domainOrURL
        guard var parts = URLParts(text), parts.query == nil else { return nil }
        // Tokens and consents cross no network in the clear.
        guard parts.scheme == "https" || isLoopbackHost(parts.host) else { return nil }
        while parts.path.hasSuffix("/") { parts.path.removeLast() }
        var consent = parts
        if parts.path.hasSuffix(AppliancePath.base) {
            consent.path.removeLast(AppliancePath.base.count)
        } else if !Self.isLegacyHost(parts.host) {
            parts.path += AppliancePath.base
        }
        if let range = consent.host.firstRange(of: ".guardian"), consent.host.hasSuffix(".auth0.com") {
            consent.host.removeSubrange(range)
        }
        url = parts.text
        consentURL = consent.text + AppliancePath.richConsents
    }

    /// `guardian.auth0.com` and `guardian.REGION.auth0.com`, and names that end in them.
    private static func isLegacyHost(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.suffix(2) == ["auth0", "com"] else { return false }
        return labels.dropLast(2).suffix(2).contains("guardian")
    }

    package var enroll: String { url + AppliancePath.enroll.rawValue }
    package var resolveTransaction: String { url + AppliancePath.resolveTransaction.rawValue }
    /// URL of the device accounts, also the audience of a token that a device signs for its own.
    package var deviceAccounts: String { url + AppliancePath.deviceAccounts.rawValue }
    /// URL of the device channel, also the audience of the token that opens it.
    package var notifications: String { url + AppliancePath.notifications.rawValue }

    package func deviceAccount(_ enrollmentID: String) -> String {
        deviceAccounts + "/" + PercentEncoding.encode(enrollmentID)
    }

    /// URL of a receipt for that enrolment's user. Additional to Guardian's URLs.
    package func receipt(_ requestID: String, for enrollmentID: String) -> String {
        deviceAccount(enrollmentID) + "/receipts/" + PercentEncoding.encode(requestID)
    }

    package func richConsent(_ consentID: String) -> String { consentURL + "/" + PercentEncoding.encode(consentID) }
}

/// Normal form, equal for all spellings of one URL: lower-case scheme and host, no default port, no slash at the end,
/// no query and no fragment (RFC 3986 clause 6.2). Servers compare `aud` and `htu` in it. Nil for any text but an
/// `http` or `https` URL.
package func normalizedURL(_ url: String) -> String? {
    guard var parts = URLParts(url) else { return nil }
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    return parts.text
}

/// Parts of an absolute `http` or `https` URL.
struct URLParts {
    var scheme: String
    var host: String
    var port: Int?
    var path: String
    var query: String?

    init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[colon...].starts(with: "://".utf8)
        else { return nil }
        scheme = text[..<colon].lowercased()
        guard scheme == "https" || scheme == "http" else { return nil }
        var rest = text.utf8[colon...].dropFirst(3)
        if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        if let question = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[question...].dropFirst()))
            rest = rest[..<question]
        }
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        path = String(Substring(rest[end...]))
        guard let (host, port) = Self.authority(rest[..<end]) else { return nil }
        self.host = host
        self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    }

    /// Host and port. Nil with user information, which a base URL must not have.
    private static func authority(_ text: Substring.UTF8View) -> (String, Int?)? {
        guard !text.contains(UInt8(ascii: "@")) else { return nil }
        let isBracketed = text.first == UInt8(ascii: "[")
        let close = isBracketed ? text.firstIndex(of: UInt8(ascii: "]")) : nil
        guard isBracketed == (close != nil) else { return nil }
        let end = text[(close ?? text.startIndex)...].firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let host = text[..<end]
        guard !host.isEmpty, !isBracketed || host.last == UInt8(ascii: "]") else { return nil }
        let port = Substring(text[end...].dropFirst())
        if port.isEmpty { return (Substring(host).lowercased(), nil) }
        guard let number = UInt16(port) else { return nil }
        return (Substring(host).lowercased(), Int(number))
    }

    /// Scheme, host, port and path, without the query.
    var text: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)" }
}
