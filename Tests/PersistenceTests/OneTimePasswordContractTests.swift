import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: one-time passwords")
struct OneTimePasswordContractTests {
    @Test("Only devices that were enrolled with a secret have one", arguments: StoreKind.all)
    func secrets(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"), sealedTOTP: [1, 2])
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"), sealedTOTP: [3])
        let expected = [KeptOneTimePassword(.device(DeviceID("dev_one")), sealedSecret: [1, 2])]
        #expect(try await made.store.oneTimePasswords(of: LoginSamples.ann, tenant: LoginSamples.tenant) == expected)
        #expect(try await made.store.oneTimePasswords(of: LoginSamples.ann, tenant: LoginSamples.other).isEmpty)
        try await made.enrolled(Samples.device("dev_new", identifier: "A"), sealedTOTP: [4])
        let renewed = try await made.store.oneTimePasswords(of: LoginSamples.ann, tenant: LoginSamples.tenant)
        #expect(renewed.map(\.sealedSecret) == [[4]])
        try await made.delete(LoginSamples.ann)
        #expect(try await made.database.count("one_time_password") == 1)
    }

    private func use(
        _ made: TemporaryStore, _ step: Int64, device: String = "dev_one", tenant: TenantID = LoginSamples.tenant
    ) async throws -> Bool {
        try await made.store.useOneTimePassword(.device(DeviceID(device)), step: step, tenant: tenant)
    }

    @Test("RFC 6238 clause 5.2: a code is accepted once, and no earlier one after it", arguments: StoreKind.all)
    func once(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device(), sealedTOTP: [1])
        #expect(try await use(made, 7, tenant: LoginSamples.other) == false)
        #expect(try await use(made, 7, device: "dev_else") == false)
        #expect(try await use(made, 7))
        #expect(try await use(made, 7) == false)
        #expect(try await use(made, 6) == false)
        #expect(try await use(made, 8))
    }

    @Test("RFC 6238 clause 5.2: one of 100 concurrent uses of a code is accepted", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device(), sealedTOTP: [1])
        #expect(try await winners { _ in try await use(made, 7) } == 1)
    }
}
