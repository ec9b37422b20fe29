import AuthorizationCore
import HTTPModel
import JOSE
@testable import Persistence
import Primitives
import SQL
import TestSupport
import TestTools
import Testing
import X509

@testable import CountersignServer

private typealias State = DoctorFinding.State

@Suite("countersign doctor: judgements")
struct DoctorRulesTests {
    private static let owner = Account(number: 990, name: "countersign")
    private static let now = Samples.start

    private func file(_ use: FileFacts.Use, _ mode: UInt32, owner: Account = Self.owner) -> FileFacts {
        FileFacts(path: "file", use: use, mode: mode, owner: owner)
    }

    @Test(
        "Secrets are for their owner alone, and a certificate's key for a group",
        arguments: [
            (FileFacts.Use.secret, UInt32(0o600), State.ok), (.secret, 0o640, .fault), (.secret, 0o604, .fault),
            (.secret, 0o400, .ok), (.folder, 0o700, .ok), (.folder, 0o750, .warning), (.folder, 0o701, .warning),
            (.certificateKey, 0o640, .ok), (.certificateKey, 0o644, .fault), (.settings, 0o640, .ok),
            (.settings, 0o644, .fault), (.settings, 0o660, .fault), (.public, 0o644, .ok),
            (.public, 0o664, .warning),
        ])
    func modes(use: FileFacts.Use, mode: UInt32, state: DoctorFinding.State) {
        let findings = DoctorRules.files([file(use, mode)], owner: Self.owner)
        #expect(findings.map(\.state) == [state])
        #expect((findings.first?.advice?.hasPrefix("run: chmod 0") ?? false) == (state != .ok))
    }

    @Test("A file of another account than the data folder's is a fault; a folder that cannot be listed counts as one")
    func owners() {
        let root = Account(number: 0, name: "root")
        let findings = DoctorRules.files(
            [file(.secret, 0o600, owner: root), file(.certificateKey, 0o640, owner: root)], owner: Self.owner,
            unlisted: [("tls", "cannot list tls", "advice")])
        #expect(findings.map(\.state) == [.skipped, .fault])
        #expect(findings.last?.advice == "run: chown countersign file")
        #expect(findings.first?.advice == "advice")
        #expect(Array(findings.prefix(1)).state == .fault)
    }

    @Test("A file that the server's account may not write, and a file system that is mounted read-only, are faults")
    func unwritable() {
        var database = file(.secret, 0o400)
        #expect(!DoctorFacts.isWritable(database, by: Self.owner))
        #expect(DoctorFacts.isWritable(file(.secret, 0o600), by: Self.owner))
        var folder = file(.folder, 0o500)
        folder.isFolder = true
        #expect(!DoctorFacts.isWritable(folder, by: Self.owner))
        #expect(DoctorRules.files([database], owner: Self.owner).map(\.state) == [.ok])
        database.isWritable = false
        let finding = DoctorRules.files([database], owner: Self.owner)[0]
        #expect(finding.state == .fault && finding.advice == "run: chmod 0600 file")
        let disk = DoctorRules.disk(DiskFacts(freeBytes: 50e9, bytes: 100e9, isReadOnly: true), folder: "data")
        #expect(disk.map(\.state) == [.fault])
    }

    @Test(
        "Less than 10 % or 1 GB free is a warning, less than 2 % or 100 MB a fault",
        arguments: [
            (50e9, 100e9, State.ok), (9.9e9, 100e9, .warning), (10e9, 100e9, .ok), (1.9e9, 100e9, .fault),
            (0.9e9, 5e9, .warning), (1e9, 5e9, .ok), (99e6, 1e9, .fault), (100e6, 1e9, .warning), (0, 0, .fault),
        ])
    func disk(free: Double, all: Double, state: DoctorFinding.State) {
        let findings = DoctorRules.disk(DiskFacts(freeBytes: free, bytes: all), folder: "data")
        #expect(findings.map(\.state) == [state])
        #expect((findings[0].advice == nil) == (state == .ok))
    }

    @Test("A server is not ready with less than a mebibyte left, or on a file system that is mounted for reading")
    func room() {
        #expect(DiskFacts(freeBytes: 1_048_576, bytes: 1e9).takesChanges)
        #expect(!DiskFacts(freeBytes: 1_048_575, bytes: 1e9).takesChanges)
        #expect(!DiskFacts(freeBytes: 1e9, bytes: 1e9, isReadOnly: true).takesChanges)
    }

    @Test("Inodes count if the file system has a fixed number of them")
    func inodes() {
        func states(_ free: Double, _ all: Double) -> [DoctorFinding.State] {
            DoctorRules.disk(
                DiskFacts(freeBytes: 50e9, bytes: 100e9, freeInodes: free, inodes: all), folder: "data"
            ).map(\.state)
        }
        #expect(states(0, 0) == [.ok])
        #expect(states(100, 1000) == [.ok])
        #expect(states(99, 1000) == [.ok, .warning])
        #expect(states(19, 1000) == [.ok, .fault])
    }

    @Test("Sizes and times are written with one unit")
    func units() {
        #expect(DoctorRules.inBytes(999) == "999 bytes")
        #expect(DoctorRules.inBytes(1_550_000_000) == "1.5 GB")
        #expect(Duration.seconds(1).inWords == "1 second")
        #expect(Duration.milliseconds(10).inWords == "0 seconds")
        #expect(Duration.seconds(7199).inWords == "1 hour")
        #expect(Duration.seconds(3 * 86_400).inWords == "3 days")
    }

    @Test(
        "A clock that differs by 30 seconds is a warning, by 300 a fault, in both directions",
        arguments: [(30, State.ok), (31, .warning), (300, .warning), (301, .fault)])
    func skew(seconds: Int, state: DoctorFinding.State) {
        for direction in [-1, 1] {
            let time = ServerTime(source: "push.example", time: Self.now + .seconds(direction * seconds), at: Self.now)
            let findings = DoctorRules.clock(ClockFacts(now: Self.now, isSynchronized: true, serverTimes: [time]))
            #expect(findings.map(\.state) == [state])
            let side = direction < 0 ? "ahead of" : "behind"
            #expect(state == .ok || findings[0].finding.contains(side), "\(findings)")
        }
    }

    @Test("A server that a tenant chose, and one whose peers agree with the clock, prove nothing about it")
    func foreignClocks() {
        func states(_ times: [(seconds: Int, isFixed: Bool)]) -> [DoctorFinding.State] {
            DoctorRules.clock(
                ClockFacts(
                    now: Self.now, isSynchronized: true,
                    serverTimes: times.map { time in
                        ServerTime(
                            source: "a.example", time: Self.now + .seconds(time.seconds), at: Self.now,
                            isFixed: time.isFixed)
                    })
            ).map(\.state)
        }
        #expect(states([(3600, false)]) == [.warning])
        #expect(states([(3600, false), (0, true)]) == [.warning])
        #expect(states([(3600, true), (0, true)]) == [.warning])
        #expect(states([(3600, true), (-3600, true)]) == [.warning, .warning])
        #expect(states([(3600, true), (0, false)]) == [.fault])
        #expect(states([(3600, true), (3601, true)]) == [.fault, .fault])
    }

    @Test("A clock before the last written change, or without a time service, is a finding")
    func pastClock() {
        func states(_ ahead: Int, synchronized: Bool? = true) -> [DoctorFinding.State] {
            DoctorRules.clock(
                ClockFacts(
                    now: Self.now, written: [("audit log", Self.now + .seconds(ahead))], isSynchronized: synchronized)
            ).map(\.state)
        }
        #expect(states(-9) == [.ok])
        #expect(states(5) == [.ok])
        #expect(states(6) == [.warning])
        #expect(states(301) == [.fault])
        #expect(states(0, synchronized: false) == [.warning])
        #expect(states(0, synchronized: nil) == [.ok])
    }

    private static func certificate(
        _ names: String? = "DNS:id.example", endsIn end: Duration, lifetime: Duration = .seconds(90 * 86_400)
    ) throws -> Certificate {
        let made = try TestAuthority().identity(names: names, from: now + end - lifetime, for: lifetime)
        return try #require(Certificate(der: made.der))
    }

    private static let day = Duration.seconds(86_400)

    @Test(
        "A certificate is late 21 days before its end, or in the last third of a short lifetime",
        arguments: [
            (30, 90, State.ok), (22, 90, .ok), (20, 90, .warning), (0, 90, .warning), (-1, 90, .fault), (3, 6, .ok),
            (1, 6, .warning), (95, 90, .fault),
        ])
    func expiry(daysLeft: Int, lifetime: Int, state: DoctorFinding.State) throws {
        let certificate = try Self.certificate(
            endsIn: Self.day * daysLeft + .seconds(60), lifetime: Self.day * lifetime)
        let findings = DoctorRules.certificates(
            [certificate], of: "a.pem", in: .certificates, for: ["id.example"], now: Self.now)
        #expect(findings.state == state)
        #expect(findings.allSatisfy { $0.advice != nil && $0.subject == "a.pem" })
    }

    @Test("A missing certificate, a missing name and an expired intermediate are faults")
    func chain() throws {
        let good = try Self.certificate(endsIn: Self.day * 60)
        let expired = try Self.certificate(nil, endsIn: .seconds(-86_400))
        func finding(_ chain: [Certificate], for hosts: [String] = []) -> String? {
            let findings = DoctorRules.certificates(chain, of: "a.pem", in: .issuers, for: hosts, now: Self.now)
            return findings.state == .fault ? findings[0].finding : nil
        }
        #expect(finding([good], for: ["id.example"]) == nil)
        #expect(finding([])?.contains("no readable certificate") == true)
        #expect(finding([good], for: ["id.example", "b.example"])?.contains("does not name b.example") == true)
        #expect(finding([good, expired])?.contains("intermediate certificate expired 1 day ago") == true)
    }

    @Test("A push certificate that expired, or does so soon, is named with what replaces it")
    func pushCertificate() throws {
        func finding(_ days: Int) throws -> DoctorFinding {
            let certificate = try Self.certificate(
                nil, endsIn: Self.day * days + .seconds(60), lifetime: Self.day * 365)
            return DoctorRules.pushCertificate(certificate, of: "shop: APNs app", now: Self.now)[0]
        }
        #expect(try finding(30).state == .ok)
        #expect(try finding(20).state == .warning)
        #expect(try finding(-1).state == .fault)
        #expect(try finding(-1).advice?.contains("countersign push set apns") == true)
    }

    @Test("A server that says that its store fails is a fault; another answer of its probe is none")
    func readiness() {
        func state(_ status: Int, _ body: JSONValue?) -> DoctorFinding.State? {
            DoctorRules.readiness("id.example", status: status, body: body)?.state
        }
        #expect(state(503, ["status": "unavailable"]) == .fault)
        #expect(state(200, ["status": "ready"]) == nil)
        #expect(state(503, nil) == nil, "a proxy's")
        #expect(state(404, ["error": "not_found"]) == nil)
    }

    @Test("OIDC Discovery 4.3: the host must answer over TLS as its own issuer")
    func issuer() throws {
        let certificate = try Self.certificate(endsIn: Self.day * 60)
        func finding(
            _ facts: IssuerFacts, _ presented: [Certificate]? = [certificate], server: Bool = true
        ) -> DoctorFinding {
            DoctorRules.issuer("id.example", facts, presented: presented, isServerHere: server, now: Self.now)[0]
        }
        let right = IssuerFacts.answered(status: 200, issuer: "https://id.example/")
        #expect(finding(right).state == .ok)
        #expect(finding(right, nil).state == .ok)
        let late = try Self.certificate(endsIn: Self.day)
        #expect(finding(right, [late]).state == .warning)
        #expect(finding(.answered(status: 200, issuer: "https://other.example/")).finding.contains("other.example"))
        #expect(finding(.answered(status: 200, issuer: nil)).state == .fault)
        #expect(finding(.answered(status: 502, issuer: nil)).finding.contains("status 502"))
        let refused = IssuerFacts.unreachable(.cannotConnect("refused"))
        #expect(finding(refused).state == .fault)
        #expect(finding(refused).advice?.contains("another machine") == true)
        #expect(finding(refused, nil, server: false).advice == "start the server: none runs on this data folder")
        let untrusted = IssuerFacts.unreachable(.untrusted("unknown authority"))
        #expect(finding(untrusted).finding == "unknown authority")
        let expired = try Self.certificate(endsIn: .seconds(-1))
        #expect(finding(untrusted, [expired]).finding.contains("expired"))
    }

    @Test("Each algorithm needs a current key that opens, and should have a next one")
    func keys() {
        typealias Key = KeyFacts.Key
        func states(_ keys: [Key], webPush: Result<Void, KeyFacts.Problem>? = .success(())) -> [DoctorFinding.State] {
            DoctorRules.keys(KeyFacts(tenant: "shop", keys: keys, webPush: webPush)).map(\.state)
        }
        let pair = [Key(algorithm: .rs256, status: .current), Key(algorithm: .rs256, status: .next)]
        #expect(states(pair) == [.ok])
        #expect(states([pair[0]]) == [.warning])
        #expect(states([pair[1]]) == [.fault])
        #expect(states(pair + [Key(algorithm: .es256, status: .previous)]) == [.fault])
        #expect(states([Key(algorithm: .rs256, status: .current, problem: "closed"), pair[1]]) == [.fault])
        #expect(states([]) == [.fault])
        #expect(states(pair, webPush: nil) == [.warning])
        #expect(states(pair, webPush: .failure(KeyFacts.Problem(text: "closed"))) == [.fault])
    }

    @Test("A queue whose oldest entry waits for 10 minutes, or that gave up entries today, is a warning")
    func queues() {
        func states(_ waiting: Int, _ age: Int, dead: Int = 0, recent: Int = 0) -> [DoctorFinding.State] {
            DoctorRules.queue(
                QueueFacts(name: "mail", waiting: waiting, age: .seconds(age), dead: dead, recentlyDead: recent)
            ).map(\.state)
        }
        #expect(states(0, 0) == [.ok])
        #expect(states(9, 600) == [.ok])
        #expect(states(1, 601) == [.warning])
        #expect(states(0, 0, dead: 5) == [.ok])
        #expect(states(1, 601, dead: 5, recent: 1) == [.warning, .warning])
        func advice(_ tenants: [String]) -> String? {
            let facts = QueueFacts(name: "mail", waiting: 0, age: .zero, dead: 1, recentlyDead: 1)
            return DoctorRules.queue(facts, tenants: tenants).last?.advice
        }
        #expect(advice(["shop"]) == "find the reasons with countersign deliveries")
        #expect(advice(["a", "b"])?.hasSuffix("countersign deliveries --tenant TENANT, for each of a, b") == true)
        #expect(advice(["a", "b", "c", "d", "e", "f"])?.hasSuffix("a, b, c, d, e and the others") == true)
    }

    @Test("A database that another process has locked needs no backup")
    func locked() {
        let finding = DoctorRules.database(SQLError.busy, path: "countersign.db", isFile: true)
        #expect(finding.state == .fault && finding.finding.contains("locked"))
        #expect(finding.advice?.contains("end the process") == true)
    }

    @Test("Values that do not open are named, at most five of a table")
    func sealedValues() {
        func judge(_ closed: [String]) -> DoctorFinding {
            DoctorRules.sealedValues(
                [SealedValueCount(table: "connection", checked: 9, unreadable: closed)], limit: 9)[0]
        }
        #expect(judge([]).finding == "9 sealed values and rows open; of large tables only the first 9")
        let names = (1...7).map { "connection shop \($0)" }
        #expect(judge(names).state == .fault)
        #expect(judge(names).finding.hasSuffix("connection shop 5 and 2 others"))
    }

    @Test("A write-ahead log of 200 MB is a warning")
    func log() {
        #expect(DoctorRules.writeAheadLog(199e6, path: "wal").state == .ok)
        #expect(DoctorRules.writeAheadLog(200e6, path: "wal").state == .warning)
    }

    @Test("The summary has the worst state, and a number for each")
    func summary() {
        let ok = DoctorFinding.ok(.disk, "data", "much")
        let skipped = DoctorFinding.skipped(.dns, "network", "offline")
        let warning = DoctorFinding.warning(.clock, "system", "slow", advice: "set it")
        #expect([DoctorFinding]().state == .ok)
        #expect([ok, skipped].state == .ok)
        #expect([ok, warning].state == .warning)
        #expect([.fault(.keys, "shop", "none", advice: "make one"), warning].state == .fault)
        #expect(
            [ok, warning].json == [
                "findings": [
                    ["name": "disk", "subject": "data", "state": "ok", "finding": "much", "advice": .null],
                    ["name": "clock", "subject": "system", "state": "warning", "finding": "slow", "advice": "set it"],
                ],
                "summary": ["state": "warning", "ok": 1, "skipped": 0, "warning": 1, "fault": 0],
            ])
    }

    @Test("A blocked check counts as a fault; faults of what a wanted check needs are kept, and of nothing else")
    func prerequisites() {
        var scope = Doctor.Scope()
        scope.checks = [.keys]
        let closed = DoctorFinding.fault(.masterKey, "key", "another one", advice: "use the right one")
        let blocked = DoctorFinding.blocked(.keys, "key", "needs the right master key")
        let full = DoctorFinding.fault(.disk, "data", "full", advice: "free some")
        let found = scope.wanted([full, blocked, closed, .ok(.database, "file", "sound")])
        #expect(found == [closed, blocked])
        #expect([blocked].state == .fault)
        #expect([DoctorFinding.skipped(.keys, "key", "--offline was given")].state == .ok)
        for check in DoctorCheck.allCases {
            #expect(check.prerequisites.contains(.settings))
            #expect(!check.needsMasterKey || check.needsDatabase, "\(check)")
        }
    }

    private func stuck(_ subject: String, within limit: Duration? = nil) -> Examination {
        Examination([.dns, .issuers], subject, within: limit) {
            // Cancelled at the end.
            try? await Task.sleep(for: .seconds(600))
            return []
        }
    }

    @Test("Each check of a late examination has a fault, and each of one that never began a warning")
    func lateness() async {
        let timer = ManualTimer(ManualClock())
        let examinations = (0...Examination.width).map { stuck("\($0)") }
        let work = Task { await examinations.findings(within: .seconds(20), by: timer) { _ in } }
        await timer.awaitSleepers()
        timer.advance(by: .seconds(20))
        let findings = await work.value
        #expect(findings.count(.fault) == 2 * Examination.width)
        let others = findings.filter { $0.state == .warning }
        #expect(others.map(\.check) == [.dns, .issuers])
        #expect(others.allSatisfy { $0.finding == "not examined for lack of time" })
    }

    @Test("An examination that exceeds its own time ends, while the others go on")
    func ownLimit() async {
        let timer = ManualTimer(ManualClock())
        let work = Task {
            await [stuck("slow", within: .seconds(2))].findings(within: .seconds(20), by: timer) { _ in }
        }
        await timer.awaitSleepers(2)
        timer.advance(by: .seconds(2))
        #expect(await work.value.map(\.finding) == ["not finished within 2 seconds", "not finished within 2 seconds"])
    }

    @Test("An examination that never ends is a fault at the deadline, and the others have their findings")
    func deadline() async {
        let clock = ManualClock()
        let timer = ManualTimer(clock)
        let (never, release) = AsyncStream.makeStream(of: Void.self)
        let quick = (0..<100).map { number in
            Examination([.dns], "\(number)") { [.ok(.dns, "\(number)", "192.0.2.1")] }
        }
        let stuck = Examination([.issuers], "id.example") {
            for await _ in never {}
            return []
        }
        let work = Task {
            await (quick + [stuck]).findings(within: .seconds(20), by: timer) { done in
                if done == quick.count { timer.advance(by: .seconds(20)) }
            }
        }
        let findings = await work.value
        release.finish()
        #expect(findings.dropLast().map(\.subject) == (0..<100).map(String.init))
        #expect(findings.last?.state == .fault)
        #expect(findings.last?.finding == "not finished within 20 seconds")
    }

    private struct DatedClient: OutgoingHTTPClient {
        let policy = OutgoingPolicy()
        let date: String

        func send(_ request: OutgoingRequest) async throws(HTTPClientError) -> ClientResponse {
            ClientResponse(status: 200, fields: ["Date": date], body: [])
        }
    }

    @Test("RFC 9110 6.6.1: the Date of a provider's answers is compared with the clock, once for each server")
    func serverTimes() async throws {
        let clock = ManualClock(Timestamp(seconds: 1_795_168_800))
        let times = ServerTimes(clock)
        let client = times.recording(DatedClient(date: "Fri, 20 Nov 2026 10:01:00 GMT"))
        for path in ["a", "b"] {
            _ = try await client.send(ClientRequest(method: .get, url: "https://push.example:443/\(path)"))
        }
        _ = try await times.recording(DatedClient(date: "yesterday")).send(
            ClientRequest(method: .get, url: "https://other.example/"))
        #expect(times.all.map(\.source) == ["push.example:443"])
        let findings = DoctorRules.clock(ClockFacts(now: clock.now, isSynchronized: true, serverTimes: times.all))
        #expect(findings.map(\.finding) == ["the clock is 1 minute behind that server's"])
    }
}
