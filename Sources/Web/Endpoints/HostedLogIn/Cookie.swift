import HTTPModel

/// The cookies of the hosted log-in (RFC 6265). Their prefix has browsers take them from this host alone and over TLS
/// alone, so that no sibling domain can plant one (RFC 9700 clause 4.7).
enum Cookie: String {
    /// The browser's session.
    case session = "__Host-countersign"
    /// Binds log-in transactions and forms to the browser they began in.
    case binding = "__Host-countersign-browser"

    /// What the browser sent. Two of that name can only come of an attack or a fault: then neither counts.
    func value(in fields: HTTPFields) -> String? {
        var found: Substring?
        for header in fields.values(of: "Cookie") {
            for pair in header.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                guard pair.hasPrefix(rawValue + "=") else { continue }
                guard found == nil else { return nil }
                found = pair.dropFirst(rawValue.utf8.count + 1)
            }
        }
        guard let found, !found.isEmpty, found.utf8.count <= 128 else { return nil }
        return String(found)
    }

    /// The value of `Set-Cookie`. `lifetime` is in seconds; nil lets the browser forget it when it closes.
    func setting(_ value: String, lifetime: Int?) -> String {
        var text = "\(rawValue)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax"
        if let lifetime { text += "; Max-Age=\(lifetime)" }
        return text
    }

    var removal: String { setting("", lifetime: 0) }
}
