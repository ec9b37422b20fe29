import Primitives

/// A phone's abilities beyond Guardian's wire format. Phones name them in the member `capabilities`, which Guardian's
/// own apps do not send.
package enum DeviceCapability: String, Sendable, CaseIterable {
    /// Answers sign the digest of the request that they decide.
    case signedDigest = "signed-digest"
    /// Shows the numbers of a request, and signs the one that the person picks.
    case numberMatching = "number-matching"
    /// Makes and uses passkeys.
    case passkeys
    /// Has a field for the number of a request, and signs the one that the person types.
    case numberTyping = "number-typing"
    /// Shows one-time passwords of the secret that it got at its enrolment.
    case oneTimeCode = "one-time-code"

    static func write(_ capabilities: Set<DeviceCapability>, to writer: inout JSONWriter) {
        writer.member("capabilities", allCases.filter(capabilities.contains).map(\.rawValue))
    }
}

extension Members {
    /// Unknown capabilities are ignored, because later phones have more. Nil if the member is absent or null.
    func capabilities() throws(GuardianWireFailure) -> Set<DeviceCapability>? {
        guard value("capabilities") != nil else { return nil }
        let texts = try strings("capabilities")
        guard texts.count <= 16, texts.allSatisfy({ $0.utf8.count <= 64 }) else {
            throw .invalid(name("capabilities"), expected: "a list of at most 16 strings of at most 64 bytes")
        }
        return Set(texts.compactMap(DeviceCapability.init(rawValue:)))
    }
}
