import GuardianWire

/// Limits of the texts that a device sends about itself, which are stored, logged and shown to people.
enum DeviceDescription {
    /// Bytes of the identifier and of the name.
    static let textRange = 1...128
    /// Bytes of a push token; Firebase's are the longest.
    static let pushTokenLimit = 4096

    /// Checks the values that are not nil.
    static func check(identifier: String?, name: String?, push: PushCredentials?) throws(DeviceFailure) {
        for text in [identifier, name].compactMap(\.self) {
            guard textRange.contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw refused("identifier and name must have 1 to 128 bytes and no control characters")
            }
        }
        guard (push?.token.utf8.count ?? 0) <= pushTokenLimit else {
            throw refused("push_credentials.token must have at most \(pushTokenLimit) bytes")
        }
    }

    private static func refused(_ text: String) -> DeviceFailure { .invalidBody(text) }
}
