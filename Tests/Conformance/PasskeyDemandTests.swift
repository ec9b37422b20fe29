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

    @Test("Only phones with a passkey are told, and the start says if there is none")
    func told() async throws {
        let fixture = try await PasskeyFixture(isRegistered: false)
        expectError(
            try await fixture.client.start(), 400, "invalid_request",
            "No eligible notification channels were found. guardian-push: User has no device with a passkey, which is "
                + "demanded as evidence")
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
