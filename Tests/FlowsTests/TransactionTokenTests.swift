import ApprovalWire
import AuthorizationCore
@testable import Flows
import Primitives
import TestSupport
import Testing

@Suite("Transaction tokens")
struct TransactionTokenTests {
    private func secrets(_ byte: UInt8 = 5) -> GuardianTransactionTokens {
        GuardianTransactionTokens(key: SecretBytes([UInt8](repeating: byte, count: 32)), hashing: Samples.hashing)
    }

    private let digest = RequestDigest(Samples.hashing.sha256(utf8: "record"))
    private let consent = AuthReqIDHash(of: "x", Samples.hashing).consentID

    @Test("A token identifies its transaction to its issuer, the same every time")
    func roundTrip() {
        let token = secrets().token(
            tenant: TenantID("dev"), consent: consent, device: DeviceID("dev_1"), digest: digest)
        #expect(
            secrets().token(tenant: TenantID("dev"), consent: consent, device: DeviceID("dev_1"), digest: digest)
                == token)
        let named = secrets().transaction(of: token, tenant: TenantID("dev"))
        #expect(named?.consent == consent)
        #expect(named?.device == DeviceID("dev_1"))
    }

    @Test("Another key, tenant, device, request or record has another token and another challenge")
    func apart() {
        var seen: Set<String> = []
        for key: UInt8 in [5, 6] {
            for tenant in ["a", "ab"] {
                for device in ["bdev", "dev"] {
                    for consent in [consent, AuthReqIDHash(of: "y", Samples.hashing).consentID] {
                        for record in ["record", "another"] {
                            let made = secrets(key)
                            let tenant = TenantID(tenant)
                            let device = DeviceID(device)
                            let digest = RequestDigest(Samples.hashing.sha256(utf8: record))
                            seen.insert(made.token(tenant: tenant, consent: consent, device: device, digest: digest))
                            seen.insert(
                                made.challenge(tenant: tenant, consent: consent, device: device, digest: digest))
                        }
                    }
                }
            }
        }
        #expect(seen.count == 64)
    }

    @Test("A token changed in any character is invalid")
    func tampered() {
        let token = Array(
            secrets().token(tenant: TenantID("dev"), consent: consent, device: DeviceID("dev_1"), digest: digest).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == 0x41 ? 0x42 : 0x41
            let text = String(decoding: changed, as: UTF8.self)
            #expect(secrets().transaction(of: text, tenant: TenantID("dev")) == nil, "\(index)")
        }
        #expect(secrets(6).transaction(of: String(decoding: token, as: UTF8.self), tenant: TenantID("dev")) == nil)
        #expect(secrets().transaction(of: String(decoding: token, as: UTF8.self), tenant: TenantID("other")) == nil)
    }
}
