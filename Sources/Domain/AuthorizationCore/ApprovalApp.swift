/// App for approvals that the pages recommend to people who add a phone (Auth0: custom app of push notifications).
package struct ApprovalApp: Sendable, Equatable {
    package var name: String?
    package var icon: AppLink?
    /// Page from which iPhones get the app.
    package var apple: AppLink?
    /// Page from which Android phones get the app.
    package var google: AppLink?

    package init() {}

    package var isPresent: Bool { self != ApprovalApp() }
}

/// An `https` URL of a store or a picture. Stores of organizations are allowed, so pages show the host to people.
package struct AppLink: Sendable, Equatable {
    package let text: String
    /// Host and port, in lower case.
    package let host: String

    /// Nil for user information, a fragment, or characters that an address cannot contain (RFC 3986 clause 2).
    package init?(_ text: String) {
        let prefix = "https://"
        guard text.utf8.count <= 2048, text.hasPrefix(prefix), text.utf8.allSatisfy(Self.isAllowed) else { return nil }
        let authority = text.dropFirst(prefix.count).prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let labels = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard parts[0].utf8.count <= 253, labels.allSatisfy(Self.isLabel), parts.count == 1 || Self.isPort(parts[1])
        else { return nil }
        self.text = text
        host = Tenant.normalized(authority: String(authority))
    }

    /// A part of a host's name (RFC 1123 clause 2.1).
    private static func isLabel(_ text: Substring) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
            default: false
            }
        }
        return isPlain && (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
    }

    private static func isPort(_ text: Substring) -> Bool {
        text.utf8.count <= 5 && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text) != nil
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#\\<>^`{|}".utf8.contains(byte)
    }
}
