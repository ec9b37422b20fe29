import CurlTransport
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("guardian and countersign ask") struct PhoneTests {
        @Test("A phone is enrolled, renamed, answers, and is removed")
        func life() async throws {
            let server = try await TestServer.start()
            let phone = Guardian(server: server)
            let enrolled = try await phone.json("enroll", [try await server.ticket(user: "auth0|0"), "--name", "Mine"])
            let attributes = try FileManager.default.attributesOfItem(atPath: phone.store)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)

            try await phone.run("rename", ["Ours"])
            let devices = try await phone.json("devices")
            #expect(devices.arrayValue?.count == 1)
            #expect(devices[0]?["id"] == enrolled["id"] && devices[0]?["name"] == "Ours")

            let allowed = try await Guardian.ask(server, "Allow this")
            #expect(try await phone.run("allow", ["--wait", "20s"]).contains("Allow this"))
            #expect(await allowed.status() == 0)
            #expect(try await allowed.line { _ in true }.split(separator: ".").count == 3)

            let rejected = try await Guardian.ask(server, "Reject this")
            #expect(try await phone.run("reject", ["--wait", "20s", "--reason", "a test"]).contains("Reject this"))
            #expect(await rejected.status() == 3)

            #expect(try await Guardian.ask(server, "Nobody looks", ["--expires", "1"]).status() == 4)

            try await phone.run("unenroll")
            #expect(try await phone.json("devices").arrayValue?.isEmpty == true)
            #expect(try await Guardian.ask(server, "Nobody there").status() == 1)
            await server.stop()
        }

        @Test("A payment leaves a receipt with the client, the person and the operator, each verified offline")
        func receipts() async throws {
            let server = try await TestServer.start()
            let phone = Guardian(server: server)
            try await phone.run("enroll", [try await server.ticket(user: "auth0|0")])
            let ask = try await Guardian.ask(server, "Order 4711", ["--receipt", "client.jwt"])
            let answer = try await phone.run("allow", ["--wait", "30s"])
            #expect(await ask.status() == 0)
            let request = try answer.split(separator: "\n").compactMap {
                try JSONReader.parse(String($0))["id"]?.stringValue
            }
            let id = try #require(request.first)
            try await write(try await phone.json("receipt", [id])["receipt"]?.stringValue, "person.jwt", server)
            let data = server.folder.appending(path: "data").path
            let shown = try await Program.run(
                ["receipt", "show", id, "--tenant", "test", "--data", data], in: server.folder)
            #expect(shown.status == 0, "\(shown.errors)")
            try await write(shown.output, "operator.jwt", server)
            let keys = try await Program.run(
                ["-sS", "--cacert", server.authority, "\(server.issuer).well-known/jwks.json"], of: "curl",
                in: server.folder)
            try await write(keys.output, "jwks.json", server)
            await server.stop()
            for file in ["client.jwt", "person.jwt", "operator.jwt"] {
                let verified = try await Program.run(
                    ["receipt", "verify", file, "--jwks", "jwks.json", "--issuer", server.issuer, "--json"],
                    in: server.folder)
                #expect(verified.status == 0, "\(file): \(verified.errors)")
                let facts = try JSONReader.parse(verified.output)
                #expect(facts["receipt"]?["evidence"]?.stringValue == "signed-digest")
                #expect(facts["receipt"]?["decision"]?.stringValue == "allowed")
                #expect(facts["request"]?["binding_message"]?.stringValue == "Order 4711")
            }
        }

        private func write(_ text: String?, _ name: String, _ server: TestServer) async throws {
            try Data((try #require(text)).utf8).write(to: server.folder.appending(path: name))
        }

        @Test("If no CA vouches for the server, the commands name the option to use")
        func untrusted() async throws {
            let server = try await TestServer.start()
            let phone = Guardian(server: server)
            let client = ["--issuer", server.issuer, "--client-id", TestServer.clientID]
            let ask = try await Program.run(
                ["ask", "--user", "auth0|0", "--message", "Trust"] + client, in: server.folder,
                environment: ["COUNTERSIGN_CLIENT_SECRET": TestServer.clientSecret])
            let ticket = try await server.ticket(user: "auth0|0")
            let enroll = try await Program.run(
                ["enroll", ticket, "--store", phone.store], of: "guardian", in: server.folder)
            for result in [ask, enroll] {
                #expect(result.status == 1)
                #expect(result.errors.contains("certificate is not trusted"), "\(result.errors)")
                #expect(result.errors.contains("Name the CA that signed it with --ca FILE"), "\(result.errors)")
                #expect(!result.errors.contains("Configuration") && !result.errors.contains("Environment"))
            }
            // The ticket is still valid.
            try await phone.run("enroll", [ticket])
            await server.stop()
        }

        @Test("A used proof is refused even after a crash; a fresh one is accepted")
        func replay() async throws {
            let server = try await TestServer.start()
            let phone = try await TestPhone(user: 0, at: server)
            _ = try await Agent(server).started("Read this once")
            let transport = try server.transport()
            var requests = try await phone.requests(over: transport).makeAsyncIterator()
            let notified = try #require(try await requests.next())
            let request = try phone.consentRequest(notified)
            #expect(try await transport.send(request).status == 200)
            #expect(try await transport.send(request).status == 403)

            server.program.send(SIGKILL)
            _ = await server.program.status()
            let again = try await server.restarted()
            let renewed = try again.transport()
            #expect(try await renewed.send(request).status == 403)
            #expect(try await renewed.send(try phone.consentRequest(notified)).status == 200)
            await again.stop()
        }

        @Test("A watching phone answers requests, also after the server was down")
        func watch() async throws {
            let server = try await TestServer.start()
            let phone = Guardian(server: server)
            try await phone.run("enroll", [try await server.ticket(user: "auth0|0")])
            let watch = try await Program(
                ["watch", "--answer", "allow"] + phone.options, of: "guardian", in: server.folder)

            let first = try await Guardian.ask(server, "While it runs")
            _ = try await watch.line { $0.contains("\"allowed\"") }
            #expect(await first.status() == 0)

            server.program.send(SIGKILL)
            _ = await server.program.status()
            let again = try await server.restarted()
            let second = try await Guardian.ask(again, "After a crash")
            _ = try await watch.line { $0.contains("\"allowed\"") }
            #expect(await second.status() == 0)

            watch.send(SIGTERM)
            #expect(await watch.status() == 0)
            await again.stop()
        }

        @Test(
            "A phone that allows everything tells of a login whose number it cannot know, in the person's language, and goes on"
        )
        func numbers() async throws {
            let server = try await TestServer.start { server in
                server.loginConfiguration(
                    settings: ["multi_factor": "always"],
                    clients: [TestServer.agent])
            }
            let phone = Guardian(server: server)
            try await phone.run("enroll", [try await server.ticket(user: "auth0|0")])
            let watch = try await Program(
                ["watch", "--answer", "allow"] + phone.options, of: "guardian", in: server.folder,
                environment: ["LANG": "de_DE.UTF-8"])
            let (app, browser) = (try LoginApp(server), try WebBrowser(server))
            let waiting = try await browser.logIn(app.link(scope: "openid")).page()
            let text = try #require(waiting.text.firstMatch(of: /pick this number: ([0-9]{2})/)?.1)

            let told = try await watch.errors.line { $0.contains("Zahl erlauben") }.orThrow("the program ended")
            #expect(told.hasPrefix("error: cns_") && told.contains(text))
            let advice = try await watch.errors.line { $0.hasPrefix("hint: ") }.orThrow("the program ended")
            let words = advice.split(separator: " ").map(String.init)
            #expect(words.starts(with: ["hint:", "guardian", "allow"]) && words.suffix(2) == ["--number", "NN"])
            _ = try await watch.line { $0.contains("\"unanswered\"") }

            let other = try await Guardian.ask(server, "While it waits")
            #expect(await other.status() == 0)
            try await phone.run("allow", [words[3], "--number", String(text), "--wait", "20s"])
            #expect(try await browser.submit(waiting, "Continue").callback()["code"] != nil)
            watch.send(SIGTERM)
            #expect(await watch.status() == 0)
            await server.stop()
        }
    }
}

/// The command `guardian` with a store of its own.
private struct Guardian {
    let server: TestServer

    var store: String { server.folder.appending(path: "phone.json").path }
    var options: [String] { ["--store", store, "--ca", server.authority, "--json"] }

    @discardableResult
    func run(_ name: String, _ arguments: [String] = []) async throws -> String {
        // The list of enrolments comes from the store alone.
        let options = name == "devices" ? ["--store", store, "--json"] : options
        let result = try await Program.run([name] + arguments + options, of: "guardian", in: server.folder)
        guard result.status == 0 else { throw Unexpected("guardian \(name): \(result.errors)") }
        return result.output
    }

    func json(_ name: String, _ arguments: [String] = []) async throws -> JSONValue {
        try JSONReader.parse(Array(try await run(name, arguments).utf8))
    }

    static func ask(_ server: TestServer, _ message: String, _ more: [String] = []) async throws -> Program {
        try await Program(
            [
                "ask", "--issuer", server.issuer, "--ca", server.authority, "--client-id", TestServer.clientID,
                "--user", "auth0|0", "--message", message, "--audience", TestServer.audience,
            ] + more, in: server.folder, environment: ["COUNTERSIGN_CLIENT_SECRET": TestServer.clientSecret])
    }
}
