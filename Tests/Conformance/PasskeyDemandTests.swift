import AuthorizationCore
import GuardianWire
import HTTPModel
import Primitives
import Testing
import TestSupport

@Suite("Passkeys: demand")
struct PasskeyDemandTests {
    private static let details = #"[{"type":"payment"}]"#

    @Test("The strongest demand of tenant, API and type counts")
    func strongest() async throws {
        let demands: [(EvidenceDemand?, EvidenceDemand?, EvidenceDemand?)] = [
            (.passkey, nil, nil), (nil, .passkey, nil), (nil, nil, .passkey), (.passkey, .signedDigest, nil),
            (.signedDigest, .passkey, .signedDigest), (nil, .signedDigest, .passkey),
        ]
        for (tenant, api, type) in demands {
            let fixture = try await PasskeyFixture { setup in
                setup.tenant.settings.evidence = tenant
                setup.apis = [
                    try Samples.resourceServer(Samples.api) {
                        $0.evidence = api
                        $0.authorizationDetailsTypes[0].evidence = type
                    }
                ]
            }
            let notification = try await fixture.started(
                ["audience": Samples.api, "scope": "openid", "authorization_details": Self.details])
            let answer = try await fixture.decide(notification) { _ in nil }
            #expect(answer["errorCode"] == "passkey_required", "\(String(describing: (tenant, api, type)))")
            #expect(try await fixture.decide(notification).status == 204)
        }
    }

    @Test("A demand reaches a person without a passkey on a phone that makes one, which then allows the same request")
    func madeOnDemand() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false, capabilities: [.signedDigest, .passkeys])
        let id = try await fixture.client.started()
        let notification = try await fixture.phone.notification(of: id)
        #expect(try await fixture.decide(notification) { _ in nil }["errorCode"] == "passkey_required")
        #expect(try await fixture.options().mayRegister)
        #expect(try await fixture.register(fixture.authenticator).status == 204)
        #expect(try await fixture.decide(notification).status == 204)
        #expect(try await fixture.client.poll(id).status == 200)
    }

    /// Every demand, ability of a phone, passkey of its person and place where the tenant has people make one.
    @Test(
        "A demand reaches every phone that can meet it, and no other",
        arguments: [nil, EvidenceDemand.signedDigest, .passkey], DeviceCapabilities.all)
    func reaches(demand: EvidenceDemand?, phone: DeviceCapabilities) async throws {
        for place in PasskeyRegistrationPlace.allCases {
            for isRegistered in [false, true] {
                let fixture = try await PasskeyFixture(isRegistered: false, capabilities: phone.capabilities) {
                    $0.tenant.settings.evidence = demand
                    $0.tenant.settings.passkeyRegistration = place
                }
                if isRegistered { try await fixture.server.keepPasskey(of: fixture.phone.id) }
                let signs = phone.capabilities.contains(.signedDigest)
                let confirms = isRegistered || phone.capabilities.contains(.passkeys) && place == .phone
                let canMeet = demand == nil || signs && (demand != .passkey || confirms)
                let status = try await fixture.client.start().status
                #expect(status == (canMeet ? 200 : 400), "\(place) \(isRegistered)")
            }
        }
    }

    struct DeviceCapabilities: Sendable, CustomTestStringConvertible {
        let capabilities: [DeviceCapability]
        var testDescription: String { capabilities.map(\.rawValue).joined(separator: " ") }

        static let all = [[], [.signedDigest], [.passkeys], [.signedDigest, .passkeys]].map(Self.init)
    }

    @Test("A start says to a client whose person has no passkey that people make them on the account page alone")
    func accountOnly() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false, capabilities: [.signedDigest, .passkeys]) {
            $0.tenant.settings.evidence = .passkey
            $0.tenant.settings.passkeyRegistration = .account
        }
        expectError(
            try await fixture.client.start(), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: User has no passkey, which is demanded as "
                + "evidence and which people of this tenant make on the account page")
    }

    @Test("Phones without passkeys are not told, and the start says if there is none")
    func told() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false)
        expectError(
            try await fixture.client.start(), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: User has no device with a passkey, which is "
                + "demanded as evidence, and none that could make one")
        _ = try await InProcessPhone(identifier: "OTHER", capabilities: [.signedDigest], in: fixture.server)
        #expect(try await fixture.register(fixture.authenticator).status == 204)
        _ = try await fixture.client.started()
        #expect(try await fixture.server.database.count("delivery") == 1)
    }

    @Test("A phone that is enrolled again has no passkey any more")
    func enrolledAgain() async throws {
        let fixture = try await PasskeyFixture()
        _ = try await InProcessPhone(capabilities: [.signedDigest], in: fixture.server)
        #expect(try await fixture.client.start().status == 400)
    }
}
