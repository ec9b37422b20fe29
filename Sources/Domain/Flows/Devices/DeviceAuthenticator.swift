import Audit
package import AuthorizationCore
package import GuardianWire
import JOSE
import Primitives

package struct AuthenticatedDevice: Sendable {
    package let device: Device
    /// False for the opaque token, which proves no key and never expires.
    package let provedKey: Bool

    fileprivate init(device: Device, provedKey: Bool) {
        self.device = device
        self.provedKey = provedKey
    }
}

/// Authenticates devices by a token signed with their enrolled key, or by the opaque one that enrolling returned
/// (deprecated by Guardian, but its SDKs still offer it).
package struct DeviceAuthenticator: Sendable {
    let store: any EnrollmentStore
    let verifier: any Verifier
    let hashing: any Hashing

    /// `id` is the device that the path names. Nil takes it from the token. `path` is the one that the signed token's
    /// `aud` must name. Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func authenticate(
        bearer token: String, as id: DeviceID?, at path: AppliancePath, context: RequestContext
    ) async throws -> AuthenticatedDevice {
        let (tenant, now) = (context.tenant, context.now)
        guard let jws = try? JWS(parsing: token) else {
            return try await authenticate(opaque: token, as: id, tenant: tenant)
        }
        guard let issuer = jws.unverifiedClaims?["iss"]?.stringValue, id == nil || id?.rawValue == issuer else {
            throw DeviceFailure.invalidToken("iss is another device")
        }
        guard let enrolled = try await store.device(DeviceID(issuer), tenant: tenant.id) else {
            throw DeviceFailure.enrollmentNotFound
        }
        let device = enrolled.device
        let payload: [UInt8]
        do {
            payload = try jws.verified(
                by: device.publicKey, allowed: ResolveBackchannelRequest.algorithms, using: verifier)
        } catch { throw DeviceFailure.invalidToken("signature: \(error)", advice: DeviceAdvice.text(for: error)) }
        // The device signed the token, so it may learn which check failed.
        func advised(_ advice: String) -> DeviceFailure { .invalidToken(advice, advice: advice) }
        guard let claims = Claims(payload: payload) else { throw advised("the payload must be a JSON object") }
        let read: DeviceToken
        do { read = try DeviceToken(claims) } catch { throw advised("\(error)") }
        var policy = VerificationPolicy()
        policy.types = ["JWT"]
        policy.subject = device.user.rawValue
        policy.maximumLifetime = DeviceToken.lifetime + .seconds(1)
        do { try policy.check(claims, type: jws.type, now: now) } catch {
            throw advised(DeviceAdvice.text(for: error, of: claims, policy: policy, now: now))
        }
        guard
            PublicURL.matches(read.audience, tenant: tenant, prefixes: PublicURL.appliancePrefixes, path: path.rawValue)
        else {
            throw advised("aud must be \(PublicURL.example(tenant, PublicURL.appliancePrefixes[0] + path.rawValue))")
        }
        let admitted = try Self.admitted(enrolled, provedKey: true)
        // The phone has its key after all: somebody else sent its farewell, or a backup came back.
        if device.keyLostAt != nil {
            let event = context.event(
                .deviceUpdated, charge: .once(.device), user: device.user, device: device.id,
                details: ["changed": ["key"]])
            _ = try await store.regainKey(of: device.id, tenant: device.tenant, event: event)
        }
        return admitted
    }

    private static func admitted(
        _ enrolled: EnrolledDevice, provedKey: Bool
    ) throws(DeviceFailure) -> AuthenticatedDevice {
        guard !enrolled.isUserBlocked else { throw .userBlocked }
        return AuthenticatedDevice(device: enrolled.device, provedKey: provedKey)
    }

    /// False if the device was removed or its user blocked after it authenticated.
    package func isAdmitted(_ authenticated: AuthenticatedDevice) async throws -> Bool {
        let device = authenticated.device
        return try await store.device(device.id, tenant: device.tenant)?.isUserBlocked == false
    }

    private func authenticate(opaque token: String, as id: DeviceID?, tenant: Tenant) async throws
        -> AuthenticatedDevice
    {
        guard let id else { throw DeviceFailure.invalidToken("an opaque token names no device") }
        guard let enrolled = try await store.device(id, tenant: tenant.id) else {
            throw DeviceFailure.enrollmentNotFound
        }
        guard constantTimeEquals(enrolled.tokenHash, hashing.sha256(Array(token.utf8))) else {
            throw DeviceFailure.invalidToken("another opaque token")
        }
        return try Self.admitted(enrolled, provedKey: false)
    }
}
