import Primitives

/// The client data that an authenticator signs (WebAuthn Level 2, 5.8.1), as JSON of the browser.
package struct PasskeyClientData: Sendable, Equatable {
    package enum Ceremony: String, Sendable {
        case registration = "webauthn.create"
        case assertion = "webauthn.get"
    }

    package let challenge: [UInt8]
    /// Origin of the page that asked, as the browser spells it.
    package let origin: String

    /// Throws for client data of another ceremony, and for a page within one of another origin.
    package init(parsing bytes: [UInt8], of ceremony: Ceremony) throws(ApprovalFailure) {
        // WebAuthn Level 2, 7.1 step 5 and 7.2 step 9: the text is the result of "UTF-8 decode", which drops the mark.
        let members = try ApprovalMembers(parsing: Array(bytes.withoutByteOrderMark), path: "client_data_json")
        guard try members.string("type").hasSameBytes(as: ceremony.rawValue) else {
            throw .invalid(members.name("type"), expected: ceremony.rawValue)
        }
        guard let challenge = Base64URL.decode(try members.string("challenge")) else {
            throw .invalid(members.name("challenge"), expected: "base64url without padding")
        }
        self.challenge = challenge
        origin = try members.string("origin")
        guard try members.optionalFlag("crossOrigin") != true else {
            throw .invalid(members.name("crossOrigin"), expected: "false")
        }
    }

    /// True if the page was of this host, by https and at any port.
    package func isOf(host: String) -> Bool {
        let secure = "https://\(host)"
        guard origin.utf8.starts(with: secure.utf8) else { return false }
        let port = origin.utf8.dropFirst(secure.utf8.count)
        return port.isEmpty
            || port.first == UInt8(ascii: ":") && port.count > 1
                && port.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }
}

/// The beginning of what an authenticator signs (WebAuthn Level 2, 6.1).
struct PasskeyAuthenticatorData {
    /// SHA-256 of the relying party's id.
    let relyingPartyHash: [UInt8]
    private let flags: UInt8

    /// Nil if `bytes` are too short.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 37 else { return nil }
        relyingPartyHash = Array(bytes.prefix(32))
        flags = bytes[32]
    }

    /// The user was present, and was verified.
    var isUserVerified: Bool { flags & 0x05 == 0x05 }
}
