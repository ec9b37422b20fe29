import Glibc
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Commands beside a running server") struct BesideTests {
        @Test("An applied configuration is served within 2 seconds, and running requests continue")
        func apply() async throws {
            let server = try await TestServer.start()
            let agent = try Agent(server)
            let phone = try await TestPhone(user: 0, at: server)
            let before = try await agent.started("Before")
            #expect(try await agent.start("Nobody", user: 1).error == "unknown_user_id")

            try server.write(server.configuration(users: 2, clientName: "Renamed agent"), to: "two.json")
            #expect(try await server.command("apply", ["two.json"]).contains("auth0|1"))
            // The user exists and has no phone yet.
            #expect(try await agent.start("Somebody", user: 1).error == "invalid_request")
            for try await notified in try await phone.requests(over: agent.transport) {
                let shown = try await phone.consent(notified, over: agent.transport)
                #expect(shown.client?.name == "Test agent", "a request is shown as it was made")
                #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
                break
            }
            #expect(try await agent.poll(before).status == 200)
            await server.stop()
        }

        @Test("Commands and the server append to one chain concurrently; log list, show, tail and verify read it")
        func auditLog() async throws {
            let server = try await TestServer.start()
            let agent = try Agent(server)
            _ = try await TestPhone(user: 0, at: server)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for number in 0..<100 { _ = try await agent.started("Request \(number)") } }
                group.addTask {
                    for _ in 0..<5 {
                        try await server.command("device ticket", ["--user", "auth0|0", "--tenant", "test"])
                    }
                }
                try await group.waitForAll()
            }
            let report = try JSONReader.parse(try await server.command("log verify", ["--json"]))
            #expect(report["valid"] == true)
            let head = try #require(report["head"]?.stringValue)
            let tickets = try await server.command(
                "log list", ["--tenant", "test", "--type", "gd_start_enroll", "--json"])
            #expect(try JSONReader.parse(tickets).arrayValue?.count == 6, "the phone's, too")
            let started = try await server.command(
                "log list", ["--tenant", "test", "--type", "ciba_start_succeeded", "--limit", "1000", "--json"])
            let records = try #require(try JSONReader.parse(started).arrayValue)
            #expect(records.count == 100)
            #expect(records.allSatisfy { $0["ip"] == "127.0.0.1" && $0["client_name"] == "Test agent" })
            #expect(records.allSatisfy { $0["references"]?["correlation_id"]?.stringValue?.isEmpty == false })
            let id = try #require(records[0]["log_id"]?.stringValue)
            #expect(try await server.command("log show", [id, "--tenant", "test"]).contains("ciba_start_succeeded"))
            let tail = try await server.command("log tail", ["--tenant", "test", "--lines", "3", "--json"])
            #expect(tail.split(separator: "\n").count == 3)
            await server.stop()

            // Entries may follow the head; the chain up to the head is the same.
            try await server.command("log verify", ["--expect", head])
            let foreign = String(head.dropLast()) + (head.hasSuffix("0") ? "1" : "0")
            let refused = try await Program.run(
                ["log", "verify", "--expect", foreign, "--data", "data"], in: server.folder)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("the chain was rewritten"))
        }

        @Test("log tail --follow shows new entries, and SIGTERM ends it successfully")
        func followed() async throws {
            let server = try await TestServer.start()
            let agent = try Agent(server)
            _ = try await TestPhone(user: 0, at: server)
            _ = try await agent.started("Before")
            let tail = try await Program(
                [
                    "log", "tail", "-f", "-n", "1", "--tenant", "test", "--type", "ciba_start_succeeded", "--json",
                    "--data", "data",
                ],
                in: server.folder)
            let before = try JSONReader.parse(try await tail.line { _ in true })
            _ = try await agent.started("After")
            let after = try JSONReader.parse(try await tail.line { _ in true })
            let ids = try [before, after].map { try #require($0["log_id"]?.stringValue) }
            #expect(ids[0] < ids[1])
            tail.send(SIGTERM)
            #expect(await tail.status() == 0)
            await server.stop()
        }

        @Test("Within 2 seconds of a rotation new tokens have the new key, and the old key stays published")
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
            _ agent: Agent, _ phone: TestPhone, _ requests: AsyncThrowingStream<TestPhone.NotifiedRequest, any Error>
        ) async throws -> String {
            let id = try await agent.started("Which key")
            for try await notified in requests {
                #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
                break
            }
            let token = try #require(try await agent.poll(id).json["access_token"]?.stringValue)
            let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
            return try #require(try JSONReader.parse(header)["kid"]?.stringValue)
        }
    }
}
