import Primitives

/// A browser's address at its push service, with the keys for messages (Push API 8, RFC 8291 2).
package struct WebPushSubscription: Sendable, Hashable {
    /// Bytes of an endpoint.
    package static let endpointLimit = 2048

    /// `https` URL that messages are posted to. It is a capability: its holder may send.
    package let endpoint: String
    /// The browser's P-256 public key, an uncompressed point of 65 bytes.
    package let publicKey: [UInt8]
    /// 16 bytes.
    package let authSecret: [UInt8]

    /// Reads the JSON text that `PushSubscription.toJSON` makes.
    package init(token: String) throws(GuardianWireFailure) {
        let value: JSONValue
        do { value = try JSONReader.parse(token) } catch {
            throw .invalid("push_credentials.token", expected: "a push subscription as JSON")
        }
        let members = try Members(value, path: "push_credentials.token")
        endpoint = try members.string("endpoint")
        guard endpoint.utf8.count <= Self.endpointLimit, endpoint.hasPrefix("https://"),
            endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalid(members.name("endpoint"), expected: "an https URL of at most 2048 bytes") }
        let keys = try members.members("keys")
        publicKey = try keys.base64URL("p256dh", 65...65)
        guard publicKey.first == 4 else {
            throw .invalid(keys.name("p256dh"), expected: "an uncompressed point of P-256")
        }
        authSecret = try keys.base64URL("auth", 16...16)
    }
}
