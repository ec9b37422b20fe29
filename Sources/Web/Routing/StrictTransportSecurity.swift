import HTTPModel
import Primitives

/// Tells browsers to use TLS alone, and to accept no wrong certificate (RFC 6797).
///
/// Browsers apply the policy to all ports of a host name. So `localhost` gets none: one development server would have
/// browsers ask for all other projects there by https. Addresses get none, because browsers ignore it for them (clause
/// 8.1.1).
package struct StrictTransportSecurity: Sendable {
    private let value: String

    /// Nil for a time under a second, which turns it off.
    package init?(maxAge: Duration) {
        guard maxAge >= .seconds(1) else { return nil }
        value = "max-age=\(maxAge.components.seconds)"
    }

    func add(to response: inout Response, for request: Request) {
        guard let host = request.fields["Host"], Self.isOwnName(host) else { return }
        response.fields.append("Strict-Transport-Security", value)
    }

    /// False for addresses and for names that every machine has.
    private static func isOwnName(_ authority: String) -> Bool {
        var name = authority.prefix { $0 != ":" }.lowercased()
        // A dot at the end changes nothing about the name.
        if name.hasSuffix(".") { name.removeLast() }
        return !name.hasPrefix("[") && IPAddress(name) == nil && name != "localhost" && !name.hasSuffix(".localhost")
    }
}
