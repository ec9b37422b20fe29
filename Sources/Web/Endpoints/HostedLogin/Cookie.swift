import HTTPModel
import Primitives

/// The cookies of the hosted login (RFC 6265). Their prefix has browsers take them from this host alone and over TLS
/// alone, so that no sibling domain can plant one (RFC 9700 clause 4.7).
struct Cookie: Sendable {
    /// The browser's session.
    static let session = Cookie(name: "__Host-countersign")
    /// Binds login transactions and forms to the browser they began in.
    static let binding = Cookie(name: "__Host-countersign-browser")

    /// Proves to one login transaction that its user authenticated in this browser. Each transaction has its own, so
    /// that logins in two tabs do not interfere.
    static func proof(of transaction: String, _ hashing: any Hashing) -> Cookie {
        let hash = hashing.sha256(Array(transaction.utf8))
        return Cookie(name: "__Host-countersign-login-\(Hex.encode(hash.prefix(8)))")
    }

    private let name: String

    /// The value that the browser sent. Ignores repeated cookies, which only an attack or a fault produces.
    func value(in fields: HTTPFields) -> String? {
        var found: Substring?
        for header in fields.values(of: "Cookie") {
            for pair in header.split(separator: ";") {
                let pair = pair.drop { $0 == " " }
                guard pair.hasPrefix(name + "=") else { continue }
                guard found == nil else { return nil }
                found = pair.dropFirst(name.utf8.count + 1)
            }
        }
        guard let found, !found.isEmpty, found.utf8.count <= 128 else { return nil }
        return String(found)
    }

    /// The value of `Set-Cookie`. `lifetime` is in seconds; nil lets the browser delete the cookie when it closes.
    func setting(_ value: String, lifetime: Int?) -> String {
        var text = "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Lax"
        if let lifetime { text += "; Max-Age=\(lifetime)" }
        return text
    }

    var removal: String { setting("", lifetime: 0) }
}
