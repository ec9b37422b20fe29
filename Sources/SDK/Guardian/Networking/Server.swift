import Foundation
import GuardianWire
import HTTPModel

/// A server and the settings to reach it. An invalid domain makes each request fail when it is started.
struct Server: Sendable {
    let domain: String
    let configuration: GuardianConfiguration

    func base() throws(GuardianError) -> ApplianceBase {
        guard let base = ApplianceBase(domain) else { throw GuardianError(.invalidDomain) }
        return base
    }

    /// A URL for descriptions, even if the domain is invalid.
    func described(_ url: (ApplianceBase) -> String) -> String { ApplianceBase(domain).map(url) ?? domain }

    func request(_ method: HTTPMethod, _ url: String, authorization: String, json: [UInt8]? = nil) -> ClientRequest {
        var fields: HTTPFields = ["Accept": "application/json", "Authorization": authorization]
        fields.append(Auth0ClientHeader.fieldName, configuration.clientHeader)
        if json != nil { fields.append("Content-Type", "application/json") }
        return ClientRequest(method: method, url: url, fields: fields, body: json)
    }

    /// A JWT that authenticates a device for one audience, valid for two hours.
    func deviceToken(
        enrollmentId: String, userId: String, audience: String, signingKey: any SigningKey
    ) throws -> String {
        let claims = DeviceToken(
            enrollmentID: enrollmentId, userID: userId, audience: audience, issuedAt: configuration.timestamp)
        return try KeySigner(signingKey).jwt(claims.payload, failure: .cannotSignToken)
    }
}
