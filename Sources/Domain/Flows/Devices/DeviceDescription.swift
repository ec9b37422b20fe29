import GuardianWire
import HTTPModel
import JOSE
import OAuthWire

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
        if let push, missingValues.contains(push.token) {
            throw refused(
                "push_credentials.token is the text of a missing value; enrol without push_credentials until the "
                    + "push service gave a token")
        }
    }

    /// Texts into which languages turn a value that is missing.
    private static let missingValues: Set = ["(null)", "<null>", "null", "nil", "undefined"]

    /// Checks the parts of a subscription that cost the server work: a connection, and a key that it computes with.
    static func check(
        _ push: PushCredentials?, outgoing: OutgoingPolicy, verifier: any Verifier
    ) throws(DeviceFailure) {
        guard let push, push.service == .webPush else { return }
        guard let subscription = try? WebPushSubscription(token: push.token),
            let origin = WebOrigin(ofSecureURL: subscription.endpoint)
        else { throw refused("push_credentials.token must be a push subscription with an https endpoint") }
        guard outgoing.mayAllow(host: origin.host) else {
            throw refused("push_credentials.token: this server opens no connection to the endpoint's host")
        }
        let point = subscription.publicKey
        guard verifier.isUsable(JWK(material: .ec(curve: .p256, x: Array(point[1...32]), y: Array(point[33...]))))
        else { throw refused("push_credentials.token: p256dh is not a point of P-256") }
    }

    private static func refused(_ text: String) -> DeviceFailure { .invalidBody(text) }
}
