import Foundation
import Guardian
@testable import GuardianCommand
import GuardianWire
import HTTPModel
import Localization
import PhoneScreen
import Primitives
import Synchronization
import Terminal
import Testing

@Suite("guardian: requests and answers", .timeLimit(.minutes(2)))
struct AnswerCommandTests {
    let home = Home()

    @Test("The card shows everything that is asked, and nothing in it drives the terminal")
    func card() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let phone = try await home.phone(on: server, output: screen.output())
        try await Watch(phone: phone, answer: .allow, limit: 1).run()
        for text in [
            "Shopping agent asks for your approval", "TX-4711", "Shopping agent (c1)", "https://pay.example/", "openid",
            "pay:send: Send money", "payment", "amount", "│ value", "12", "│ currency", "EUR", "│ 1.", "Ann", "│ 2.",
            "Bob", "time left", "cns_1", "allowed cns_1",
        ] {
            #expect(screen.standard.contains(text), "\(text)")
        }
        #expect(!screen.standard.contains("\u{1B}"))
        #expect(!screen.standard.contains("tx-token"))
        #expect(server.answers.map { $0["auth0_guardian_accepted"] } == [true])
    }

    @Test("watch asks: yes allows, no rejects with the reason", arguments: [("y", true), ("n", false)])
    func ask(typed: String, allowed: Bool) async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        let phone = try await home.phone(on: server, output: Screen().output { typed })
        try await Watch(phone: phone, answer: .ask, reason: "hacked", limit: 1).run()
        #expect(server.answers.count == 1)
        #expect(server.answers.first?["auth0_guardian_accepted"]?.boolValue == allowed)
        #expect(server.answers.first?["auth0_guardian_reason"]?.stringValue == (allowed ? nil : "hacked"))
    }

    @Test("A request that is withdrawn while it is asked about is let go, and the next one is shown")
    func withdrawn() async throws {
        let server = FakeServer([FakeServer.request(1), FakeServer.request(2)])
        #expect(await home.enroll(on: server) == 0)
        let requests = Mutex(0)
        let screen = Screen()
        let output = screen.output {
            let first = requests.withLock { requests in
                requests += 1
                return requests == 1
            }
            guard first else { return "y" }
            server.push(DeviceEvent(id: 3, content: .withdrawal(transactionLinkingID: "cns_1")))
            try? await Task.sleep(for: .seconds(60))
            return nil
        }
        try await Watch(phone: try await home.phone(on: server, output: output), answer: .ask, limit: 1).run()
        #expect(screen.standard.contains("withdrawn cns_1"))
        #expect(screen.standard.contains("allowed cns_2"))
        #expect(server.answers.count == 1)
    }

    @Test("A request whose time is over is not asked about any longer")
    func expired() async throws {
        let server = FakeServer([FakeServer.request(1)], expiresAt: Timestamp(seconds: 1_795_168_801))
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let clock = Mutex(Date(timeIntervalSince1970: 1_795_168_800.99))
        let output = screen.output {
            clock.withLock { $0 += 1 }
            try? await Task.sleep(for: .seconds(60))
            return "y"
        }
        let phone = try await home.phone(on: server, output: output, json: true)
        let watch = Watch(phone: phone, answer: .ask, now: { clock.withLock(\.self) })
        let running = Task { try await watch.run() }
        await screen.wait { $0.standard.contains(#"{"event":"expired","id":"cns_1","headline":["€12"]}"#) }
        running.cancel()
        _ = await running.result
        #expect(server.answers.isEmpty)
    }

    @Test("allow answers the one request that waits, or the one that is named; never one of several")
    func allow() async throws {
        let server = FakeServer([FakeServer.request(1), FakeServer.request(2)])
        #expect(await home.enroll(on: server) == 0)
        let (several, screen) = await home.run(["allow"], on: server)
        #expect(several == 1)
        #expect(
            screen.diagnostics == """
                REQUEST  CLIENT               FOR  MESSAGE
                cns_1    Shopping agent (c1)  €12  TX-4711‹U+001B›[2J
                cns_2    Shopping agent (c1)  €12  TX-4711‹U+001B›[2J
                error: more than one request is waiting
                hint: name one: guardian allow cns_1

                """)
        #expect(server.answers.isEmpty)
        #expect(await home.run(["allow", "cns_2", "--json"], on: server).status == 0)
        #expect(server.answers.map { $0["auth0_guardian_accepted"] } == [true])
        let answer = server.requests.last { $0.url.hasSuffix("/resolve-transaction") }
        #expect(answer?.fields["Authorization"] == "Bearer tx-token-2")
    }

    @Test("A request that cannot be read does not hide the others")
    func unreadableAmongSeveral() async throws {
        let server = FakeServer([FakeServer.request(1), FakeServer.request(2)])
        #expect(await home.enroll(on: server) == 0)
        server.refuse("/rich-consents/cns_1", 404, "transaction_expired", "The request has expired")
        let (status, screen) = await home.run(["reject"], on: server)
        #expect(status == 1)
        #expect(
            screen.diagnostics.contains("cns_1                              cannot be read: The request was already"))
        #expect(screen.diagnostics.contains("cns_2    Shopping agent (c1)  €12  TX-4711"))
    }

    @Test("reject gives its reason; a request that is not there is an error")
    func reject() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        #expect(await home.run(["reject", "--reason", "not me"], on: server).status == 0)
        #expect(server.answers.first?["auth0_guardian_reason"] == "not me")
        let (status, screen) = await home.run(["reject", "cns_9", "--wait", "100ms"], on: server)
        #expect(status == 1)
        #expect(screen.diagnostics.contains("no such request"))
    }

    @Test("POSIX XBD 8.2: the card and its outcome follow LANG; output for programs does not")
    func french() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        let (status, screen) = await home.run(["allow"], on: server, locale: "fr_CA.UTF-8")
        #expect(status == 0)
        for text in [
            "Shopping agent demande votre accord", "pour", "droits", "serveur", "demande", "temps restant",
            "autorisée cns_1",
        ] {
            #expect(screen.standard.contains(text), "\(text)")
        }
        #expect(!screen.standard.contains("time left"))
        let json = await home.run(["reject", "--json"], on: server, locale: "fr_FR").screen
        #expect(json.standard.contains(#"{"event":"rejected","id":"cns_1","headline":["12 €"]}"#))
    }

    @Test(
        "POSIX XBD 8.2: LC_ALL comes before LC_MESSAGES, and that before LANG; an empty one is none",
        arguments: [
            (["LANG": "fr_FR.UTF-8"], "fr"), (["LANG": "fr"], "fr"), (["LANG": "fr@euro"], "fr"),
            (["LC_MESSAGES": "fr_BE", "LANG": "en_US"], "fr"), (["LC_ALL": "C", "LANG": "fr_FR"], "en"),
            (["LC_ALL": "", "LANG": "fr_FR"], "fr"), (["LANG": "fry_NL"], "en"), (["LANG": "de_AT"], "de"),
            (["LANG": "nl_NL"], "en"), ([:], "en"),
        ])
    func language(environment: [String: String], tag: String) {
        #expect(Language.preferred(by: environment).rawValue == tag)
    }
}
