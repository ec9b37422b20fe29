import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A crash while users log in") struct LoginCrashTests {
        private static let users = 3

        @Test("kill -9 during logins and refreshes: acknowledged sessions, consents, codes and tokens still hold")
        func crash() async throws {
            var random = SplitMix(state: 0xBADCAB1E)
            let ledger = Ledger<KnownLogin>()
            var server = try await TestServer.start { $0.loginConfiguration(users: Self.users) }
            for round in 0..<5 {
                // The kill follows a number of answers, so that it can interrupt any kind of work.
                let reached = ledger.reaching(ledger.acknowledged + Int.random(in: 15...120, using: &random))
                try await within(.seconds(60), "round \(round)") { [server] in
                    try await LoginLoad(server: server, ledger: ledger, round: round).run(users: Self.users) {
                        for await _ in reached {}
                        server.program.send(SIGKILL)
                    }
                }
                #expect(await server.program.status() == 128 + SIGKILL)
                server = try await server.restarted()
                try await LoginAudit(server: server, ledger: ledger).run(round: round)
            }
            try await LoginAudit(server: server, ledger: ledger).finish()

            // The rounds interrupted every kind of work.
            let entries = ledger.entries
            #expect(entries.contains { $0.client == "partner" } && entries.contains { $0.client == "mobile" })
            #expect(entries.contains { $0.refreshTokens.count > 2 } && entries.contains(where: \.isRevoked))
            await server.stop()
        }
    }
}

/// A login, as the app and the browser know it.
private struct KnownLogin: Sendable {
    let round: Int
    let user: Int
    let client: String
    let browser: WebBrowser
    /// The code from the browser, which has a session, and a consent if needed, since then.
    let code: String
    let codeCame = ContinuousClock.now
    /// Messages sent without an answer so far.
    var sentRedemption = false
    var sentRevocation = false
    /// Answers that the app received, oldest first.
    var refreshTokens: [String] = []
    var isRevoked = false
}

/// The parameters of every login.
private let access = KeyValuePairs(dictionaryLiteral: ("audience", TestServer.audience))
private let scope = "openid offline_access"

/// Users who log in, and apps that use what that gave, until the server is gone.
private struct LoginLoad: Sendable {
    let server: TestServer
    let ledger: Ledger<KnownLogin>
    let round: Int

    func run(users: Int, until kill: @escaping @Sendable () async -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in 0..<users {
                for client in ["mobile", "partner"] {
                    group.addTask {
                        // To a client, a crash is a broken connection.
                        do { try await logIn(user, client) } catch is HTTPClientError {}
                    }
                }
            }
            group.addTask { await kill() }
            try await group.waitForAll()
        }
    }

    private func logIn(_ user: Int, _ client: String) async throws {
        let app = try LoginApp(server, client)
        var browser = try WebBrowser(server)
        for turn in 0... {
            if turn % 3 == 0 { browser = try WebBrowser(server) }
            var place = try await browser.logIn(app.link(scope: scope, access), user: user)
            if case .page(let page) = place { place = try await browser.submit(page, "Allow") }
            let code = try place.callback()["code"].orThrow("no code: \(place)")
            let name = "\(round).\(user).\(client).\(turn)"
            ledger.begin(name, KnownLogin(round: round, user: user, client: client, browser: browser, code: code))
            ledger.acknowledge(name) { _ in }
            if turn % 4 != 3 { try await use(name, code, app, revoke: turn % 4 == 1) }
        }
    }

    private func use(_ name: String, _ code: String, _ app: LoginApp, revoke: Bool) async throws {
        ledger.note(name) { $0.sentRedemption = true }
        var token = try await took(app.redeem(code), name)
        for _ in 0..<3 { token = try await took(app.refresh(token), name) }
        guard revoke else { return }
        ledger.note(name) { $0.sentRevocation = true }
        let answer = try await app.post(
            ["client_id": .string(app.clientID), "token": .string(token)], to: "oauth/revoke")
        try #require(answer.status == 200, "\(answer.json)")
        ledger.acknowledge(name) { $0.isRevoked = true }
    }

    private func took(_ answer: Agent.Answer, _ name: String) throws -> String {
        let token = try #require(answer.json["refresh_token"]?.stringValue, "\(answer.json)")
        ledger.acknowledge(name) { $0.refreshTokens.append(token) }
        return token
    }
}

/// Compares the restarted server with the acknowledged answers.
private struct LoginAudit: Sendable {
    let server: TestServer
    let ledger: Ledger<KnownLogin>

    /// The state left by the last round.
    func run(round: Int) async throws {
        for (name, entry) in ledger.named where entry.round == round {
            let app = try LoginApp(server, entry.client)
            let silent = app.link(scope: scope, [access[0].key: access[0].value, "prompt": "none"])
            let place = try await entry.browser.another(at: server).open(silent)
            #expect(try place.callback()["code"] != nil, "session or consent of \(name) is lost: \(place)")

            if let token = entry.refreshTokens.last {
                try await refresh(name, entry, token, app)
            } else if ContinuousClock.now - entry.codeCame < .seconds(45) {
                let answer = try await app.redeem(entry.code)
                #expect(
                    answer.status == 200 || (entry.sentRedemption && answer.error == "invalid_grant"),
                    "the code of \(name) is lost: \(answer.json)")
                note(name, answer)
            }
        }
    }

    private func refresh(_ name: String, _ entry: KnownLogin, _ token: String, _ app: LoginApp) async throws {
        let answer = try await app.refresh(token)
        switch answer.status {
        case 200:
            #expect(!entry.isRevoked, "\(name) is revoked and refreshes")
            #expect(answer.json["refresh_token"]?.stringValue != token)
            note(name, answer)
        default:
            // An unacknowledged refresh may have been committed; the client's leeway then accepts this one.
            #expect(answer.error == "invalid_grant" && entry.sentRevocation, "\(name): \(answer.json)")
        }
    }

    private func note(_ name: String, _ answer: Agent.Answer) {
        guard let token = answer.json["refresh_token"]?.stringValue else { return }
        ledger.note(name) { $0.refreshTokens.append(token) }
    }

    /// Destructive checks: a used code or token must not work again.
    func finish() async throws {
        for (index, (name, entry)) in ledger.named.sorted(by: { $0.key < $1.key }).enumerated() {
            guard let last = entry.refreshTokens.last, let first = entry.refreshTokens.first else { continue }
            let app = try LoginApp(server, entry.client)
            let isOver = entry.isRevoked || entry.sentRevocation
            let isAlive = try await app.refresh(last).status == 200
            #expect(isAlive || isOver, "the tokens of \(name) are lost")
            // The code again, or a token that was replaced twice. Either revokes the family.
            let replay =
                entry.refreshTokens.count > 2 && index.isMultiple(of: 2)
                ? try await app.refresh(first) : try await app.redeem(entry.code)
            #expect(replay.error == "invalid_grant", "\(name) a second time: \(replay.json)")
            #expect(try await app.refresh(last).error == "invalid_grant", "\(name) after a replay")
        }
    }
}
