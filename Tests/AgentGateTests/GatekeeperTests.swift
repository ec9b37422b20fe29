import AgentGate
import AuthorizationCore
import CountersignClient
import Foundation
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("The gate and its server")
struct GatekeeperTests {
    private func isAllowed(_ decision: GateDecision) -> Bool { if case .allow = decision { true } else { false } }
    private func isDenied(_ decision: GateDecision) -> Bool { if case .deny = decision { true } else { false } }
    private func isWaiting(_ decision: GateDecision) -> Bool { if case .wait = decision { true } else { false } }

    @Test("A yes runs the call once; the same call later asks again; nothing stays behind")
    func once() async throws {
        let world = try await GateWorld()
        let call = GateWorld.command("git push")
        #expect(isAllowed(try await world.hook(call)))
        #expect(try world.pendingFiles.isEmpty)
        #expect(isAllowed(try await world.hook(call)))
        #expect(world.requests.count == 2)
        #expect(world.faults.withLock { $0 } == [])
    }

    @Test("The same id of a call is never allowed twice")
    func replayedID() async throws {
        let world = try await GateWorld()
        let call = GateWorld.command("git push", id: "toolu_1")
        #expect(isAllowed(try await world.hook(call)))
        #expect(isDenied(try await world.hook(call)))
        #expect(world.requests.count == 1)
    }

    @Test("Two hooks at once with the same id of a call ring once, and one of them gets the yes")
    func sameIDAtOnce() async throws {
        let world = try await GateWorld()
        world.plan { _ in GateWorld.Plan(delay: .seconds(100)) }
        let call = GateWorld.command("git push", id: "toolu_1")
        async let first = world.hook(call)
        async let second = world.hook(call)
        let decisions = try await [first, second]
        #expect(decisions.filter(isAllowed).count == 1, "\(decisions)")
        #expect(world.requests.count == 1)
    }

    @Test("A yes that cannot be checked is a no, and the same call rings again")
    func unchecked() async throws {
        let world = try await GateWorld()
        world.dieAfterApproval()
        let call = GateWorld.command("git push")
        let decision = try await world.hook(call)
        #expect(isDenied(decision) && decision.reason.contains("asks again"), "\(decision)")
        try await world.restart()
        #expect(isAllowed(try await world.hook(call)))
        #expect(world.requests.count == 2)
    }

    @Test("A no is told with the person's words, quoted; too late and nobody are told, too")
    func refused() async throws {
        let world = try await GateWorld()
        world.plan { _ in GateWorld.Plan(accepted: false, reason: "not \"now\"") }
        let decision = try await world.hook(GateWorld.command("git push"))
        #expect(isDenied(decision) && decision.reason.contains(#"Their words: "not \"now\"""#), "\(decision.reason)")
        world.plan { _ in nil }
        let late = try await world.hook(GateWorld.command("make"), wait: .seconds(1000), expiry: .seconds(300))
        #expect(isDenied(late) && late.reason.contains("Nobody answered in time"), "\(late.reason)")
        let nobody = try await world.hook(GateWorld.command("make"), user: "auth0|nobody")
        #expect(isDenied(nobody) && nobody.reason.contains("no such user"), "\(nobody.reason)")
        #expect(try world.pendingFiles.isEmpty)
    }

    @Test("A wait that ends tells the agent to ask again, and the same call goes on with the same request")
    func waiting() async throws {
        let world = try await GateWorld()
        world.plan { _ in GateWorld.Plan(delay: .seconds(2000)) }
        var answers = 0
        var decision = try await world.hook(GateWorld.command("git push", id: "toolu_0"))
        while isWaiting(decision) {
            #expect(decision.reason.contains("exactly the same call again"))
            answers += 1
            // The agent's second attempt has another id, and may describe the command in other words.
            let again = AgentCall(
                session: "s", id: "toolu_\(answers)", tool: "Bash", folder: "/home/ann/shop",
                input: ["description": .string("try \(answers)"), "command": "git push"])
            decision = try await world.hook(again)
        }
        #expect(isAllowed(decision) && answers >= 3 && world.requests.count == 1, "\(decision)")
    }

    @Test("A hook that was killed before the server's answer arrived finds the same request again")
    func killedWhileStarting() async throws {
        let world = try await GateWorld()
        world.loseStarts(1000)
        let call = GateWorld.command("git push")
        if case .leave = try await world.hook(call) {} else { Issue.record("the server was reached") }
        world.loseStarts(0)
        #expect(isAllowed(try await world.hook(call)))
        #expect(world.requests.count == 1)
    }

    @Test("A hook that is stopped in the middle of its wait keeps its request")
    func stopped() async throws {
        let world = try await GateWorld()
        world.plan { _ in nil }
        let call = GateWorld.command("git push")
        let hook = Task { try await world.hook(call) }
        world.onSleep { _ in hook.cancel() }
        #expect(isWaiting(try await hook.value))
        world.onSleep(nil)
        try await world.allow(world.requests[0])
        #expect(isAllowed(try await world.hook(call)))
        #expect(world.requests.count == 1)
    }

    @Test("The approval of one call lets no other call run, wherever its file was copied")
    func anotherCall() async throws {
        let world = try await GateWorld()
        world.plan { _ in nil }
        let (harmless, harmful) = (GateWorld.command("ls"), GateWorld.command("rm -rf /"))
        #expect(isWaiting(try await world.hook(harmless)))
        let file = try #require(try world.pendingFiles.first)
        #expect(isWaiting(try await world.hook(harmful)))
        let other = try #require(try world.pendingFiles.first { $0 != file })
        var forged = try #require(try JSONReader.parse(Array(Data(contentsOf: URL(filePath: other)))).objectValue)
        forged["request"] = try JSONReader.parse(Array(Data(contentsOf: URL(filePath: file))))["request"]
        try Data(JSONWriter.bytes(.object(forged))).write(to: URL(filePath: other))
        try await world.allow(world.requests[0])
        let decision = try await world.hook(harmful)
        #expect(isDenied(decision) && decision.reason.contains("something else"), "\(decision)")
        // The stolen approval is spent, so the harmless call asks again.
        #expect(isDenied(try await world.hook(harmless)))
    }

    @Test("A changed, copied or unreadable file of a pending call leads to no yes that was not given")
    func changedFile() async throws {
        let world = try await GateWorld()
        world.plan { _ in nil }
        let call = GateWorld.command("git push")
        #expect(isWaiting(try await world.hook(call)))
        let file = try #require(try world.pendingFiles.first)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for changed in [
            "", "{}", text.replacing("git push", with: "git pull"), text.replacing("auth0|ann", with: "auth0|bob"),
        ] {
            try Data(changed.utf8).write(to: URL(filePath: file))
            #expect(isWaiting(try await world.hook(call)), "\(changed)")
        }
        #expect(world.requests.count == 5)
        // An approved file that is put back after its use does not count again.
        world.plan { _ in GateWorld.Plan() }
        let kept = GateWorld.command("make", id: "toolu_9")
        world.onSleep { world in
            for path in try world.pendingFiles {
                try? FileManager.default.copyItem(atPath: path, toPath: "\(path).kept")
            }
        }
        #expect(isAllowed(try await world.hook(kept)))
        world.onSleep(nil)
        let folder = "\(world.folder.path)/pending"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".kept") {
            try? FileManager.default.moveItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/\(name.dropLast(5))")
        }
        #expect(isDenied(try await world.hook(kept)))
    }

    @Test("Two hooks at once for equal calls ask twice, and each yes runs one of them")
    func atOnce() async throws {
        let world = try await GateWorld()
        world.plan { GateWorld.Plan(delay: .seconds(100), accepted: $0 == 0) }
        let call = GateWorld.command("git push")
        async let first = world.hook(call)
        async let second = world.hook(call)
        let decisions = try await [first, second]
        #expect(decisions.filter(isAllowed).count == 1 && decisions.filter(isDenied).count == 1, "\(decisions)")
        #expect(world.requests.count == 2)
    }

    @Test("A limit of the server is waited for; at the deadline the agent is told to ask again")
    func limited() async throws {
        let world = try await GateWorld { $0.tenant.settings.requestsPerMinutePerUser = 1 }
        #expect(isAllowed(try await world.hook(GateWorld.command("a"))))
        #expect(isAllowed(try await world.hook(GateWorld.command("b"))))
        #expect(isWaiting(try await world.hook(GateWorld.command("c"), wait: .seconds(1))))
        #expect(isAllowed(try await world.hook(GateWorld.command("c"))))
        #expect(world.requests.count == 3)
    }

    @Test("A server without the API, and a client that may not wait long, are told with the way out")
    func advice() async throws {
        let bare = try await GateWorld { $0.apis.removeLast() }
        #expect(isDenied(try await bare.hook(GateWorld.command("a"))))
        let short = try await GateWorld { $0.clients[0].allowsLongPush = false }
        let decision = try await short.hook(GateWorld.command("a"))
        #expect(isDenied(decision) && decision.reason.contains("allow_long_push"), "\(decision)")
        let small = try await GateWorld { $0.tenant.settings.authorizationDetailsLimits.valueLength = 10 }
        let refused = try await small.hook(GateWorld.command("a"))
        #expect(isDenied(refused) && refused.reason.contains("api create --agent-tools"), "\(refused)")
    }

    @Test("The folder of pending calls is closed to others, or the gate refuses to work")
    func folder() async throws {
        let world = try await GateWorld()
        world.plan { _ in nil }
        #expect(isWaiting(try await world.hook(GateWorld.command("a"))))
        let file = try #require(try world.pendingFiles.first)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(file) == 0o600)
        let folder = "\(world.folder.path)/pending"
        #expect(try mode(folder) == 0o700)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        #expect(throws: (any Error).self) { try PendingCalls(folder: folder) }
        let gate = GateFolder(world.folder.path)
        try gate.check()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: gate.path)
        #expect(throws: (any Error).self) { try gate.check() }
        #expect(throws: (any Error).self) { try gate.make() }
    }

    @Test(
        "200 prompts, answered after 1 second to 12 hours, with a server killed midway: none is lost, none runs without a yes"
    )
    func manyPrompts() async throws {
        let world = try await GateWorld()
        let count = 200
        @Sendable func plan(_ index: Int) -> GateWorld.Plan {
            let delay = 1.0 * Foundation.pow(43_100, Double(index) / Double(count - 1))
            return GateWorld.Plan(delay: .seconds(Int64(delay)), accepted: index % 7 != 3)
        }
        world.plan(plan)
        let killed = Mutex<Timestamp?>(nil)
        world.onSleep { world in
            guard let until = killed.withLock({ $0 }) else { return }
            if world.now >= until {
                killed.withLock { $0 = nil }
                try await world.restart()
            } else {
                world.kill()
            }
        }
        var allowed = 0
        for index in 0..<count {
            if index % 10 == 5 { world.loseStarts(1) }
            if index % 20 == 19 { killed.withLock { $0 = world.now + .seconds(400) } }
            let call = GateWorld.command("make step-\(index)", id: index.isMultiple(of: 2) ? "toolu_\(index)" : nil)
            var decision = try await world.hook(call)
            var attempts = 0
            while true {
                if case .wait = decision {} else if case .leave = decision {} else { break }
                attempts += 1
                try #require(attempts < 500)
                decision = try await world.hook(
                    GateWorld.command("make step-\(index)", id: "toolu_\(index)_\(attempts)"))
            }
            #expect(isAllowed(decision) == plan(index).accepted, "prompt \(index): \(decision)")
            if isAllowed(decision) { allowed += 1 }
        }
        #expect(world.requests.count == count)
        #expect(allowed == (0..<count).filter { plan($0).accepted }.count)
        #expect(try world.pendingFiles.isEmpty)
        #expect(world.faults.withLock { $0 } == [])
    }
}
