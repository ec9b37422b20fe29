import ApprovalWire
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

@Suite("guardian: numbers, reports and presentation", .timeLimit(.minutes(2)))
struct NumberTests {
    let home = Home()

    private static func server(_ events: [DeviceEvent], _ change: (inout RequestRecord.Display) -> Void = { _ in })
        throws -> FakeServer
    {
        var display = RequestRecord.Display()
        display.isFirstParty = true
        display.matchingChoices = ["07", "42", "85"].compactMap { GuardianWire.MatchingNumber($0) }
        change(&display)
        let server = FakeServer(events)
        server.display = display
        return server
    }

    @Test("Enrolment announces that this phone takes numbers and shows one-time passwords")
    func capability() async throws {
        let server = FakeServer()
        #expect(await home.enroll(on: server) == 0)
        let body = try EnrollmentRequest(parsing: try #require(server.requests.first?.body))
        #expect(body.capabilities == [.signedDigest, .numberMatching, .numberTyping, .oneTimeCode])
    }

    @Test("watch asks for the number among three, and signs the pick with the digest of the request")
    func pick() async throws {
        let server = try Self.server([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let answers = Mutex(["y", "43", "42"][...])
        let output = screen.output { answers.withLock { $0.popFirst() } }
        try await Watch(phone: try await home.phone(on: server, output: output), answer: .ask, limit: 1).run()
        #expect(screen.diagnostics.contains("r if you did not ask for this. [07/42/85/n/r] "))
        #expect(screen.diagnostics.contains("Please answer one of 07, 42, 85, n or r.\n"))
        let answer = try #require(server.answers.first)
        #expect(server.answers.count == 1)
        #expect(answer["auth0_guardian_accepted"] == true && answer["matching_pick"] == "42")
        #expect(answer["request_digest"] != nil && answer["reported"] == nil)
    }

    @Test("allow --number signs the pick; a number that the request does not have is not sent")
    func number() async throws {
        let server = try Self.server([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        let (wrong, screen) = await home.run(["allow", "--number", "43"], on: server)
        #expect(wrong == 1 && screen.diagnostics.contains("hint: it has 07, 42, 85; nothing was answered"))
        let (none, other) = await home.run(["allow"], on: server)
        #expect(none == 1 && other.diagnostics.contains("guardian allow cns_1 --number NN"))
        #expect(await home.run(["allow", "--number", "7"], on: server).status == 2)
        #expect(server.answers.isEmpty)
        #expect(await home.run(["allow", "--number", "07"], on: server).status == 0)
        #expect(server.answers.map { $0["matching_pick"] } == ["07"])
    }

    @Test("A number that has to be typed is asked for, and any two digits are an answer")
    func typed() async throws {
        let server = try Self.server([FakeServer.request(1)]) {
            $0.matchingChoices = []
            $0.isNumberTyped = true
        }
        #expect(await home.enroll(on: server) == 0)
        let (none, other) = await home.run(["allow"], on: server)
        #expect(none == 1 && other.diagnostics.contains("guardian allow cns_1 --number NN"))
        #expect(await home.run(["allow", "--number", "42"], on: server).status == 0)
        let screen = Screen()
        let answers = Mutex(["y", "7", "07"][...])
        let output = screen.output { answers.withLock { $0.popFirst() } }
        try await Watch(phone: try await home.phone(on: server, output: output), answer: .ask, limit: 1).run()
        #expect(
            screen.diagnostics.contains("[NN/n/r] ")
                && screen.diagnostics.contains("Please type the two digits, n or r.\n"))
        #expect(server.answers.map { $0["matching_pick"] } == ["42", "07"])
    }

    private static func login(_ browser: String, at seconds: Int64) -> RequestRecord.Login {
        RequestRecord.Login(
            application: "Shop", browser: browser, system: "macOS", address: "192.0.2.7",
            place: RequestRecord.Place(
                names: ["en": "Munich, Germany", "de": "München, Deutschland", "fr": "Munich, Allemagne"]),
            at: Timestamp(seconds: seconds))
    }

    @Test(
        "A login is shown in the reader's language, whatever its message was made in, and names the screen of its number"
    )
    func login() async throws {
        let server = try Self.server([FakeServer.request(1)]) { $0.login = Self.login("Firefox", at: 1_795_168_800) }
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let phone = try await home.phone(on: server, output: screen.output { "42" }, language: .german)
        try await Watch(
            phone: phone, answer: .ask, limit: 1, timeZone: try #require(TimeZone(identifier: "Europe/Berlin"))
        ).run()
        for text in ["Bei Shop anmelden?", "Firefox auf macOS", "München, Deutschland", "192.0.2.7"] {
            #expect(screen.standard.contains(text), "\(text): \(screen.standard)")
        }
        #expect(!screen.standard.contains("TX-4711"))
        #expect(screen.diagnostics.contains("Welche Zahl zeigt Firefox auf macOS?"), "\(screen.diagnostics)")
    }

    @Test("Logins that wait are asked about one by one, the newest first")
    func newestLogin() async throws {
        let server = try Self.server([1, 2, 3].map { FakeServer.request($0) })
        server.displays = ["cns_1": 100, "cns_2": 300, "cns_3": 200].mapValues { (seconds: Int64) in
            var display = server.display
            display.login = Self.login("Browser \(seconds)", at: seconds)
            return display
        }
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let output = screen.output { "42" }
        try await Watch(phone: try await home.phone(on: server, output: output), answer: .ask, limit: 3).run()
        let shown = screen.diagnostics.split(separator: "Which number does ").dropFirst().map { $0.prefix(11) }
        #expect(shown == ["Browser 300", "Browser 200", "Browser 100"], "\(screen.diagnostics)")
        #expect(server.answers.count == 3)
    }

    @Test(
        "watch --answer allow does not guess a number: it tells the request and the command, and goes on",
        arguments: [
            (Language.english, "This request can only be allowed with the number", "unanswered cns_1"),
            (.german, "Diese Anfrage lässt sich nur mit der Zahl erlauben", "unbeantwortet cns_1"),
            (.french, "Cette demande ne peut être autorisée qu’avec le nombre", "sans réponse cns_1"),
        ])
    func unattended(language: Language, text: String, outcome: String) async throws {
        let server = try Self.server([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let phone = try await home.phone(on: server, output: screen.output(), language: language)
        let running = Task { try await Watch(phone: phone, answer: .allow, limit: 1).run() }
        await screen.wait { $0.standard.contains(outcome) }
        #expect(screen.diagnostics.contains("error: cns_1 (07, 42, 85): \(text)"), "\(screen.diagnostics)")
        #expect(screen.diagnostics.contains("hint: guardian allow cns_1 --number NN\n"))
        server.display.matchingChoices = []
        server.push(FakeServer.request(2))
        try await running.value
        #expect(server.answers.count == 1 && screen.standard.contains("cns_2"))
    }

    @Test(
        "A wrong number is told in the person's language",
        arguments: [
            ("de", "Das ist nicht die Zahl"), ("fr", "Ce n’est pas le nombre"), ("en", "That is not the number"),
        ])
    func wrong(tag: String, text: String) async throws {
        let server = try Self.server([FakeServer.request(1)])
        #expect(await home.enroll(on: server) == 0)
        server.refuse("/resolve-transaction", 403, "wrong_number", "The number is wrong")
        let (status, screen) = await home.run(["allow", "--number", "42"], on: server, locale: "\(tag).UTF-8")
        #expect(status == 1)
        #expect(screen.diagnostics.contains("error: \(text)"), "\(screen.diagnostics)")
    }

    @Test("A report is a signed rejection, by the command and by the key of the person's language")
    func report() async throws {
        let server = try Self.server([FakeServer.request(1)]) { $0.matchingChoices = [] }
        #expect(await home.enroll(on: server) == 0)
        let (status, screen) = await home.run(["report", "cns_1"], on: server)
        #expect(status == 0 && screen.standard.contains("rejected and reported cns_1"))
        let phone = try await home.phone(on: server, output: Screen().output { "m" }, language: .german)
        try await Watch(phone: phone, answer: .ask, reason: "none of a report", limit: 1).run()
        for answer in server.answers {
            #expect(answer["auth0_guardian_accepted"] == false && answer["reported"] == true)
            #expect(answer["auth0_guardian_reason"] == nil && answer["request_digest"] != nil)
        }
        #expect(server.answers.count == 2)
    }

    @Test("The card has the labels, order and formats of the API in the person's language, and whose client it is")
    func presentation() async throws {
        let node = try JSONReader.parse(
            #"""
            {"label":"Payment","labels":{"de":"Zahlung"},"order":["to","amount"],"members":{
             "amount":{"label":"Amount","labels":{"de":"Betrag"},"format":"money"},
             "to":{"labels":{"de":"Empfänger"},"items":{"label":"Person"}}}}
            """#
        ).objectValue
        let server = try Self.server([FakeServer.request(1)]) {
            $0.presentation = [node ?? [:]]
            $0.isUrgent = true
        }
        #expect(await home.enroll(on: server) == 0)
        let german = await home.run(["allow", "--number", "42"], on: server, locale: "de_DE.UTF-8").screen.standard
        for text in [
            "Zahlung (payment)", "Betrag", "12\u{A0}€", "1. Person", "der Organisation dieses Servers", "dringend",
        ] {
            #expect(german.contains(text), "\(text)")
        }
        let (to, amount) = (try #require(german.range(of: "Empfänger")), try #require(german.range(of: "Betrag")))
        #expect(to.lowerBound < amount.lowerBound)
        server.display.isFirstParty = false
        let english = await home.run(["allow", "--number", "42"], on: server).screen.standard
        #expect(english.contains("Payment (payment)") && english.contains("another organization"))
        let json = await home.run(["allow", "--number", "42", "--json"], on: server).screen.standard
        let card = try JSONReader.parse(String(json.prefix { $0 != "\n" }))
        #expect(card["matching_choices"] == ["07", "42", "85"] && card["urgent"] == true)
        #expect(card["client"]?["is_first_party"] == false)
    }
}

@Suite("guardian: requests of one client together", .timeLimit(.minutes(2)))
struct TogetherTests {
    let home = Home()

    /// Plays until the limit of answers is met. The first question comes after the bells of `arrivals` requests.
    private func watch(
        _ server: FakeServer, arrivals: Int, limit: Int, answer: @escaping @Sendable (Screen) async -> String?
    ) async throws -> Screen {
        #expect(await home.enroll(on: server) == 0)
        let screen = Screen()
        let phone = try await home.phone(on: server, output: screen.output(isLive: true) { await answer(screen) })
        let watch = Watch(
            phone: phone, answer: .ask, limit: limit, sleep: { _ in await screen.wait { $0.bells >= arrivals } })
        try await watch.run()
        return screen
    }

    private func watch(_ server: FakeServer, typed: [String], arrivals: Int, limit: Int) async throws -> Screen {
        let answers = Mutex(typed[...])
        return try await watch(server, arrivals: arrivals, limit: limit) { _ in answers.withLock { $0.popFirst() } }
    }

    /// The channel tells which requests wait before it brings them.
    private static func server(_ ids: ClosedRange<Int64>) -> FakeServer {
        let names = ids.map { "cns_\($0)" }
        let server = FakeServer(
            [DeviceEvent(id: 0, content: .pending(transactionLinkingIDs: names))] + ids.map(FakeServer.request))
        server.display.presentation = [["groupable": true]]
        return server
    }

    @Test("Requests with money are asked about one by one, unless their type allows more")
    func money() async throws {
        let server = Self.server(1...2)
        server.display.presentation = [["label": "Payment"]]
        let screen = try await watch(server, typed: ["y", "n"], arrivals: 2, limit: 2)
        #expect(Self.accepted(server) == ["Bearer tx-token-1": true, "Bearer tx-token-2": false])
        #expect(!screen.diagnostics.contains("approvals"))
        #expect(screen.diagnostics.contains("Allow €12?"))
        #expect(screen.standard.contains("allowed cns_1: €12"))
    }

    private static func accepted(_ server: FakeServer) -> [String: JSONValue] {
        var answers: [String: JSONValue] = [:]
        let sent = server.requests.filter { $0.url.hasSuffix("/resolve-transaction") }
        for (request, claims) in zip(sent, server.answers) {
            answers[request.fields["Authorization"] ?? ""] = claims["auth0_guardian_accepted"]
        }
        return answers
    }

    @Test("One answer decides all that one client asks, after each was shown", arguments: [("y", true), ("n", false)])
    func all(typed: String, accepted: Bool) async throws {
        let server = Self.server(1...3)
        server.clients = ["cns_2": "c2"]
        let screen = try await watch(server, typed: [typed, "y"], arrivals: 3, limit: 3)
        #expect(screen.diagnostics.contains("Shopping agent asks for 2 approvals"))
        #expect(screen.diagnostics.contains("Allow all, €24?"))
        #expect(
            Self.accepted(server) == [
                "Bearer tx-token-1": .bool(accepted), "Bearer tx-token-3": .bool(accepted), "Bearer tx-token-2": true,
            ])
        let outcome = accepted ? "allowed cns_1" : "rejected cns_1"
        let decided = try #require(screen.standard.range(of: outcome))
        #expect(screen.standard[..<decided.lowerBound].contains("cns_3"), "it was shown before the answer")
        #expect(screen.standard.components(separatedBy: "asks for your approval").count == 4, "each card once")
    }

    @Test("Each can be asked about by itself, with its own card")
    func each() async throws {
        let server = Self.server(1...2)
        let screen = try await watch(server, typed: ["e", "n", "y"], arrivals: 2, limit: 2)
        #expect(Self.accepted(server) == ["Bearer tx-token-1": false, "Bearer tx-token-2": true])
        #expect(screen.standard.components(separatedBy: "asks for your approval").count == 5)
    }

    /// Withdraws requests during the first question, which is about two, and then sends two of other clients. `y` is
    /// typed when the phone knows of it, or else when the question has ended, and `n` at every other question.
    private func withdraw(_ ids: [Int64], isEnded: Bool, limit: Int) async throws -> (FakeServer, Screen) {
        let server = Self.server(1...2)
        server.clients = ["cns_3": "c3", "cns_4": "c4"]
        let questions = Mutex(0)
        let screen = try await watch(server, arrivals: 2, limit: limit) { screen in
            let isFirst = questions.withLock { questions in
                questions += 1
                return questions == 1
            }
            guard isFirst else { return "n" }
            for id in ids { server.push(DeviceEvent(id: 9, content: .withdrawal(transactionLinkingID: "cns_\(id)"))) }
            for id in 3...4 as ClosedRange<Int64> { server.push(FakeServer.request(id)) }
            // The bell of the last arrival, and with it the withdrawals before it.
            await screen.wait { $0.bells >= 4 && !isEnded }
            return "y"
        }
        return (server, screen)
    }

    @Test(
        "A request that is withdrawn while all are asked about is not answered; the others are",
        arguments: [1, 2] as [Int64])
    func withdrawn(id: Int64) async throws {
        let (server, screen) = try await withdraw([id], isEnded: false, limit: 3)
        #expect(
            Self.accepted(server) == [
                "Bearer tx-token-\(3 - id)": true, "Bearer tx-token-3": false, "Bearer tx-token-4": false,
            ])
        #expect(screen.standard.contains("withdrawn cns_\(id)"))
        #expect(screen.standard.components(separatedBy: "asks for your approval").count == 5, "each card once")
    }

    @Test("A question ends when all that it is about are withdrawn, and an answer at that moment is not sent")
    func allWithdrawn() async throws {
        let (server, screen) = try await withdraw([2, 1], isEnded: true, limit: 2)
        #expect(Self.accepted(server) == ["Bearer tx-token-3": false, "Bearer tx-token-4": false])
        #expect(screen.standard.contains("withdrawn cns_1") && screen.standard.contains("withdrawn cns_2"))
    }

    @Test("Requests that a question is about are not among those that wait behind it")
    func behind() async throws {
        let server = Self.server(1...3)
        server.clients = ["cns_3": "c2"]
        let screen = try await watch(server, typed: ["y", "y"], arrivals: 3, limit: 3)
        #expect(screen.diagnostics.contains(" left, 1 more waits") && !screen.diagnostics.contains("2 more wait"))
    }

    @Test("allow --client answers what that client asks, and nothing else")
    func client() async throws {
        let server = Self.server(1...3)
        server.clients = ["cns_2": "c2"]
        #expect(await home.enroll(on: server) == 0)
        let (status, screen) = await home.run(["reject", "--client", "c1"], on: server)
        #expect(status == 0)
        #expect(Self.accepted(server) == ["Bearer tx-token-1": false, "Bearer tx-token-3": false])
        #expect(!screen.standard.contains("cns_2"))
        #expect(await home.run(["allow", "cns_1", "--client", "c1"], on: server).status == 2)
        #expect(await home.run(["allow", "--client", "c9", "--wait", "100ms"], on: server).status == 1)
    }
}
