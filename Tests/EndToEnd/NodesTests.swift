import Foundation
import GuardianWire
import HTTPModel
import PostgreSQLCluster
import Primitives
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Several nodes", .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
    struct NodesTests {
        private static let users = 4
        private static let rounds = 20

        /// Nodes of one store. The first one's address is the tenant's.
        private func nodes(_ count: Int, on made: PostgreSQLCluster.Database) async throws -> [TestServer] {
            let first = try await TestServer.start(users: Self.users, options: ["--tls=off", "--store", made.uri])
            var nodes = [first]
            for _ in 1..<count { nodes.append(try await first.joined()) }
            return nodes
        }

        @Test(
            "Each request is decided once and redeemed once, whatever node clients and phones come to",
            arguments: [2, 3])
        func spread(count: Int) async throws {
            let made = try PostgreSQLCluster.started.makeDatabase()
            let nodes = try await nodes(count, on: made)
            let spread = try SpreadTransport(nodes, seed: 7)
            var phones: [TestPhone] = []
            for user in 0..<Self.users { phones.append(try await TestPhone(user: user, at: nodes[0])) }
            try await within(.seconds(120), "the flows of \(count) nodes") { [phones] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for phone in phones {
                        group.addTask { try await flows(of: phone, over: spread) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(spread.used.allSatisfy { $0 > Self.rounds }, "\(spread.used)")
            let log = try JSONReader.parse(try await nodes[0].command("log verify", ["--json"]))
            #expect(log["valid"] == true, "\(log)")
            for node in nodes { #expect(await node.stop() == 0) }
            // It is removed with its last use.
            withExtendedLifetime(made) {}
        }

        /// Requests of one person, one after the other: each is held at one node, decided at another, and asked for again.
        private func flows(of phone: TestPhone, over spread: SpreadTransport) async throws {
            let agent = try Agent(spread.nodes[0], over: spread)
            var requests = try await phone.requests(over: spread).makeAsyncIterator()
            for round in 0..<Self.rounds {
                let id = try await agent.started("\(phone.user).\(round)", user: phone.user)
                async let held = agent.poll(id, wait: 60)
                async let again = agent.poll(id, wait: 60)
                let notified = try await #require(requests.next(), "the channel ended")
                let message = try await phone.consent(notified, over: spread).requestedDetails.bindingMessage
                #expect(message == "\(phone.user).\(round)")
                async let first = phone.decide(notified, accept: true, over: spread)
                async let second = phone.decide(notified, accept: true, over: spread)
                #expect(try await [first, second].filter { $0 == 204 }.count == 1)
                let decided = ContinuousClock.now
                let answers = [try await held, try await again]
                #expect(answers.filter { $0.status == 200 }.count == 1, "\(answers)")
                #expect(.now - decided < .seconds(2) * Patience.factor)
                let tokens = answers.compactMap { $0.json["refresh_token"]?.stringValue }
                let token = try #require(tokens.first)
                // A rotated token works once. Its first use may be repeated, which is no second family.
                #expect(try await agent.refresh(token).status == 200)
                #expect(try await agent.poll(id).status == 400)
            }
        }

        @Test("kill -9 of a node: everything acknowledged still holds at the others")
        func killed() async throws {
            let made = try PostgreSQLCluster.started.makeDatabase()
            var nodes = try await nodes(2, on: made)
            let phone = try await TestPhone(user: 0, at: nodes[0])
            let agent = try Agent(nodes[0], over: try nodes[0].transport())
            for round in 0..<4 {
                var ids: [String] = []
                // The node that dies accepts them all.
                let doomed = try Agent(nodes[0], over: try SpreadTransport([nodes[1]], host: nodes[0].host, seed: 1))
                for number in 0..<5 { ids.append(try await doomed.started("\(round).\(number)", user: 0)) }
                let waited = ids[0]
                async let held = agent.poll(waited, wait: 60)
                nodes[1].program.send(SIGKILL)
                #expect(await nodes[1].program.status() == 128 + SIGKILL)
                let alive = try nodes[0].transport()
                try await within(.seconds(30), "requests of the node that died") { [round] in
                    var decided = 0
                    for try await notified in try await phone.requests(over: alive) {
                        let consent = try await phone.consent(notified, over: alive)
                        guard consent.requestedDetails.bindingMessage?.hasPrefix("\(round).") == true else { continue }
                        try #require(try await phone.decide(notified, accept: true, over: alive) == 204)
                        decided += 1
                        if decided == 5 { return }
                    }
                }
                #expect(try await held.status == 200)
                for id in ids.dropFirst() { #expect(try await agent.poll(id).status == 200) }
                nodes[1] = try await nodes[0].joined()
            }
            for node in nodes { #expect(await node.stop() == 0) }
            // It is removed with its last use.
            withExtendedLifetime(made) {}
        }
    }
}

/// A client behind which each request comes to a node that chance selects.
final class SpreadTransport: HTTPClient {
    let nodes: [TestServer]
    private let host: String
    private let client: any HTTPClient
    private let state: Mutex<(random: SplitMix, used: [Int])>

    /// - Parameter host: the tenant's, at which requests are aimed. Nil means that of the first node.
    init(_ nodes: [TestServer], host: String? = nil, seed: UInt64) throws {
        self.nodes = nodes
        self.host = host ?? nodes[0].host
        client = try nodes[0].transport()
        state = Mutex((SplitMix(state: seed), nodes.map { _ in 0 }))
    }

    /// Requests that each node got.
    var used: [Int] { state.withLock(\.used) }

    private func spread(_ request: ClientRequest) -> ClientRequest {
        let node = state.withLock { state in
            let chosen = Int.random(in: 0..<nodes.count, using: &state.random)
            state.used[chosen] += 1
            return nodes[chosen]
        }
        var request = request
        request.url = request.url.replacing("http://\(host)/", with: "http://\(node.host)/", maxReplacements: 1)
        request.fields.append("Host", host)
        return request
    }

    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse {
        try await client.send(spread(request))
    }

    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse {
        try await client.stream(spread(request))
    }
}
