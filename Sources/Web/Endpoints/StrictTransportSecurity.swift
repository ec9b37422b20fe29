import HTTPModel
import Primitives

/// Tells browsers to come by TLS alone, and not to let anybody past a certificate that is wrong (RFC 6797).
///
/// Browsers keep that for a host name with all its ports, so the names that every machine has are left out: one
/// development server would have all other projects on `localhost` asked for by https. So are addresses, for which
/// browsers ignore it (clause 8.1.1).
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

    /// Whether the host is called by a name that is its own.
    private static func isOwnName(_ authority: String) -> Bool {
        var name = authority.prefix { $0 != ":" }.lowercased()
        // A name may end in a dot, which changes nothing of what it names.
        if name.hasSuffix(".") { name.removeLast() }
        return !name.hasPrefix("[") && IPAddress(name) == nil && name != "localhost" && !name.hasSuffix(".localhost")
    }
}
