import AuthorizationCore
import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: mails and one-time passwords")
struct MailContractTests {
    private func due(_ made: TemporaryStore, second: Int = 0, limit: Int = 10) async throws -> [DueMail] {
        try await made.store.dueMail(now: LoginSamples.start + .seconds(second), limit: limit)
    }

    @Test("Mails come oldest first until they were removed or are of no more use", arguments: StoreKind.all)
    func mails(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let mails = [
            LoginSamples.mail([1], lifetime: 10), LoginSamples.mail([2], tenant: LoginSamples.other),
            LoginSamples.mail([3]),
        ]
        for mail in mails { try await made.store.enqueue(mail) }
        let all = try await due(made)
        #expect(all.map(\.mail) == mails)
        #expect(all.map(\.attempts) == [0, 0, 0])
        #expect(try await due(made, limit: 2).map(\.mail) == Array(mails[..<2]))
        #expect(try await due(made, second: -1).isEmpty)
        #expect(try await due(made, second: 10).map(\.mail) == Array(mails[1...]))
        try await made.store.removeMail(all[1].id)
        try await made.store.removeMail(all[1].id)
        #expect(try await due(made, second: 10).map(\.mail) == [mails[2]])
    }

    @Test("A postponed mail is due again at its time", arguments: StoreKind.all)
    func postponed(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.enqueue(LoginSamples.mail())
        let id = try #require(try await due(made).first).id
        try await made.store.postponeMail(id, attempts: 3, dueAt: LoginSamples.start + .seconds(30))
        #expect(try await due(made, second: 29).isEmpty)
        #expect(
            try await due(made, second: 30) == [DueMail(id: id, mail: LoginSamples.mail(), attempts: 3)])
    }

    @Test("A removed mail's key is not given to another", arguments: StoreKind.all)
    func keys(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.enqueue(LoginSamples.mail())
        let first = try #require(try await due(made).first).id
        try await made.store.removeMail(first)
        try await made.store.enqueue(LoginSamples.mail())
        #expect(try await due(made).first?.id != first)
    }

    @Test("A user's devices that were enrolled with a secret have it", arguments: StoreKind.all)
    func secrets(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device("dev_one", identifier: "A"), sealedTOTP: [1, 2])
        try await made.enrolled(Samples.device("dev_two", identifier: "B"))
        try await made.enrolled(Samples.device("dev_bob", user: "auth0|bob"), sealedTOTP: [3])
        let expected = [DeviceOneTimePassword(device: DeviceID("dev_one"), sealedSecret: [1, 2])]
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
        try await made.store.useOneTimePassword(DeviceID(device), step: step, tenant: tenant)
    }

    @Test("RFC 6238 clause 5.2: a code is accepted once, and none before it", arguments: StoreKind.all)
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

    @Test("RFC 6238 clause 5.2: of 100 uses of a code at once one is accepted", arguments: StoreKind.all)
    func race(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.enrolled(Samples.device(), sealedTOTP: [1])
        #expect(try await winners { _ in try await use(made, 7) } == 1)
    }
}
