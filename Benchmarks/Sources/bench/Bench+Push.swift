import Workbench
import AuthorizationCore
import Configuration
import Delivery
import Flows
import GuardianWire
import HTTPModel
import JOSE
import Load
import OpenSSLCrypto
import Primitives

extension Bench {
    /// Web Push: the provider alone on one core, and through a whole server to a push service over TLS. Mails beside it.
    mutating func measurePush() async throws {
        try await measurePushProvider()
        try await measurePushes()
        try await measureMail()
        try await measureApplePush()
    }

    /// Composes, encrypts and signs each message, and sends it nowhere.
    private mutating func measurePushProvider() async throws {
        progress("web pushes, encrypted and signed")
        let speed = try opensslSpeed()
        // Each message has a new key, as costly as a signature, and an agreement with the browser's.
        let limit = 1 / (1 / speed.ecdhp256 + 1 / speed.ecdsap256.sign)
        let tenant = Tenant(id: TenantID(Tenancy.id), name: "Bench", hosts: ["bench.localhost"])
        let provider = WebPushProvider(
            http: Nowhere(), encryption: PushMessageCipher(),
            configuration: OneTenant(
                TenantConfiguration(
                    tenant: tenant, clients: [], resourceServers: [], roles: [],
                    keys: KeyRing(
                        current: [], published: [], webPush: try OpenSSLSigner.generate(algorithm: .es256)))))
        let key = try OpenSSLSigner.generate(algorithm: .es256).publicKey
        let token = PushReceiver.subscription("https://push.example/1", publicKey: key.p256Point ?? [])
        let device = Device(
            id: DeviceID("dev_ABCDEFGHIJKLMNOPQRSTUV"), tenant: tenant.id, user: UserID("auth0|one"), identifier: "one",
            name: "Browser", publicKey: key, push: PushCredentials(service: .webPush, token: token),
            enrolledAt: .current)
        let now = Timestamp.current
        let message = DeviceMessage(
            event: DeviceEvent(id: 1, content: .withdrawal(transactionLinkingID: "cns_ABCDEFGHIJKLMNOPQRSTUV")),
            device: device, expiresAt: now + .seconds(300))
        let begin = processorNanoseconds()
        var count = 0
        while processorNanoseconds() - begin < 1_000_000_000 {
            for _ in 0..<16 {
                guard await provider.send(message, now: now).result == .delivered else {
                    throw Failure("a push was not made")
                }
            }
            count += 16
        }
        rows.append(
            Row(
                name: "web pushes made, one core", value: Double(count) / Double(processorNanoseconds() - begin) * 1e9,
                unit: "1/s", reference: limit, referenceName: "openssl speed, a key and ECDH P-256",
                note:
                    "encrypted (RFC 8291) with a new key for each message, and one VAPID token for hours; an ES256 "
                    + "signature for each message would halve it"))
    }

    /// A server of its own: it trusts the push service's certificate, and may reach the loopback address.
    private mutating func measurePushes() async throws {
        progress("web pushes through the server")
        let own = "\(folder)/push"
        try makeFolder(own)
        let receiver = try PushReceiver(folder: own)
        let server = try ServerUnderTest(
            program: options.serverPath, isBatch: options.isBatch, folder: own,
            more: ["--trusted-authorities", receiver.authorityFile, "--outgoing-networks", "127.0.0.0/8,::1"])
        defer { server.stop() }
        let users = (0..<(options.isQuick ? 200 : 1000)).map { Tenancy.user("push", $0) }
        let fixture = try await BenchmarkFixture(server: server, folder: own, pushed: users) { _ in
            PushCredentials(service: .webPush, token: receiver.token)
        }
        let requests = users.map { fixture.agent.start(user: $0, expiry: 300) }

        var histogram = LatencyHistogram()
        for request in requests.prefix(options.isQuick ? 100 : 500) {
            let before = receiver.count
            let begin = MonotonicClock.now
            let answer = try Load.ask(port: server.port, request)
            guard answer.status == 200 else { throw Failure("/bc-authorize answered \(answer.status)") }
            histogram.record(nanoseconds: try await receiver.awaitReceipts(before + 1) - begin)
        }
        rows.append(
            Row(
                name: "/bc-authorize to the push service's receipt, median", value: histogram.percentile(0.5) / 1e6,
                unit: "ms",
                note:
                    "one at a time over TLS, \(histogram.count) of them, p99 \(formatted(histogram.percentile(0.99) / 1e6)) ms"
            )
        )

        var cost: [Double] = []
        var rates: [Double] = []
        for _ in 0..<rounds {
            let before = (count: receiver.count, used: try server.meter.processorSeconds())
            let begin = MonotonicClock.now
            var load = load(server.port, warmUp: .zero)
            load.duration = .seconds(60)
            let quota = StartScenario.Quota(users.count)
            let ids = StartScenario.Ids()
            let started = try load.run { _ in StartScenario(requests: requests, quota: quota, ids: ids) }
            try check(started, "/bc-authorize")
            let end = try await receiver.awaitReceipts(before.count + users.count)
            rates.append(Double(users.count) / Double(end - begin) * 1e9)
            cost.append((try server.meter.processorSeconds() - before.used) / Double(users.count) * 1e6)
        }
        await receiver.stop()
        rows.append(
            Row(
                name: "starts with a web push, to the last receipt", value: median(rates), unit: "1/s",
                note:
                    "\(users.count) starts at once; each start with its push took \(formatted(median(cost))) us of the server's "
                    + "processor time; the push service shares the machine"))
    }
}

private struct Nowhere: OutgoingHTTPClient {
    let policy = OutgoingPolicy()

    func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
        ClientResponse(status: 201, fields: [:], body: [])
    }
}

struct OneTenant: ConfigurationSource {
    let current: ConfigurationSnapshot

    init(_ tenant: TenantConfiguration) { current = ConfigurationSnapshot(tenants: [tenant]) }
}
