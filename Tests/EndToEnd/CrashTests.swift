import Foundation
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A crash") struct CrashTests {
        private static let users = 6

        @Test("kill -9 under load: everything acknowledged still holds")
        func crash() async throws {
            var random = SplitMix(state: 0xC0FFEE)
            let ledger = Ledger<LedgerRequest>()
            var server = try await TestServer.start(users: Self.users)
            var phones: [TestPhone] = []
            for user in 0..<Self.users { phones.append(try await TestPhone(user: user, at: server)) }

            for round in 0..<6 {
                // The kill follows a number of answers, so that it can interrupt any kind of work.
                let moment = ledger.acknowledged + Int.random(in: 20...400, using: &random)
                let reached = ledger.reaching(moment)
                try await within(.seconds(60), "round \(round)") { [server, phones] in
                    try await Load(server: server, phones: phones, ledger: ledger, round: round).run {
                        for await _ in reached {}
                        server.program.send(SIGKILL)
                    }
                }
                #expect(await server.program.status() == 128 + SIGKILL)
                server = try await server.restarted()
                let log = try JSONReader.parse(try await server.command("log verify", ["--json"]))
                #expect(log["valid"] == true && (log["entries"]?.intValue ?? 0) > ledger.acknowledged / 2, "\(log)")
                try await Audit(server: server, phones: phones, ledger: ledger).run()
            }

            let entries = ledger.entries
            let tokens = entries.compactMap(\.refreshToken)
            #expect(!tokens.isEmpty)
            let agent = try Agent(server)
            for token in tokens { #expect(try await agent.refresh(token).status == 200) }
            // The rounds interrupted every kind of work.
            for fate in LedgerRequest.Fate.allCases {
                #expect(entries.contains { $0.fate == fate && ($0.isDecided || fate == .leave) }, "\(fate)")
            }
            await server.stop()
        }
    }
}

/// Agents and phones at work until the server is gone.
private struct Load: Sendable {
    let server: TestServer
    let phones: [TestPhone]
    let ledger: Ledger<LedgerRequest>
    let round: Int

    private static let agentsPerUser = 2

    func run(until kill: @escaping @Sendable () async -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for phone in phones {
                let transport = try server.transport()
                group.addTask { try await untilGone { try await answer(with: phone, over: transport) } }
                for number in 0..<Self.agentsPerUser {
                    let agent = try Agent(server)
                    group.addTask { try await untilGone { try await ask(phone.user, agent, number) } }
                }
            }
            group.addTask { await kill() }
            try await group.waitForAll()
        }
    }

    /// To a client, a crash is a broken connection.
    private func untilGone(_ work: () async throws -> Void) async throws {
        do { try await work() } catch is HTTPClientError {}
    }

    private func ask(_ user: Int, _ agent: Agent, _ number: Int) async throws {
        for turn in 0... {
            let fate = LedgerRequest.Fate.allCases[(turn + number) % LedgerRequest.Fate.allCases.count]
            let message = "\(fate.rawValue) \(round).\(user).\(number).\(turn)"
            ledger.begin(message, LedgerRequest(message: message, user: user, fate: fate))
            let id = try await agent.started(message, user: user)
            ledger.acknowledge(message) { $0.authReqID = id }
            guard fate == .redeem else { continue }
            ledger.note(message) { $0.sentExchange = true }
            let answer = try await agent.poll(id, wait: 60)
            try #require(answer.status == 200, "\(answer.json)")
            ledger.acknowledge(message) { $0.refreshToken = answer.json["refresh_token"]?.stringValue }
        }
    }

    private func answer(with phone: TestPhone, over transport: some HTTPClient) async throws {
        for try await notified in try await phone.requests(over: transport) {
            let message = try await phone.consent(notified, over: transport).requestedDetails.bindingMessage ?? ""
            ledger.note(message) { $0.notified = notified }
            guard let fate = LedgerRequest.Fate(message: message), fate != .leave else { continue }
            ledger.note(message) { $0.sentDecision = true }
            let status = try await phone.decide(notified, accept: fate != .reject, over: transport)
            try #require(status == 204)
            ledger.acknowledge(message) { $0.isDecided = true }
        }
    }
}

/// Compares the restarted server with the acknowledged answers.
private struct Audit: Sendable {
    let server: TestServer
    let phones: [TestPhone]
    let ledger: Ledger<LedgerRequest>

    func run() async throws {
        try await reverse()
        var pending: [Int: Set<String>] = [:]
        let agent = try Agent(server)
        for entry in ledger.entries {
            guard let id = entry.authReqID else { continue }
            if try await isPending(entry, try await agent.poll(id)) {
                pending[entry.user, default: []].insert(entry.message)
            } else if ledger.entries.first(where: { $0.message == entry.message })?.refreshToken != nil {
                #expect(try await agent.poll(id).error == "invalid_grant", "tokens twice: \(entry)")
            }
        }
        for phone in phones {
            let expected = pending[phone.user] ?? []
            try await within(.seconds(30), "what is pending to be delivered to \(phone.user) again") {
                try await delivered(to: phone, expected)
            }
        }
    }

    /// A second decision is refused: the first one stands.
    private func reverse() async throws {
        let transport = try server.transport()
        for entry in ledger.entries where entry.isDecided && entry.refreshToken == nil && !entry.isDenied {
            guard let notified = entry.notified else { continue }
            let status = try await phones[entry.user].decide(notified, accept: entry.fate == .reject, over: transport)
            #expect((400..<500).contains(status), "decided twice: \(entry)")
        }
    }

    /// Compares a poll's answer with the known state of its request.
    private func isPending(_ entry: LedgerRequest, _ answer: Agent.Answer) async throws -> Bool {
        let isAllowed = entry.fate != .reject
        switch answer.error {
        case nil:
            #expect(entry.sentDecision && isAllowed && entry.refreshToken == nil, "tokens for \(entry)")
            ledger.note(entry.message) { $0.refreshToken = answer.json["refresh_token"]?.stringValue }
        case "authorization_pending": #expect(!entry.isDecided, "the decision of \(entry) is lost")
        case "access_denied":
            #expect(entry.sentDecision && !isAllowed, "\(entry) is denied")
            ledger.note(entry.message) { $0.isDenied = true }
        case "invalid_grant":
            #expect(entry.refreshToken != nil || entry.sentExchange && entry.sentDecision, "\(entry) is unknown")
        case let error?: Issue.record("\(error) for \(entry)")
        }
        return answer.error == "authorization_pending"
    }

    private func delivered(to phone: TestPhone, _ expected: Set<String>) async throws {
        let transport = try server.transport()
        var missing = expected
        guard !missing.isEmpty else { return }
        for try await notified in try await phone.requests(over: transport) {
            let message = try await phone.consent(notified, over: transport).requestedDetails.bindingMessage ?? ""
            ledger.note(message) { $0.notified = notified }
            missing.remove(message)
            if missing.isEmpty { return }
        }
        Issue.record("the channel ended, and \(missing) was not delivered")
    }
}

/// Steele, Lea and Flood's generator: a seed for every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
