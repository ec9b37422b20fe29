import Workbench
import AuthorizationCore
import Configuration
import CountersignServer
import Delivery
import Flows
import Glibc
import GuardianWire
import HTTPModel
import JOSE
import Load
import OpenSSLCrypto
import Primitives

extension Bench {
    /// APNs: the provider alone on one core, and through a whole server to nghttpd.
    mutating func measureApplePush() async throws {
        guard AppleStandIn.isInstalled else {
            progress("no nghttpd and h2load, so APNs is not measured: scripts/install-packages.sh bench")
            return
        }
        try await measureAppleProvider()
        try await measureAppleReceipts()
    }

    /// Sends over a real connection. The time is that of this process, without nghttpd's.
    private mutating func measureAppleProvider() async throws {
        progress("pushes to APNs, one core")
        let own = "\(folder)/apns-provider"
        try makeFolder(own)
        let service = try AppleStandIn(folder: own, devices: 1, notesReceipts: false)
        defer { service.stop() }
        var settings = ServerSettings()
        settings.trustedAuthorities = service.authorityFile
        settings.outgoingNetworks = OutgoingPolicy.loopback
        settings.pushAddresses.apple = service.address
        var push = PushServices(selection: .direct)
        push.apple = APNsCredentials(
            proof: .key(service.signer, keyID: AppleStandIn.keyID, teamID: AppleStandIn.teamID),
            bundleID: AppleStandIn.bundleID, isSandbox: false)
        let tenant = Tenant(id: TenantID(Tenancy.id), name: "Bench", hosts: ["bench.localhost"])
        let providers = try settings.mobilePushServices().providers(
            OneTenant(
                TenantConfiguration(
                    tenant: tenant, clients: [], resourceServers: [], roles: [],
                    keys: KeyRing(current: [], published: []), pushServices: push)))
        guard let provider = providers.first(where: { $0.queue == .applePushes }) else { throw Failure("no APNs") }
        let now = Timestamp.current
        let device = Device(
            id: DeviceID("dev_ABCDEFGHIJKLMNOPQRSTUV"), tenant: tenant.id, user: UserID("auth0|one"), identifier: "one",
            name: "Phone", publicKey: service.signer.publicKey,
            push: PushCredentials(service: .apns, token: AppleStandIn.token(0)), enrolledAt: now)
        let payload = NotificationPayload(
            title: "Bench", body: "Shop: Order 4711", enrollmentID: device.id.rawValue,
            transactionToken: String(repeating: "t", count: 43), transactionLinkingID: "cns_ABCDEFGHIJKLMNOPQRSTUV",
            challenge: String(repeating: "c", count: 43), date: now, host: "bench.localhost")
        /// Returns the tries that were repeated, as the server does: libcurl 7.88 now and then ends a busy connection
        /// with an error of the HTTP/2 framing layer, and until a message gets an answer no other is tried.
        func send(_ count: Int) async throws -> Int {
            // As many at once as the server has in flight for one tenant.
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for lane in 0..<64 {
                    tasks.addTask {
                        var repeated = 0
                        for number in stride(from: lane, to: count, by: 64) {
                            let event = DeviceEvent(id: Int64(number), content: .notification(payload))
                            let message = DeviceMessage(event: event, device: device, expiresAt: now + .seconds(300))
                            let end = ContinuousClock.now + .seconds(10)
                            while true {
                                let attempt = await provider.send(message, now: now)
                                if attempt.result == .delivered { break }
                                guard ContinuousClock.now < end else {
                                    throw Failure("a push to APNs: \(attempt.detail ?? "\(attempt.result)")")
                                }
                                repeated += 1
                                try await Task.sleep(for: .milliseconds(10))
                            }
                        }
                        return repeated
                    }
                }
                return try await tasks.reduce(0, +)
            }
        }
        let count = options.isQuick ? 6400 : 32_000
        let signatures = try opensslSpeed().ecdsap256.sign
        _ = try await send(640)
        var repeated = 0
        var rates: [Double] = []
        var references: [Double] = []
        for _ in 0..<rounds {
            references.append(try referenceRate(service, count, bytes: payload.apns, folder: own))
            let before = processSeconds()
            repeated += try await send(count)
            rates.append(Double(count) / (processSeconds() - before))
        }
        rows.append(
            Row(
                name: "APNs pushes, one core", value: median(rates), unit: "1/s", reference: median(references),
                referenceName: "h2load, a client in C without checks",
                note:
                    "payload, HTTP/2 and TLS over one connection, 64 in flight, per second of the sender's processor "
                    + "time; the ES256 token is signed once in 40 minutes, so that no signature bounds it: one for each "
                    + "push would allow \(formatted(signatures)) (openssl speed); "
                    + "\(repeated) tries were repeated for \(count * rounds) pushes"))
    }

    /// The same requests by h2load, for each second of its processor time.
    private func referenceRate(
        _ service: AppleStandIn, _ count: Int, bytes: [UInt8], folder: String
    ) throws -> Double {
        let file = "\(folder)/payload"
        try writeFile(file, String(decoding: bytes, as: UTF8.self))
        let before = processSeconds(RUSAGE_CHILDREN)
        _ = try Child.output(
            [
                "h2load", "-n", String(count), "-c", "1", "-m", "64", "-d", file, "-H",
                "content-type: application/json",
                "-H", "authorization: bearer \(String(repeating: "a", count: 200))", "-H",
                "apns-topic: \(AppleStandIn.bundleID)", "-H", "apns-push-type: alert", "-H", "apns-priority: 10",
                "\(service.address)/3/device/\(AppleStandIn.token(0))",
            ], folder: folder, within: .seconds(60))
        return Double(count) / (processSeconds(RUSAGE_CHILDREN) - before)
    }

    /// Time of all threads of this process, or of the children that ended.
    private func processSeconds(_ whose: __rusage_who = RUSAGE_SELF) -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(whose.rawValue), &usage)
        return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    private mutating func measureAppleReceipts() async throws {
        progress("pushes to APNs through the server")
        let own = "\(folder)/apns"
        try makeFolder(own)
        let users = (0..<200).map { Tenancy.user("apple", $0) }
        let service = try AppleStandIn(folder: own, devices: 2, notesReceipts: true)
        defer { service.stop() }
        let server = try ServerUnderTest(
            program: options.serverPath, isBatch: options.isBatch, folder: own,
            more: [
                "--trusted-authorities", service.authorityFile, "--outgoing-networks", "127.0.0.0/8,::1", "--apns-url",
                service.address,
            ])
        defer { server.stop() }
        // The first user is asked alone, and the others are the load.
        let fixture = try await BenchmarkFixture(server: server, folder: own, pushed: users) { user in
            PushCredentials(service: .apns, token: AppleStandIn.token(user == users[0] ? 0 : 1))
        }
        _ = try server.command(
            [
                "push", "set", "apns", "--tenant", Tenancy.id, "--bundle-id", AppleStandIn.bundleID, "--key",
                service.keyFile, "--key-id", AppleStandIn.keyID, "--team-id", AppleStandIn.teamID,
            ], folder: own)
        let token = AppleStandIn.token(0)
        let request = fixture.agent.start(user: users[0], expiry: 300)
        let end = ContinuousClock.now + .seconds(10)
        // A running server loads the credentials a moment later.
        while service.count(token) == 0 {
            guard ContinuousClock.now < end else { throw Failure("the server does not push to APNs") }
            _ = try Load.ask(port: server.port, request)
            usleep(200_000)
        }
        let idle = try receipts(options.isQuick ? 100 : 500, request, token, service, server)
        add(idle, "idle", "one at a time")
        let others = users.dropFirst().map { fixture.agent.start(user: $0, expiry: 300) }
        var load = load(server.port, connections: threads, warmUp: .zero)
        load.duration = .seconds(options.isQuick ? 3 : 10)
        let background = load
        let over = ContinuousClock.now + background.duration
        async let loaded = background.run { _ in RepeatScenario(others, expecting: 200) }
        var busy = LatencyHistogram()
        while ContinuousClock.now < over {
            busy.merge(try receipts(1, request, token, service, server))
        }
        let measurement = try await loaded
        try check(measurement, "/bc-authorize")
        add(
            busy, "under load",
            "beside \(formatted(measurement.rate)) other starts a second, each with its push")
    }

    private mutating func add(_ histogram: LatencyHistogram, _ state: String, _ note: String) {
        for (name, fraction) in [("median", 0.5), ("p99", 0.99)] {
            rows.append(
                Row(
                    name: "/bc-authorize to APNs' receipt, \(state), \(name)",
                    value: histogram.percentile(fraction) / 1e6, unit: "ms",
                    note: "\(note), over HTTP/2 and TLS to nghttpd on the same machine, \(histogram.count) of them"))
        }
    }

    private func receipts(
        _ count: Int, _ request: [UInt8], _ token: String, _ service: AppleStandIn, _ server: ServerUnderTest
    ) throws -> LatencyHistogram {
        var histogram = LatencyHistogram()
        for _ in 0..<count {
            let before = service.count(token)
            let begin = MonotonicClock.now
            let answer = try Load.ask(port: server.port, request)
            guard answer.status == 200 else { throw Failure("/bc-authorize answered \(answer.status)") }
            histogram.record(nanoseconds: try service.awaitReceipt(token, before + 1) - begin)
        }
        return histogram
    }
}
