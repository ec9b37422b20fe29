package import Primitives

/// The answer of `navigator.credentials.get` (WebAuthn Level 3, 5.2.2), each member in base64url.
package struct PasskeyAssertion: Sendable, Equatable {
    /// Bytes of a credential id (WebAuthn 4).
    package static let credentialIDRange = 16...1023
    /// Bytes of each other member.
    package static let memberLimit = 8192

    package var credentialID: [UInt8]
    /// JSON, exactly as the browser signed it.
    package var clientDataJSON: [UInt8]
    package var authenticatorData: [UInt8]
    package var signature: [UInt8]

    package init(credentialID: [UInt8], clientDataJSON: [UInt8], authenticatorData: [UInt8], signature: [UInt8]) {
        self.credentialID = credentialID
        self.clientDataJSON = clientDataJSON
        self.authenticatorData = authenticatorData
        self.signature = signature
    }

    init(_ members: Members) throws(GuardianWireFailure) {
        credentialID = try members.base64URL("credential_id", Self.credentialIDRange)
        clientDataJSON = try members.base64URL("client_data_json", 1...Self.memberLimit)
        authenticatorData = try members.base64URL("authenticator_data", 1...Self.memberLimit)
        signature = try members.base64URL("signature", 1...Self.memberLimit)
    }

    package func write(to writer: inout JSONWriter) {
        writer.member("credential_id", Base64URL.encode(credentialID))
        writer.member("client_data_json", Base64URL.encode(clientDataJSON))
        writer.member("authenticator_data", Base64URL.encode(authenticatorData))
        writer.member("signature", Base64URL.encode(signature))
    }
}

extension Members {
    func base64URL(_ member: String, _ range: ClosedRange<Int>) throws(GuardianWireFailure) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(member)), range.contains(bytes.count) else {
            throw .invalid(
                name(member), expected: "\(range.lowerBound) to \(range.upperBound) bytes in base64url without padding")
        }
        return bytes
    }
}
