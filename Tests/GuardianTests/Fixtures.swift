import Foundation
@testable import Guardian
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import Primitives

enum Fixtures {
    static let now = Timestamp(seconds: 1_795_168_800)

    static func configuration(_ transport: ScriptedTransport) -> GuardianConfiguration {
        var configuration = GuardianConfiguration(transport: transport)
        configuration.now = { Date(now) }
        configuration.jitter = { 0 }
        return configuration
    }

    static let payload = NotificationPayload(
        enrollmentID: "dev_1", transactionToken: "tx-token", transactionLinkingID: "cns_1", challenge: "chl",
        date: now, host: "id.example.org")

    static func device(_ key: any SigningKey) -> EnrolledDevice {
        EnrolledDevice(
            id: "dev_1", userId: "auth0|1", deviceToken: "t", notificationToken: nil, signingKey: key,
            localIdentifier: "6F0C")
    }

    /// The header and claims of a JWT whose signature fits the key.
    static func verified(_ token: String, by key: any SigningKey) throws -> (header: JSONObject, claims: Claims) {
        let jws = try JWS(parsing: token)
        let payload = try jws.verified(
            by: try key.verificationKey().key, allowed: [.es256, .rs256], using: OpenSSLVerifier())
        return (jws.header, Claims(try JSONReader.parse(payload).objectValue ?? [:]))
    }
}
