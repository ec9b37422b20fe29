import CurlTransport
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Overload") struct OverloadTests {
        @Test(
            "RFC 9110 15.6.4: a flood is refused with Retry-After, what was begun goes on, and all is well at once afterwards"
        )
        func flood() async throws {
            // Starts may find one change that waits, and nothing else more than seven.
            let server = try await TestServer.start(options: ["--tls=off", "--max-queued-work=8"])
            let phone = try await TestPhone(user: 0, at: server)
            let agent = try Agent(server)
            let begun = try await agent.started("Begun before")
            let transport = try server.transport()
            var requests = try await phone.requests(over: transport).makeAsyncIterator()
            let notified = try #require(try await requests.next())
            let clients = 60
            try await within(.seconds(60), "a flood") {
                try await withThrowingTaskGroup(of: [Agent.Answer].self) { group in
                    for client in 0..<clients {
                        group.addTask {
                            var answers: [Agent.Answer] = []
                            for number in 0..<10 { answers.append(try await agent.start("Start \(client) \(number)")) }
                            return answers
                        }
                    }
                    // The phone's answer, its client's tokens, and a probe, all during the flood.
                    group.addTask { () async throws -> [Agent.Answer] in
                        #expect(try await phone.decide(notified, accept: true, over: transport) == 204)
                        #expect(try await agent.poll(begun).status == 200)
                        let probe = ClientRequest(method: .get, url: server.url + "healthz")
                        #expect(try await transport.send(probe).status == 200)
                        return []
                    }
                    var answers: [Agent.Answer] = []
                    for try await more in group { answers += more }
                    let refused = answers.filter { $0.status == 503 }
                    #expect(answers.count { $0.status == 200 } + refused.count == clients * 10)
                    #expect(answers.count > refused.count && !refused.isEmpty)
                    #expect(refused.allSatisfy { $0.error == "temporarily_unavailable" && $0.retryAfter != nil })
                }
            }
            #expect(try await agent.start("Afterwards").status == 200)
            await server.stop()
        }
    }
}
