import AuthorizationCore
@testable import CountersignServer
import Flows
import Foundation
import HTTPModel
import PostgreSQLCluster
import PostgreSQLDriver
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

@Suite("A store on PostgreSQL", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
struct StoreOnServerTests {
    private static let configuration = """
        { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com" } ] }
        """

    @Test(
        "Commands make, read and check a store on a server, and a second node needs its address and the master key alone"
    )
    func commands() async throws {
        let made = try PostgreSQLCluster.started.makeDatabase()
        let (folder, store) = (try Folder(), ["COUNTERSIGN_STORE": made.uri])
        try folder.write(Self.configuration, to: "acme.json")
        func run(_ words: [String], in folder: Folder) async throws -> (status: Int32, output: String, errors: String) {
            let result = try await Program.run(words, in: folder.url, environment: store)
            return (result.status, result.output, result.errors)
        }
        let missing = try await run(["tenant", "list"], in: folder)
        #expect(
            missing.status == 1 && missing.errors.contains("at \(made.folder)"), "it says where it looked: \(missing)")
        #expect(!missing.errors.contains("folder"), "\(missing)")
        let applied = try await run(["apply", "acme.json", "--create"], in: folder)
        try #require(applied.status == 0, "\(applied.errors)")
        #expect(!folder.exists("countersign-data/countersign.db"))
        let keys = try await run(["keys", "list", "--json"], in: folder)
        #expect(try JSONReader.parse(keys.output).arrayValue?.count == 2)
        let verified = try await run(["log", "verify"], in: folder)
        #expect(verified.status == 0, "\(verified)")

        // Another node: a folder of its own, first without the key.
        let node = try Folder()
        try FileManager.default.createDirectory(
            at: node.url.appending(path: "countersign-data"), withIntermediateDirectories: false)
        let refused = try await run(["serve", "--port", "0", "--metrics-port", "none"], in: node)
        let complaint = "a master key that is missing"
        #expect(refused.status != 0 && refused.errors.components(separatedBy: complaint).count == 2, "\(refused)")
        let closed = try await run(["keys", "rotate"], in: node)
        #expect(closed.status == 1 && closed.errors.contains("a master key that is missing"), "\(closed)")
        try FileManager.default.copyItem(
            at: folder.url.appending(path: "countersign-data/master.key"),
            to: node.url.appending(path: "countersign-data/master.key"))
        let rotated = try await run(["keys", "rotate"], in: node)
        #expect(rotated.status == 0, "\(rotated)")
        let after = try await run(["keys", "list", "--json"], in: folder)
        #expect(try JSONReader.parse(after.output).arrayValue?.count == 3)

        for words in [["backup", "copy.db"], ["restore", "copy.db", "--create"]] {
            let refused = try await run(words, in: folder)
            #expect(refused.status != 0 && refused.errors.contains("pg_dump"), "\(refused)")
        }
        let doctor = try await run(["doctor", "--offline"], in: folder)
        #expect(doctor.output.contains("PostgreSQL \(try await version(made))"), "\(doctor)")
        // The tests' server is quick and forgetful.
        #expect(doctor.output.contains("fsync is off"), "\(doctor)")
        #expect(doctor.output.contains("every account of the server may connect"), "\(doctor)")
    }

    @Test("A command makes no folder for a database of a server, and names an empty one with the next step")
    func noFolder() async throws {
        let made = try PostgreSQLCluster.started.makeDatabase()
        let store = ["COUNTERSIGN_STORE": made.uri]
        let reading = ["keys list", "tenant list", "log list", "log verify", "deliveries", "export --output x"]
        let changing = [
            "keys rotate", "log archive --before 2020-01-01T00:00:00Z x", "key-exchange", "doctor --offline",
        ]
        let commands = (reading + changing).map { $0.split(separator: " ").map(String.init) }
        for words in commands {
            let folder = try Folder()
            let result = try await Program.run(words, in: folder.url, environment: store)
            let said = result.output + result.errors
            #expect(result.status == 1, "\(words): \(said)")
            #expect(said.contains("\(made.name) at \(made.folder)"), "\(words): \(said)")
            #expect(said.contains("has no tables of an installation"), "\(words): \(said)")
            #expect(said.contains("countersign serve with it first"), "\(words): \(said)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [], "\(words)")
        }
        let first = try Folder()
        try first.write(Self.configuration, to: "acme.json")
        let offered = try await Program.run(["apply", "acme.json"], in: first.url, environment: store)
        #expect(offered.status == 1 && offered.errors.contains("--create"), "\(offered.errors)")
        #expect(!first.exists("countersign-data"))
        let applied = try await Program.run(["apply", "acme.json", "--create"], in: first.url, environment: store)
        try #require(applied.status == 0, "\(applied.errors)")
        for words in commands {
            let folder = try Folder()
            _ = try await Program.run(words, in: folder.url, environment: store)
            #expect(!folder.exists("countersign-data"), "\(words)")
        }
    }

    @Test(
        "doctor has advice for a server that cannot be reached, and names settings with a password that others may read"
    )
    func unreachable() async throws {
        let folder = try Folder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "countersign-data"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try folder.write(#"{ "store": "postgres://ann:hidden@127.0.0.1:1/db" }"#, to: "settings.json")
        func doctor(mode: Int) async throws -> String {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.url.appending(path: "settings.json").path)
            let result = try await Program.run(
                ["doctor", "--offline", "--config", "settings.json"], in: folder.url)
            #expect(result.status == 1 && !result.output.contains("hidden"))
            return result.output
        }
        let open = try await doctor(mode: 0o644)
        #expect(open.contains("check that its server runs"), "\(open)")
        #expect(!open.contains("this account may read the file"), "\(open)")
        #expect(open.contains("run: chmod 0640 settings.json"), "\(open)")
        #expect(try await !doctor(mode: 0o640).contains("chmod"))
        try folder.write(#"{ "store": "postgres://ann@127.0.0.1:1/db" }"#, to: "settings.json")
        #expect(try await !doctor(mode: 0o644).contains("chmod"))
    }

    @Test("The log names the store, and has one line when it goes and one when it is back", .timeLimit(.minutes(2)))
    func outage() async throws {
        let made = try PostgreSQLCluster.started.makeDatabase()
        let server = try await RunningServer(in: try Folder(), environment: ["COUNTERSIGN_STORE": made.uri])
        #expect(await server.program.errors.wait(for: "listening"))
        let address = try PostgreSQLAddress(parsing: made.uri).database("postgres")
        let administration = try PostgreSQLDatabase(PostgreSQLConfiguration(address))
        let name = made.name
        _ = try await administration.write { connection in
            try connection.execute("ALTER DATABASE \(raw: name) ALLOW_CONNECTIONS false")
        }
        _ = try await administration.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \(name)"
        ) { try $0.int(0) }
        #expect(await server.program.errors.wait(for: "database away"))
        for _ in 0..<5 {
            let answer = try await server.get("readyz")
            #expect(answer.status == 503)
            try await Task.sleep(for: .seconds(1))
        }
        _ = try await administration.write { connection in
            try connection.execute("ALTER DATABASE \(raw: name) ALLOW_CONNECTIONS true")
        }
        await administration.close()
        #expect(await server.program.errors.wait(for: "database back"))
        #expect(try await server.get("readyz").status == 200)
        #expect(await server.stop() == 0)
        let lines = await server.program.errors.all().split(separator: "\n")
        let listening = lines.filter { $0.contains(" listening ") }
        #expect(listening.count == 1)
        #expect(listening.allSatisfy { $0.contains("store=postgresql") && $0.contains("\(name) at ") }, "\(listening)")
        #expect(lines.filter { $0.contains(" error ") }.count == 1, "\(lines)")
        #expect(lines.filter { $0.contains("database away") || $0.contains("database back") }.count == 2, "\(lines)")
    }

    private func version(_ made: PostgreSQLCluster.Database) async throws -> String {
        let database = try PostgreSQLDatabase(made.configuration)
        let facts = try await database.read { try PostgreSQLFacts($0) }
        await database.close()
        return facts.version
    }

    @Test("A password in the store's address appears in no message")
    func password() async throws {
        let folder = try Folder()
        for store in ["postgres://ann:hidden@127.0.0.1:1/db", "postgres://ann:hidden@db/", "mysql://ann:hidden@db/c"] {
            for (words, environment) in [
                (["tenant", "list"], ["COUNTERSIGN_STORE": store]), (["tenant", "list", "--store", store], [:]),
            ] {
                let result = try await Program.run(words, in: folder.url, environment: environment)
                #expect(result.status != 0)
                #expect(!(result.output + result.errors).contains("hidden"), "\(result.errors)")
            }
            try folder.write(#"{ "store": "\#(store)" }"#, to: "settings.json")
            let result = try await Program.run(["tenant", "list", "--config", "settings.json"], in: folder.url)
            #expect(result.status != 0)
            #expect(!(result.output + result.errors).contains("hidden"), "\(result.errors)")
        }
    }

    private final class Hearer: Sendable {
        private let state = Mutex((texts: [String](), listens: false))

        var texts: [String] { state.withLock(\.texts) }
        var listens: Bool { state.withLock(\.listens) }

        @Sendable func add(_ text: String) { state.withLock { $0.texts.append(text) } }
        @Sendable func doubt() { state.withLock { $0.listens = true } }
    }

    @Test(
        "An account of the database reads no announcement of nodes, forges none, and is not heard if it repeats one",
        .timeLimit(.minutes(1)))
    func sealedAnnouncements() async throws {
        let made = try PostgreSQLCluster.started.makeDatabase()
        let links = try (0..<2).map { _ in try StoreLink(made.configuration, Samples.sealer, clock: SystemClock()) }
        // Strangers have no master key. One hears what the other sends.
        let strangers = try (0..<2).map { _ in try PostgreSQLNotifications(made.configuration) { "lost" } }
        let stranger = strangers[0]
        let (teller, hearer, silent, strange) = (Hearer(), Hearer(), Hearer(), Hearer())
        let doubts = Mutex(0)
        let listening = [
            Task { [link = links[0]] in await link.listen({ teller.add($0.text) }, doubt: teller.doubt) },
            Task { [link = links[1]] in
                await link.listen({ hearer.add($0.text) }) {
                    doubts.withLock { $0 += 1 }
                    hearer.doubt()
                }
            },
            Task { await strangers[0].listen({ _ in }, doubt: silent.doubt) },
            Task { await strangers[1].listen({ strange.add(String($0)) }, doubt: strange.doubt) },
        ]
        while ![teller, hearer, silent, strange].allSatisfy(\.listens) {
            try Task.checkCancellation()
            await Task.yield()
        }
        func announcement(_ number: Int) -> Announcement { .streamsEnd(DeviceID("dev_\(number)")) }
        stranger.send(announcement(0).text)
        stranger.send("lost")
        links[0].announce(announcement(1))
        while strange.texts.count < 3 {
            try Task.checkCancellation()
            await Task.yield()
        }
        for text in strange.texts { stranger.send(text) }
        while strange.texts.count < 6 {
            try Task.checkCancellation()
            await Task.yield()
        }
        links[0].announce(announcement(2))
        while hearer.texts.count < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(hearer.texts == [announcement(1).text, announcement(2).text])
        #expect(teller.texts.isEmpty, "a node heard itself")
        #expect(doubts.withLock { $0 } == 1, "a stranger made a node doubt")
        #expect(strange.texts.allSatisfy { !$0.contains("dev_1") })
        for task in listening {
            task.cancel()
            await task.value
        }
    }

    @Test("doctor warns of settings that lose acknowledged changes, of too few connections and of another clock")
    func rules() {
        func facts(_ change: (inout PostgreSQLFacts) -> Void) -> [DoctorFinding.State] {
            var facts = PostgreSQLFacts(
                version: "15.4", durability: [:], maximumConnections: 100, connections: 1, time: 1_800_000_000_000)
            change(&facts)
            return DoctorRules.server(facts, needed: 12, now: Timestamp(seconds: 1_800_000_000), place: "db").map(
                \.state)
        }
        #expect(facts { $0.standbys = [PostgreSQLFacts.Standby(name: "b", bytesBehind: 1_000_000)] } == [.ok])
        #expect(
            facts { $0.standbys = [PostgreSQLFacts.Standby(name: "b", bytesBehind: 100_000_000)] } == [.ok, .warning])
        #expect(facts { $0.isStandby = true } == [.ok, .fault])
        #expect(facts { $0.encoding = "SQL_ASCII" } == [.ok, .fault])
        #expect(facts { $0.isOpenToNetwork = true } == [.ok, .warning])
        #expect(facts { $0.isOpenToAll = true } == [.ok, .warning])
        #expect(facts { $0.others = ["ann"] } == [.ok, .warning])
        func awaiting(_ setting: String, _ following: Int, isUnlimited: Bool = true) -> [DoctorFinding.State] {
            facts {
                $0.awaited = PostgreSQLFacts.AwaitedStandbys(parsing: setting, following: following)
                $0.isAccountUnlimited = isUnlimited
            }
        }
        for setting in ["b", #""b""#, "1 (b)", "FIRST 1 (b)", "ANY 2 (b, c)", "any 1 (*)"] {
            #expect(awaiting(setting, 1) == [.ok, .warning], "\(setting)")
            #expect(awaiting(setting, 1, isUnlimited: false) == [.ok, .ok], "\(setting)")
        }
        for setting in ["", "b, c", "ANY 1 (b, c)", "FIRST 2 (b,c,d)"] { #expect(awaiting(setting, 0) == [.ok]) }
        #expect(awaiting("*", 2) == [.ok])
        #expect(facts { $0.isVacuumed = false } == [.ok, .warning])
        #expect(facts { $0.transactionAge = 1_100_000_000 } == [.ok, .warning])
        #expect(facts { $0.transactionAge = 1_900_000_000 } == [.ok, .fault])
        let now = Timestamp(seconds: 1_800_000_000)
        func findings(
            _ durability: [String: String] = [:], maximum: Int = 100, taken: Int = 10, late: Int64 = 0
        ) -> [DoctorFinding] {
            let facts = PostgreSQLFacts(
                version: "15.4", durability: durability, maximumConnections: maximum, connections: taken,
                time: now.milliseconds - late)
            return DoctorRules.server(facts, needed: 12, now: now, place: "db")
        }
        #expect(findings(["fsync": "on", "synchronous_commit": "remote_apply"]).map(\.state) == [.ok])
        #expect(findings(["fsync": "off", "synchronous_commit": "off"]).map(\.state) == [.ok, .fault, .fault])
        #expect(findings(maximum: 16).map(\.state) == [.ok, .fault])
        #expect(findings(taken: 89).map(\.state) == [.ok, .warning])
        #expect(findings(late: 1001).map(\.state) == [.ok, .warning])
        #expect(findings(late: -1001).map(\.state) == [.ok, .warning])
    }
}
