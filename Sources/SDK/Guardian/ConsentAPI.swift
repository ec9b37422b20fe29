import Foundation
import GuardianWire
import HTTPModel

/// Fetches the consent records of transactions that have one.
public struct ConsentAPI: Sendable {
    let server: Server

    /// Fetches what the user is asked to consent to.
    ///
    /// - Parameters:
    ///   - consentId: the notification's ``Notification/transactionLinkingId``
    ///   - transactionToken: the notification's ``Notification/transactionToken``
    ///   - signingKey: the enrolled key, which proves that the token is in the right hands
    public func fetch(
        consentId: String, transactionToken: String, signingKey: any SigningKey
    ) -> Request<Consent> {
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
            Consent(try ConsentRecord(parsing: try response.json()))
        }
    }

    /// ``fetch(consentId:transactionToken:signingKey:)`` under its documented name.
    public func fetch(
        consentId: String, notificationToken: String, signingKey: any SigningKey
    ) -> Request<Consent> {
        fetch(consentId: consentId, transactionToken: notificationToken, signingKey: signingKey)
    }
}

/// Fetches consent records with one device's key.
public struct DeviceConsentAPI: Sendable {
    let consent: ConsentAPI
    let device: any AuthenticationDevice

    /// Fetches what the user is asked to consent to.
    ///
    /// - Parameters:
    ///   - consentId: the notification's ``Notification/transactionLinkingId``
    ///   - notificationToken: the notification's ``Notification/transactionToken``
    public func fetch(consentId: String, notificationToken: String) -> Request<Consent> {
        consent.fetch(
            consentId: consentId, transactionToken: notificationToken, signingKey: device.signingKey)
    }
}
