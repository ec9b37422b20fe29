import Foundation
import GuardianWire
import HTTPModel

/// Fetches the consent records of transactions that have one.
public struct ConsentAPI: Sendable {
    let server: Server

    /// Fetches the request that the user should consent to.
    ///
    /// - Parameters:
    ///   - consentId: ``Notification/transactionLinkingId`` of the notification.
    ///   - transactionToken: ``Notification/transactionToken`` of the notification.
    ///   - signingKey: The enrolled key, which proves that this device may use the token.
    public func fetch(consentId: String, transactionToken: String, signingKey: any SigningKey) -> Request<Consent> {
        Request(.get, server.described { $0.richConsent(consentId) }, on: server) { [server] in
            let url = try server.base().richConsent(consentId)
            let proof = DPoPProof(
                url: url, accessToken: transactionToken, identifier: UUID().uuidString,
                issuedAt: server.configuration.timestamp, hashing: platformHashing)
            var request = server.request(.get, url, authorization: "\(DPoPProof.scheme) \(transactionToken)")
            do { request.fields.append(DPoPProof.scheme, try proof.signed(by: try KeySigner(signingKey))) } catch {
                throw GuardianError(.cannotSignProof, cause: error)
            }
            return request
        } decode: { response in
            try Consent(try ConsentRecord(parsing: try response.json()))
        }
    }

    /// An alias of ``fetch(consentId:transactionToken:signingKey:)`` with the documented name.
    public func fetch(consentId: String, notificationToken: String, signingKey: any SigningKey) -> Request<Consent> {
        fetch(consentId: consentId, transactionToken: notificationToken, signingKey: signingKey)
    }
}

/// Fetches consent records with one device's key.
public struct DeviceConsentAPI: Sendable {
    let consent: ConsentAPI
    let device: any AuthenticationDevice

    /// Fetches the request that the user should consent to.
    ///
    /// - Parameters:
    ///   - consentId: ``Notification/transactionLinkingId`` of the notification.
    ///   - notificationToken: ``Notification/transactionToken`` of the notification.
    public func fetch(consentId: String, notificationToken: String) -> Request<Consent> {
        consent.fetch(consentId: consentId, transactionToken: notificationToken, signingKey: device.signingKey)
    }
}
