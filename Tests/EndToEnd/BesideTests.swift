import GuardianWire
import HTTPModel
import Primitives
import Testing

extension EndToEnd {
    @Suite("Commands beside a running server") struct BesideTests {
        @Test("What is applied is served within two seconds, and what ran goes on")
        func apply() async throws {
            let server = try await TestServer.start()
            let agent = try Agent(server)
            let phone = try await TestPhone(user: 0, at: server)
            let before = try await agent.started("Before")
            #expect(try await agent.start("Nobody", user: 1).error == "unknown_user_id")

            try server.write(server.configuration(users: 2, clientName: "Renamed agent"), to: "two.json")
            #expect(try await server.command("apply", ["two.json"]).contains("auth0|1"))
            // The user is there and has no phone yet.
            #expect(try await agent.start("Somebody", user: 1).error == "invalid_request")
            for try await asked in try await phone.requests(over: agent.transport) {
                try await eventually(within: .seconds(2)) {
                    try await phone.consent(asked, over: agent.transport).client?.name == "Renamed agent"
                }
                #expect(try await phone.decide(asked, accept: true, over: agent.transport) == 204)
                break
            }
            #expect(try await agent.poll(before).status == 200)
            await server.stop()
        }

        @Test("After a rotation new tokens have the new key within two seconds, and the old key stays published")
        func rotate() async throws {
            let server = try await TestServer.start()
            let agent = try Agent(server)
            let phone = try await TestPhone(user: 0, at: server)
            let requests = try await phone.requests(over: agent.transport)
            let old = try await Self.keyOfNextToken(agent, phone, requests)

            try await server.command("keys rotate", ["--tenant", "test"])
            try await within(.seconds(2), "tokens of the new key") {
                while try await Self.keyOfNextToken(agent, phone, requests) == old {}
            }
            let published = try await agent.transport.send(
                ClientRequest(method: .get, url: server.url + ".well-known/jwks.json"))
            let keys = try JSONReader.parse(published.body)["keys"]?.arrayValue?.compactMap { $0["kid"]?.stringValue }
            #expect(keys?.contains(old) == true)
            await server.stop()
        }

        private static func keyOfNextToken(
            _ agent: Agent, _ phone: TestPhone, _ requests: AsyncThrowingStream<TestPhone.Asked, any Error>
        ) async throws -> String {
            let id = try await agent.started("Which key")
            for try await asked in requests {
                #expect(try await phone.decide(asked, accept: true, over: agent.transport) == 204)
                break
            }
            let token = try #require(try await agent.poll(id).json["access_token"]?.stringValue)
            let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
            return try #require(try JSONReader.parse(header)["kid"]?.stringValue)
        }
    }
}
