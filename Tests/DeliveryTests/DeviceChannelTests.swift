import ApprovalWire
import Persistence
import Audit
import AuthorizationCore
import Configuration
import Delivery
@testable import Flows
import GuardianWire
import JOSE
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Device channel")
struct DeviceChannelTests {
    private let secrets = GuardianTransactionTokens(
        key: SecretBytes([UInt8](repeating: 5, count: 32)), hashing: Samples.hashing)

    private func message(_ sequence: Int64 = 7) throws -> DeviceMessage {
        DeviceMessage(
            event: DeviceEvent(id: sequence, content: .withdrawal(transactionLinkingID: "r\(sequence)")),
            device: try Samples.device(), expiresAt: Samples.start + .seconds(300))
    }

    @Test("A listening device gets the event")
    func listening() async throws {
        let channel = DeviceChannel()
        let device = try Samples.device()
        var events = channel.events(for: device.id).makeAsyncIterator()
        #expect(channel.openStreams == 1)
        #expect(channel.reaches(device.id))
        #expect(!channel.reaches(DeviceID("dev_two")))
        #expect(await channel.send(try message(), now: Samples.start).result == .delivered)
        #expect(await events.next() == (try message().event))
    }

    @Test("A host with a port is sent as a URL, because Android's SDK takes no port in a host")
    func hostWithPort() async throws {
        let configuration = try Samples.configuration(Samples.tenant(hosts: ["dev.example:8443"]))
        let payload = NotificationComposer(secrets: secrets).notification(
            of: Samples.request().request, to: try Samples.device(), configuration: configuration)
        #expect(payload.host == "https://dev.example:8443")
    }

    @Test("A device without a stream gets no event, and neither do other devices")
    func nobodyListens() async throws {
        let channel = DeviceChannel()
        let stream = channel.events(for: DeviceID("dev_else"))
        #expect(await channel.send(try message(), now: Samples.start).result == .unneeded)
        let listener = Task { await stream.first { _ in true } }
        listener.cancel()
        #expect(await listener.value == nil)
    }

    @Test("A device holds two streams: the newest displaces the oldest, and no other device's")
    func displacement() async throws {
        let channel = DeviceChannel()
        let device = try Samples.device()
        let other = channel.events(for: DeviceID("dev_two"))
        var streams: [AsyncStream<DeviceEvent>.Iterator] = []
        for count in 1...4 {
            streams.append(channel.events(for: device.id).makeAsyncIterator())
            #expect(channel.openStreams == min(count, 2) + 1)
        }
        #expect(await channel.send(try message(), now: Samples.start).result == .delivered)
        for index in 0..<2 { #expect(await streams[index].next() == nil, "it has ended") }
        for index in 2..<4 { #expect(await streams[index].next() == (try message().event)) }
        #expect(channel.reaches(DeviceID("dev_two")))
        withExtendedLifetime(other) {}
    }

    @Test("A device that keeps asking for new requests draws on its budget")
    func budget() async throws {
        let made = try await TemporaryStore()
        let device = try Samples.device()
        let configuration = try Samples.configuration(Samples.tenant { $0.settings.actionsPerMinute = 1 })
        let notifications = PendingNotifications(
            store: made.store, vault: Samples.vault, composer: NotificationComposer(secrets: secrets),
            channel: "channel", budgets: AuditBudgets())
        let context = RequestContext(configuration: configuration, now: Samples.start)
        for number in 1...11 {
            try await start("\(number)", in: made)
            let events = try? await notifications.events(for: device, after: 0, context: context)
            #expect((events != nil) == (number <= 10))
        }
        let later = RequestContext(configuration: configuration, now: Samples.start + .seconds(60))
        #expect(try await notifications.events(for: device, after: 0, context: later).count == 12)
        #expect(try await made.database.auditLog("gd_send_pn").count == 11)
    }

    @Test("Each of a device's streams gets every event")
    func severalStreams() async throws {
        let channel = DeviceChannel()
        let device = try Samples.device()
        var first = channel.events(for: device.id).makeAsyncIterator()
        var second = channel.events(for: device.id).makeAsyncIterator()
        _ = await channel.send(try message(8), now: Samples.start)
        #expect(await first.next()?.id == 8)
        #expect(await second.next()?.id == 8)
    }

    @Test("Removing a device ends all of its streams and no others")
    func removed() async throws {
        let channel = DeviceChannel()
        var ended = [channel.events(for: DeviceID("dev_one")), channel.events(for: DeviceID("dev_one"))]
            .map { $0.makeAsyncIterator() }
        let other = channel.events(for: DeviceID("dev_two"))
        channel.end(for: DeviceID("dev_one"))
        for index in ended.indices { #expect(await ended[index].next() == nil) }
        #expect(channel.openStreams == 1)
        #expect(channel.reaches(DeviceID("dev_two")))
        withExtendedLifetime(other) {}
    }

    @Test("An ended stream is forgotten")
    func ends() async throws {
        let channel = DeviceChannel()
        for _ in 0..<3 {
            let stream = channel.events(for: DeviceID("dev_one"))
            let listener = Task { for await _ in stream {} }
            #expect(channel.openStreams == 1)
            listener.cancel()
            await listener.value
            #expect(channel.openStreams == 0)
        }
        _ = channel.events(for: DeviceID("dev_one"))
        #expect(channel.openStreams == 0, "dropped without having been read")
    }

    @Test("A stream that is too far behind ends after its backlog, to resume with Last-Event-ID")
    func backlog() async throws {
        let channel = DeviceChannel()
        let device = try Samples.device()
        let stream = channel.events(for: device.id)
        for sequence in 1...300 as ClosedRange<Int64> {
            _ = await channel.send(try message(sequence), now: Samples.start)
        }
        #expect(channel.openStreams == 0)
        let ids = await stream.reduce(into: [Int64]()) { $0.append($1.id) }
        #expect(ids == Array(1...256))
    }

    @Test("Streams opened, fed and closed at once")
    func races() async throws {
        let channel = DeviceChannel()
        let message = try message()
        let device = try Samples.device()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let listener = Task {
                        for await _ in channel.events(for: device.id) where index % 2 == 0 { return }
                    }
                    _ = await channel.send(message, now: Samples.start)
                    listener.cancel()
                    await listener.value
                }
            }
        }
        #expect(channel.openStreams == 0)
    }

    /// Stores a request without notifications.
    private func start(_ name: String, in made: TemporaryStore) async throws {
        let (hash, request) = Samples.request(name)
        try await made.store.change { transaction in
            try transaction.put(Samples.tenant())
            try transaction.put(Samples.user(), passwordHash: nil, in: request.tenant)
        }
        let store: any BackchannelStartStore = made.store
        let outcome = try await store.start(
            NewBackchannelRequest(
                request: try Samples.vault.seal(request, hash), devices: [],
                event: AuditEvent(.backchannelStarted, tenant: request.tenant, at: Samples.start)),
            limits: StartLimits(perMinute: 20, windowStart: Samples.start, pendingPerUser: 20, pendingPerTenant: 20))
        #expect(outcome == .started)
    }

    @Test("A device that reconnects gets its pending requests in order")
    func pending() async throws {
        let made = try await TemporaryStore()
        let device = try Samples.device()
        let configuration = try Samples.configuration()
        for name in ["a", "b"] { try await start(name, in: made) }
        let notifications = PendingNotifications(
            store: made.store, vault: Samples.vault, composer: NotificationComposer(secrets: secrets),
            channel: "channel", budgets: AuditBudgets())
        let list = DeviceEvent.Content.pending(
            transactionLinkingIDs: ["a", "b"].map { Samples.request($0).request.consentID.rawValue })
        let all = try await notifications.events(
            for: device, after: 0, context: RequestContext(configuration: configuration, now: Samples.start))
        try #require(all.count == 3)
        #expect(all[0] == DeviceEvent(id: 0, content: list))
        #expect(all[1].id < all[2].id)
        let rest = try await notifications.events(
            for: device, after: all[1].id, context: RequestContext(configuration: configuration, now: Samples.start))
        #expect(rest == [DeviceEvent(id: all[1].id, content: list), all[2]])
        let sent = try await made.database.auditLog("gd_send_pn")
        #expect(sent.map(\.consent) == (["a", "b"].map { Samples.request($0).request.consentID.rawValue }))
    }

    @Test("Records come with the notifications of a device that asks for them, as many as fit into the bound")
    func records() async throws {
        let made = try await TemporaryStore()
        let device = try Samples.device()
        for name in ["a", "b"] { try await start(name, in: made) }
        let texts = ["a", "b"].map { Samples.request($0).request.record.text }
        func notifications(_ bytes: Int) -> PendingNotifications {
            PendingNotifications(
                store: made.store, vault: Samples.vault, composer: NotificationComposer(secrets: secrets),
                channel: "channel", budgets: AuditBudgets(), recordBytes: bytes)
        }
        let context = RequestContext(configuration: try Samples.configuration(), now: Samples.start)
        let all = texts.reduce(0) { $0 + $1.utf8.count }
        let plain = try await notifications(all).events(for: device, after: 0, context: context)
        #expect(plain.map(\.record) == [nil, nil, nil])
        let cases: [(bytes: Int, records: [String?])] = [
            (all, texts.map { $0 }), (all - 1, [texts[0], nil]), (0, [nil, nil]),
        ]
        for (bytes, records) in cases {
            let events = try await notifications(bytes).events(
                for: device, after: 0, withRecords: true, context: context)
            #expect(events.map(\.record) == [nil] + records)
            #expect(events.map(\.content) == plain.map(\.content))
        }
    }

    @Test("A device resumes after its last event, or from the start if the store does not know that event")
    func resumption() async throws {
        let made = try await TemporaryStore()
        let notifications = PendingNotifications(
            store: made.store, vault: Samples.vault, composer: NotificationComposer(secrets: secrets),
            channel: "channel", budgets: AuditBudgets())
        #expect(try await notifications.resumption(after: 1) == 0, "an empty store")
        try await start("a", in: made)
        let pending: any PendingRequestStore = made.store
        let newest = try await pending.newestSequence()
        #expect(newest > 0)
        for (last, expected) in [(newest, newest), (newest + 1, 0), (.max, 0), (0, 0), (-1, 0)] {
            #expect(try await notifications.resumption(after: last) == expected, "after \(last)")
        }
    }

    @Test("A delivery missing in the audit log is recorded when the device reconnects")
    func pendingUnlogged() async throws {
        let made = try await TemporaryStore()
        let device = try Samples.device()
        try await start("a", in: made)
        let store = FullStore(made.store)
        let notifications = PendingNotifications(
            store: store, vault: Samples.vault, composer: NotificationComposer(secrets: secrets),
            channel: "channel", budgets: AuditBudgets())
        let configuration = try Samples.configuration()
        func come() async throws -> Int {
            try await notifications.events(
                for: device, after: 0, context: RequestContext(configuration: configuration, now: Samples.start)
            )
            .count {
                if case .notification = $0.content { true } else { false }
            }
        }
        await #expect(throws: FullStore.Full.self) { try await come() }
        store.room.withLock { $0 = true }
        for _ in 0..<2 { #expect(try await come() == 1) }
        #expect(store.events.withLock { $0.map(\.kind) } == [.notificationSent])
    }

    private final class FullStore: PendingRequestStore {
        struct Full: Error {}

        let room = Mutex(false)
        let events = Mutex<[AuditEvent]>([])
        private let wrapped: any PendingRequestStore

        init(_ wrapped: any PendingRequestStore) { self.wrapped = wrapped }

        func pending(
            user: UserID, tenant: TenantID, after sequence: Int64, now: Timestamp, limit: Int
        ) async throws -> [SealedRequest] {
            try await wrapped.pending(user: user, tenant: tenant, after: sequence, now: now, limit: limit)
        }

        func newestSequence() async throws -> Int64 { try await wrapped.newestSequence() }

        func noteSent(
            _ requests: [BackchannelRequest], to device: DeviceID, events: [AuditEvent], now: Timestamp
        ) async throws {
            guard room.withLock({ $0 }) else { throw Full() }
            self.events.withLock { $0 += events }
        }
    }
}
