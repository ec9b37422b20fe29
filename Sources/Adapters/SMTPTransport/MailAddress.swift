/// A mail address that SMTP takes (RFC 5321 clause 4.1.2) without quoting. Nothing in it can end a command or a header.
package struct MailAddress: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Nil unless the text is printable ASCII with one `@` between a name and a domain.
    package init?(_ text: String) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard text.utf8.count <= 254, parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.contains(where: { "<>()[]\\,;:\"".contains($0) })
        else { return nil }
        description = text
    }

    /// A sender on this machine, for mails that stay on it.
    package init(localPart: StaticString) { description = "\(localPart)@localhost" }

    /// Part after the `@`.
    package var domain: String { String(description.split(separator: "@").last ?? "") }
}
