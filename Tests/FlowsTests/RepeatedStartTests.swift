import AuthorizationCore
@testable import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Starting a request again under its key")
struct RepeatedStartTests {
    @Test("Only a start with a key costs a read more, and a repetition costs one read and no change")
    func accesses() async throws {
        let fixture = try await FlowFixture()
        func cost(_ keys: [String]) async throws -> [Int] {
            let before = fixture.made.accesses
            _ = try await fixture.start(keys: keys)
            let after = fixture.made.accesses
            return [after.reads - before.reads, after.changes - before.changes]
        }
        #expect(try await cost([]) == [1, 1])
        #expect(try await cost(["a"]) == [2, 1])
        #expect(try await cost(["a"]) == [1, 0])
    }

    @Test("A start that another one overtook in the store gets its answer, or is refused with another body")
    func overtaken() async throws {
        let fixture = try await FlowFixture()
        let first = try await fixture.start(keys: ["a"])
        let late = OvertakenStore(wrapped: fixture.startStore)
        fixture.clock.advance(by: .seconds(7))
        let again = try await fixture.start(store: late, keys: ["a"])
        #expect(again.authReqID == first.authReqID)
        #expect(again.expiresIn == first.expiresIn)
        #expect(again.interval == first.interval)
        let error = try await oauthError {
            _ = try await fixture.start(["binding_message": "TX-2"], store: late, keys: ["a"])
        }
        #expect(error.code == .invalidRequest)
        #expect(error.description.text.contains("use a new key"))
        #expect(fixture.signal.count == 1)
    }

    @Test("The auth_req_id is derived from tenant, client, key and time, and its first bytes are the time")
    func derivation() async throws {
        let fixture = try await FlowFixture()
        var found: Set<String> = []
        for key in ["a", "b"] {
            let answer = try await fixture.start(keys: [key])
            #expect(found.insert(answer.authReqID).inserted)
            #expect(Base64URL.number(answer.authReqID.utf8.prefix(8)) == UInt64(fixture.clock.now.milliseconds))
        }
        // The same client and key of another tenant.
        let other = try await FlowFixture(tenant: Samples.tenant("other", hosts: ["dev.example"]))
        #expect(other.clock.now == fixture.clock.now)
        try await other.enrol(Samples.device(tenant: "other"))
        #expect(found.insert(try await other.start(keys: ["a"]).authReqID).inserted)
        fixture.clock.advance(by: .seconds(300))
        #expect(found.insert(try await fixture.start(keys: ["a"]).authReqID).inserted)
    }
}

/// A store in which another start always comes between the look for an earlier one and the own.
private struct OvertakenStore: BackchannelStartStore {
    let wrapped: any BackchannelStartStore

    func approver(_ user: UserReference, tenant: TenantID) async throws -> Approver? {
        try await wrapped.approver(user, tenant: tenant)
    }

    func passkeys(of user: UserID, tenant: TenantID) async throws -> [OwnedPasskey] {
        try await wrapped.passkeys(of: user, tenant: tenant)
    }

    func earlierStart(_ key: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EarlierStart? { nil }

    func start(_ request: NewBackchannelRequest, limits: StartLimits) async throws -> StartOutcome {
        try await wrapped.start(request, limits: limits)
    }
}
