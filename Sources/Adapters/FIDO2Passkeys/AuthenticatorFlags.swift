import AuthorizationCore

/// Flags of authenticator data (WebAuthn Level 3, 6.1).
struct AuthenticatorFlags: OptionSet {
    let rawValue: UInt8

    static let backupEligible = AuthenticatorFlags(rawValue: 0x08)
    static let backedUp = AuthenticatorFlags(rawValue: 0x10)
    static let attestedCredential = AuthenticatorFlags(rawValue: 0x40)
    static let extensions = AuthenticatorFlags(rawValue: 0x80)

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nil for data that end before the flags.
    init?(_ data: [UInt8]) {
        guard data.count > 32 else { return nil }
        rawValue = data[32]
    }

    /// Checks the flags against each other and against the items at the end of the data. Throws a failure for each rule.
    func check(extensions items: ArraySlice<CBORItem>) throws(PasskeyFailure) {
        // WebAuthn Level 3, 7.1 and 7.2: "If the BE bit of the flags in authData is not set, verify that the BS bit is not set."
        guard contains(.backupEligible) || !contains(.backedUp) else {
            throw PasskeyFailure("the flags say that the passkey is backed up (BS), but not that it may be (BE)")
        }
        // 6.1: extension data, one CBOR map, are there if and only if the flag says so.
        guard contains(.extensions) else {
            guard items.isEmpty else {
                throw PasskeyFailure("the authenticator data have more bytes than their flags announce")
            }
            return
        }
        guard items.elementsEqual([.map]) else {
            throw PasskeyFailure("the flags announce extension data (ED), which must follow as one CBOR map")
        }
    }
}
