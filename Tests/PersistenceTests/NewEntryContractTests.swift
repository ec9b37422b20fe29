import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import GuardianWire
import Persistence
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

@Suite("Store contract: queues with new entries")
struct NewEntryContractTests {
    private let tenant = TenantID("dev")

    private func watched(_ kind: StoreKind) async throws -> (TemporaryStore, RecordingSignal) {
        let (made, signal) = (try await kind.populated(), RecordingSignal())
        made.store.watchEntries { signal.note($0) }
        return (made, signal)
    }

    @Test(
        "A request is announced to the queue of its channel, and a push with the device channel",
        arguments: StoreKind.all)
    func requests(kind: StoreKind) async throws {
        let (made, signal) = try await watched(kind)
        let push = PushCredentials(service: .apns, token: "t")
        try await made.enrolled(Samples.device("dev_1", identifier: "1", push: push))
        try await made.started("pushed", devices: ["dev_1"])
        #expect(signal.queues == [.notifications])
        try await made.started("mailed", channel: .email)
        #expect(signal.queues == [.notifications, .mail])
        try await made.started("shown", channel: .page)
        #expect(signal.queues == [.notifications, .mail], "nobody is told")
    }

    @Test("A mail is announced, whatever change it is written with", arguments: StoreKind.all)
    func mails(kind: StoreKind) async throws {
        let (made, signal) = try await watched(kind)
        try await made.store.enqueue(LoginSamples.mail())
        try await made.store.change { try $0.enqueue(LoginSamples.mail()) }
        #expect(signal.queues == [.mail, .mail])
    }

    @Test("The end of a session is announced if a client is to be told of it", arguments: StoreKind.all)
    func logouts(kind: StoreKind) async throws {
        let (made, signal) = try await watched(kind)
        for name in ["told", "alone"] { try await made.loggedIn(LoginSamples.session(name)) }
        #expect(
            try await made.complete(
                code: LoginSamples.code("code"), use: LoginSamples.use("told", client: ClientID("app"))))
        for name in ["alone", "told"] {
            #expect(signal.queues == [])
            _ = try await made.store.end(
                .id(SessionID(name)), tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedOut))
        }
        #expect(signal.queues == [.logoutNotices])
    }

    @Test(
        "A change that is rolled back announces nothing, and the next announces its own entries",
        arguments: StoreKind.all)
    func rolledBack(kind: StoreKind) async throws {
        struct Failure: Error {}
        let (made, signal) = try await watched(kind)
        await #expect(throws: Failure.self) {
            try await made.store.change { transaction in
                try transaction.enqueue(LoginSamples.mail())
                throw Failure()
            }
        }
        #expect(try await made.store.dueMail(now: Samples.start).isEmpty)
        #expect(signal.queues == [])
        try await made.enrolled(Samples.device())
        try await made.started(devices: ["dev_one"])
        #expect(signal.queues == [.notifications])
    }

    @Test("A request that goes on by mail is announced there", arguments: StoreKind.all)
    func rerouted(kind: StoreKind) async throws {
        let (made, signal) = try await watched(kind)
        let push = PushCredentials(service: .apns, token: "t")
        try await made.enrolled(Samples.device("dev_1", identifier: "1", push: push))
        try await made.started("r", devices: ["dev_1"])
        func due(_ queue: DeliveryQueue) async throws -> [DeliveryEntry] {
            try await made.store.dueDeliveries(queue, perLane: 9, limit: 9, now: Samples.start)
        }
        for entry in try await due(.notifications) {
            try await made.store.settle(
                [DeliverySettlement(id: entry.id, step: .done)], by: "node", now: Samples.start)
        }
        let push1 = try #require(try await due(.applePushes).first)
        let hash = AuthReqIDHash(of: "r", Samples.hashing)
        let stored = try #require(try await made.store.request(hash, tenant: tenant)).request
        var mailed = Samples.request("r").request
        mailed.channel = .email
        let consequence = DeliveryConsequence(
            .rerouted(try Samples.vault.seal(mailed, hash), devices: []), of: stored,
            event: AuditEvent(.rerouted, tenant: tenant, at: Samples.start))
        try await made.store.settle(
            [DeliverySettlement(id: push1.id, step: .dead(problem: "410"), consequence: consequence)], by: "node",
            now: Samples.start)
        #expect(signal.queues == [.notifications, .mail])
    }
}
