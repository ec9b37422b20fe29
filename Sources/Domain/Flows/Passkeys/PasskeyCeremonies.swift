import ApprovalWire
import AuthorizationCore
import GuardianWire
import JOSE
import Primitives

/// The checks of WebAuthn Level 3, 7.1 and 7.2, that every use of passkeys shares.
package struct PasskeyCeremonies: Sendable {
    let challenges: PasskeyChallenges
    let authenticators: any PasskeyVerifier
    let keys: any Verifier
    let hashing: any Hashing

    /// Arguments of a registration (WebAuthn Level 3, 5.4). `passkeys` are all of the user's.
    func options(
        for purpose: PasskeyChallenges.Purpose, of user: User, _ passkeys: [OwnedPasskey], mayRegister: Bool,
        _ context: RequestContext
    ) -> PasskeyOptions {
        let tenant = context.tenant
        return PasskeyOptions(
            challenge: Base64URL.encode(challenges.challenge(for: purpose, tenant: tenant.id, at: context.now)),
            relyingParty: tenant.relyingParty,
            userID: Base64URL.encode(challenges.handle(of: user.id, with: passkeys, tenant: tenant.id)),
            userName: user.accountName,
            credentialIDs: passkeys.map(\.passkey).filter { $0.relyingParty == tenant.relyingParty }.map(\.id),
            mayRegister: mayRegister)
    }

    /// The passkey that an authenticator made for the page's host, and what uses the challenge up (7.1).
    func registered(
        _ registration: PasskeyRegistration, for purpose: PasskeyChallenges.Purpose, _ context: RequestContext
    ) throws(PasskeyFailure) -> (passkey: Passkey, challenge: UsedProof) {
        let client = try Self.client(registration.clientDataJSON, .registration)
        guard
            let challenge = challenges.proof(
                of: client.challenge, for: purpose, tenant: context.tenant.id, at: context.now)
        else {
            throw PasskeyFailure("the challenge must be one that was given here in the last five minutes")
        }
        let host = context.tenant.relyingParty
        guard context.tenant.isOrigin(client.origin, of: host) else {
            throw PasskeyFailure("the origin must be https://\(context.tenant.host)")
        }
        let passkey = try authenticators.passkey(
            attestationObject: registration.attestationObject,
            clientDataHash: hashing.sha256(registration.clientDataJSON), relyingParty: host)
        // Reading a stored key fails for some that libfido2 takes.
        guard (try? JWK(passkey.publicKey.json)) != nil, keys.isUsable(passkey.publicKey) else {
            throw PasskeyFailure("its key is not a point of its curve or no RSA key of 2048 bits")
        }
        return (passkey, challenge)
    }

    /// The client data of an assertion, whose challenge the caller checks.
    func asserted(_ assertion: PasskeyAssertion) throws(PasskeyFailure) -> PasskeyClientData {
        try Self.client(assertion.clientDataJSON, .assertion)
    }

    /// The count of an assertion that the passkey signed for a page of the tenant at the passkey's host (7.2).
    func use(
        of assertion: PasskeyAssertion, _ client: PasskeyClientData, by passkey: Passkey, at tenant: Tenant
    ) throws(PasskeyFailure) -> PasskeyUse {
        guard tenant.isOrigin(client.origin, of: passkey.relyingParty) else {
            throw PasskeyFailure("the origin must be a page of this tenant at \(passkey.relyingParty)")
        }
        let signCount = try authenticators.signCount(
            authenticatorData: assertion.authenticatorData, signature: assertion.signature,
            clientDataHash: hashing.sha256(assertion.clientDataJSON), by: passkey)
        guard passkey.allows(signCount: signCount) else { throw .countWentBack }
        return PasskeyUse(id: passkey.id, signCount: signCount)
    }

    private static func client(
        _ bytes: [UInt8], _ ceremony: PasskeyClientData.Ceremony
    ) throws(PasskeyFailure) -> PasskeyClientData {
        do { return try PasskeyClientData(parsing: bytes, of: ceremony) } catch {
            throw PasskeyFailure("\(error)")
        }
    }
}

extension PasskeyFailure {
    static let countWentBack = PasskeyFailure("its signature count must grow; the authenticator may have been copied")
}

extension Tenant {
    /// The name of the host that was called, which passkeys made there are bound to (WebAuthn Level 3, 4: RP ID).
    var relyingParty: String { Tenant.name(ofAuthority: host) }

    /// True if the origin is of a page of this tenant at that host, at any of its ports.
    func isOrigin(_ origin: String, of host: String) -> Bool {
        hosts.contains { Tenant.name(ofAuthority: $0) == host && origin == "https://\($0)" }
    }
}
