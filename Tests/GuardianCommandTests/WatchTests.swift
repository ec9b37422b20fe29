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

@Suite("guardian watch: when the network fails", .timeLimit(.minutes(2)))
struct WatchTests {
    let home = Home()

    @Test("A CA that nobody can read, and a server that is not trusted, end the watch with what to change")
    func untrusted() async throws {
        let server = FakeServer()
        #expect(await home.enroll(on: server) == 0)
        server.fail("/api/notifications", with: .untrusted("the CA's certificates could not be read: x. Name it."))
        let (status, screen) = await home.run(["watch", "--answer", "allow", "--count", "1"], on: server)
        #expect(status == 1)
        #expect(screen.diagnostics == "error: the CA's certificates could not be read: x. Name it.\n")
    }

    @Test("A failure that may pass is told in sentences, with one full stop each")
    func interrupted() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        server.fail("/api/notifications", with: .cannotConnect("Nothing listens. Start it."))
        let (status, screen) = await home.run(["watch", "--answer", "allow", "--count", "1"], on: server)
        #expect(status == 0)
        #expect(screen.diagnostics.contains("warning: Nothing listens. Start it. Trying again in 1s.\n"))
    }

    /// Plays until the limit of one answer is met, without waiting between tries.
    private func watch(_ server: FakeServer, typed: String = "y") async throws -> (screen: Screen, prompts: Int) {
        let screen = Screen()
        let prompts = Mutex(0)
        let output = screen.output {
            prompts.withLock { $0 += 1 }
            return typed
        }
        try await Watch(
            phone: try await home.phone(on: server, output: output), answer: .ask, reason: "hacked", limit: 1,
            sleep: { _ in }
        ).run()
        return (screen, prompts.withLock { $0 })
    }

    @Test("An answer that could not be sent is sent again, without asking again", arguments: ["y", "n"])
    func answerAgain(typed: String) async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        server.fail("/resolve-transaction", with: .cannotConnect("Nothing listens."))
        server.refuse("/resolve-transaction", 503, "unavailable", "The server stops")
        let (screen, prompts) = try await watch(server, typed: typed)
        #expect(prompts == 1)
        #expect(server.answers.map { $0["auth0_guardian_accepted"] } == Array(repeating: .bool(typed == "y"), count: 3))
        #expect(screen.standard.contains(typed == "y" ? "allowed cns_1" : "rejected cns_1"))
        for line in [
            "warning: the answer to cns_1 cannot be sent: Nothing listens. Trying again in 1s.\n",
            "warning: the answer to cns_1 cannot be sent: The server stops. Trying again in 2s.\n",
        ] {
            #expect(screen.diagnostics.contains(line), "\(screen.diagnostics)")
        }
    }

    @Test("A request that could not be read is read again")
    func readAgain() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        server.fail("/rich-consents/", with: .timedOut)
        let (screen, prompts) = try await watch(server)
        #expect(prompts == 1)
        #expect(screen.standard.contains("allowed cns_1"))
        #expect(screen.diagnostics.contains("warning: cns_1 cannot be read: The server did not answer in time."))
    }

    @Test("An answer that the server refuses is not sent again, and the next request is asked about")
    func refused() async throws {
        let server = FakeServer([FakeServer.request(1), FakeServer.request(2)])
        #expect(await home.enroll(on: server) == 0)
        server.refuse("/resolve-transaction", 404, "transaction_expired", "The request has expired")
        let (screen, prompts) = try await watch(server)
        #expect(prompts == 2)
        #expect(server.answers.count == 2)
        #expect(screen.diagnostics.contains("error: The request was already answered or has expired."))
        #expect(screen.standard.contains("allowed cns_2"))
    }

    @Test("An answer is not sent again once the request's time is over")
    func expired() async throws {
        let server = FakeServer([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        server.fail("/resolve-transaction", with: .cannotConnect("Nothing listens"))
        let screen = Screen()
        let late = Date(timeIntervalSince1970: 4_100_000_000)
        let phone = try await home.phone(on: server, output: screen.output())
        let watch = Watch(phone: phone, answer: .allow, now: { late }, sleep: { _ in })
        let running = Task { try await watch.run() }
        await screen.wait { $0.standard.contains("expired cns_1") }
        running.cancel()
        _ = await running.result
        #expect(server.answers.count == 1)
    }

    @Test("A request that was decided while the phone was away is let go when it is back; one that waits is not")
    func decidedMeanwhile() async throws {
        let server = FakeServer([FakeServer.request(1), FakeServer.request(2)])
        #expect(await home.enroll(on: server) == 0)
        let prompts = Mutex(0)
        let screen = Screen()
        let output = screen.output {
            let isFirst = prompts.withLock { prompts in
                prompts += 1
                return prompts == 1
            }
            guard isFirst else { return "y" }
            // Behind the second request, so that both were seen before.
            server.push(DeviceEvent(id: 2, content: .pending(transactionLinkingIDs: ["cns_1", "cns_2"])))
            server.push(DeviceEvent(id: 2, content: .pending(transactionLinkingIDs: ["cns_2"])))
            try? await Task.sleep(for: .seconds(60))
            return nil
        }
        try await Watch(phone: try await home.phone(on: server, output: output), answer: .ask, limit: 1).run()
        #expect(screen.standard.contains("withdrawn cns_1"))
        #expect(screen.standard.contains("allowed cns_2"))
    }

    @Test("While a question waits, the time that is left moves, and how many more requests wait is said")
    func live() async throws {
        let server = FakeServer(
            [FakeServer.request(1), FakeServer.request(2), FakeServer.request(3)],
            expiresAt: Timestamp(seconds: 1_795_168_900))
        #expect(await home.enroll(on: server) == 0)
        let start = Date(timeIntervalSince1970: 1_795_168_800)
        let clock = Mutex(start)
        let screen = Screen()
        let output = screen.output(isLive: true) {
            await screen.wait { $0.diagnostics.contains("1m39s left") && $0.diagnostics.contains("2 more wait") }
            return "y"
        }
        try await Watch(
            phone: try await home.phone(on: server, output: output), answer: .ask, limit: 1,
            now: { clock.withLock(\.self) },
            second: {
                // All have arrived when one second is over, and no other passes.
                await screen.wait { $0.bells >= 3 }
                let isFirst = clock.withLock { clock in
                    defer { clock = start + 1 }
                    return clock == start
                }
                if !isFirst { try await Task.sleep(for: .seconds(60)) }
            }
        ).run()
        #expect(screen.diagnostics.contains("1m40s left"))
        // In its place: up a line, and back to behind the question.
        #expect(screen.diagnostics.contains("\u{1B}7\u{1B}[A\r\u{1B}[K1m39s left"))
        #expect(!screen.standard.contains("time left"))
        #expect(screen.standard.contains("allowed cns_1"))
    }

    @Test("The question is in the user's language, and is answered in it")
    func french() async throws {
        let server = FakeServer([FakeServer.request(1), FakeServer.request(2)])
        server.clients = ["cns_2": "c2"]
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let answers = Mutex(["ja", "non", "o"][...])
        let output = screen.output { answers.withLock { $0.popFirst() } }
        let phone = try await home.phone(on: server, output: output, language: .french)
        try await Watch(phone: phone, answer: .ask, limit: 2).run()
        #expect(server.answers.map { $0["auth0_guardian_accepted"] } == [false, true])
        for text in [
            "Tapez s si vous n’avez rien demandé. [o/n/s] ", "Répondez par o, n ou s.",
            "À l’écoute de https://id.example.org pour auth0|1.",
        ] {
            #expect(screen.diagnostics.contains(text), "\(text)")
        }
        #expect(screen.standard.contains("refusée cns_1"))
        #expect(screen.standard.contains("autorisée cns_2"))
    }

    @Test("A phone that was removed is told so, and how to forget the enrolment here")
    func removed() async throws {
        let server = FakeServer()
        #expect(await home.enroll(on: server) == 0)
        server.refuse("/api/notifications", 404, "enrollment_not_found", "The enrolment does not exist")
        let (status, screen) = await home.run(["watch", "--answer", "allow"], on: server)
        #expect(status == 1)
        #expect(screen.diagnostics.contains("error: The enrolment does not exist"))
        #expect(screen.diagnostics.contains("guardian unenroll --local"))
    }
}
