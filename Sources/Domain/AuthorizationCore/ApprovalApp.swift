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
        let isHost = parts[0].utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
        guard !parts[0].isEmpty, isHost, parts.count == 1 || UInt16(parts[1]) != nil else { return nil }
        self.text = text
        host = Tenant.normalized(authority: String(authority))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"#\\<>^`{|}".utf8.contains(byte)
    }
}
