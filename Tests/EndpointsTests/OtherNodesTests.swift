import AuthorizationCore
import Endpoints
import Flows
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Several nodes of one store")
struct OtherNodesTests {
    /// Two servers over one store, which hear each other.
    private struct Nodes {
        let bus = NodeBus()
        let first: InProcessServer
        let second: InProcessServer
        let client: InProcessClient
        let phone: InProcessPhone

        init() async throws {
            first = try await InProcessServer(link: bus.link(1)) { $0.tenant.settings.requestsPerMinutePerUser = 100 }
            second = try await InProcessServer(beside: first, link: bus.link(2))
            client = InProcessClient(via: first)
            phone = try await InProcessPhone(in: first)
        }

        /// Runs `body` while both listen.
        func listening(_ body: () async throws -> Void) async throws {
            let work = [first, second].map { node in
                Task { await node.application.flows.others.run { _ in } }
            }
            while bus.nodes < 2 { await Task.yield() }
            let result: Result<Void, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            for task in work {
                task.cancel()
                await task.value
            }
            try result.get()
        }

        /// An open channel of the phone at the second node, past its first events.
        func channel() async throws -> AsyncStream<[UInt8]>.Iterator {
            let answer = await second.send(phone.channelRequest(token: try phone.channelToken))
            var pieces = try answer.stream.orThrow("no stream").makeAsyncIterator()
            // The pause before the device returns, the id to resume from, and pending requests.
            for _ in 0..<2 { _ = try await pieces.next().orThrow("the stream ended") }
            return pieces
        }
    }

    @Test("CIBA Core 11: a client held at one node hears a decision made at another", arguments: [true, false])
    func held(accepted: Bool) async throws {
        let nodes = try await Nodes()
        try await nodes.listening {
            let id = try await nodes.client.started()
            async let answer = nodes.client.poll(id, wait: 60)
            while nodes.first.hub.waiting == 0 { await Task.yield() }
            #expect(try await nodes.phone.decide(id, accepted: accepted, via: nodes.second).status == 204)
            #expect(try await answer.status == (accepted ? 200 : 400))
        }
    }

    @Test("A held client whose announcement is lost hears the decision a second later")
    func lost() async throws {
        let nodes = try await Nodes()
        try await nodes.listening {
            let id = try await nodes.client.started()
            async let answer = nodes.client.poll(id, wait: 60)
            while nodes.first.hub.waiting == 0 { await Task.yield() }
            nodes.bus.isCut = true
            #expect(try await nodes.phone.decide(id, via: nodes.second).status == 204)
            #expect(nodes.first.hub.waiting == 1)
            // The held client's own alarm sleeps, and a look of each node.
            await nodes.first.timer.awaitSleepers(3)
            nodes.first.advance(.seconds(1))
            #expect(try await answer.status == 200)
        }
    }

    @Test("A poll is answered by memory for 10 seconds at most, if the announcement is lost")
    func cached() async throws {
        let nodes = try await Nodes()
        try await nodes.listening {
            let id = try await nodes.client.started()
            nodes.bus.isCut = true
            #expect(try await nodes.phone.decide(id, via: nodes.second).status == 204)
            #expect(try await nodes.client.poll(id).code == "authorization_pending")
            nodes.first.clock.advance(by: .seconds(10))
            #expect(try await nodes.client.poll(id).status == 200)
        }
    }

    @Test("Everything remembered is doubted once announcements may have been lost")
    func doubt() async throws {
        let nodes = try await Nodes()
        try await nodes.listening {
            let id = try await nodes.client.started()
            var channel = try await nodes.channel()
            nodes.bus.isCut = true
            #expect(try await nodes.phone.decide(id, via: nodes.second).status == 204)
            nodes.bus.isCut = false
            #expect(try await nodes.client.poll(id).status == 200)
            // The phone comes back and resumes.
            while await channel.next() != nil {}
        }
    }

    @Test("A phone at one node gets what another accepted, once")
    func channel() async throws {
        let nodes = try await Nodes()
        try await nodes.listening {
            var channel = try await nodes.channel()
            let workers = [nodes.first.delivering(), nodes.second.delivering()]
            let ids = [try await nodes.client.started(), try await nodes.client.started()]
            var parser = ServerSentEventParser()
            var consents: [String] = []
            while consents.count < ids.count, let piece = await channel.next() {
                for event in try parser.parse(piece) {
                    if case .notification(let payload)? = try DeviceEvent(event)?.content {
                        consents.append(payload.transactionLinkingID ?? "")
                    }
                }
            }
            // Each node delivers what it finds first, so that two requests have no order.
            #expect(consents.sorted() == ids.map { InProcessClient.consent(of: $0).rawValue }.sorted())
            for worker in workers {
                worker.cancel()
                await worker.value
            }
        }
    }

    @Test("The channel of a phone that is removed at another node ends at once")
    func removed() async throws {
        let nodes = try await Nodes()
        try await nodes.listening {
            var channel = try await nodes.channel()
            let account = nodes.phone.accountRequest(.delete, token: try nodes.phone.token())
            #expect(await nodes.first.send(account).status == 204)
            while await channel.next() != nil {}
        }
    }

    @Test("One of two polls at two nodes at once gets the tokens")
    func once() async throws {
        let nodes = try await Nodes()
        let others = InProcessClient(via: nodes.second)
        try await nodes.listening {
            for _ in 0..<20 {
                let id = try await nodes.client.started()
                #expect(try await nodes.phone.decide(id, via: nodes.second).status == 204)
                async let one = nodes.client.poll(id).status
                async let two = others.poll(id).status
                #expect(try await [one, two].sorted() == [200, 400])
            }
        }
    }

    @Test("An announcement is read as it was written, and any other text is none")
    func texts() throws {
        let hash = AuthReqIDHash(stored: Array(0..<32))
        let withdrawal = DeviceEvent(id: 7, content: .withdrawal(transactionLinkingID: "cns_é\n\"x\""))
        let all: [Announcement] = [
            .ended(hash), .event(DeviceID("dev_1"), withdrawal), .streamsEnd(DeviceID("dev_1")),
        ]
        for announcement in all { #expect(Announcement(parsing: announcement.text) == announcement) }
        for text in ["", "{}", "[]", #"{"ended":"AAAA"}"#, #"{"device":"d","event":"x"}"#, #"{"device":7}"#] {
            #expect(Announcement(parsing: text) == nil, "\(text)")
        }
    }
}
