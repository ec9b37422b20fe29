import ApprovalWire
import Audit
import AuthorizationCore
import Flows
import GuardianWire
import JOSE
import Persistence
import Primitives
import TestSupport
import Testing

/// Logins that ask for a second factor.
extension LoginFixture {
    static func tenant(demanding policy: MultiFactorPolicy) -> Tenant {
        Samples.tenant {
            $0.settings.multiFactor = policy
            $0.settings.bruteForceProtection.attemptsPerAddress = 3
        }
    }

    /// Logs in with the password, up to the second factor.
    func pending(
        _ visitor: Visitor, _ changes: [String: String?] = [:]
    ) async throws -> LoginTransaction {
        let answer = try await enter(visitor, changes)
        #expect(answer.sessionCookie == nil, "one factor makes no session")
        return try answer.page
    }

    /// Answers the phone's latest notification.
    func decide(accept: Bool) async throws -> String {
        let requests = try await fixture.pendingStore.pending(
            user: UserID("auth0|ann"), tenant: tenant.id, after: 0, now: now, limit: 9)
        let sealed = try #require(requests.last)
        let request = try #require(
            try await fixture.vault.opened(sealed))
        let secrets = fixture.secrets
        let device = DeviceID("dev_one")
        let claims: JSONObject = [
            "iss": "PHONE-1",
            "sub": .string(secrets.challenge(of: request, device: device)),
            "aud": "https://dev.example/appliance-mfa/api/resolve-transaction",
            "iat": JSONValue(now.seconds), "exp": JSONValue(now.seconds + 30),
            "auth0_guardian_method": "push", "auth0_guardian_accepted": .bool(accept),
        ]
        let answer = try JWS.sign(JSONWriter.bytes(.object(claims)), type: "JWT", with: Keys.signer(.es256))
        try await fixture.resolve(
            "", answer, token: secrets.token(of: request, device: device))
        return request.record.bindingMessage
    }
}
