import Foundation
import Glibc
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Exchange of the master key") struct KeyExchangeTests {
        private func exchange(_ server: TestServer, _ options: [String] = []) async throws -> Program.Result {
            try await Program.run(["key-exchange", "--json", "--data", "data"] + options, in: server.folder)
        }

        private func text(_ server: TestServer, _ name: String) throws -> String {
            try String(contentsOf: server.folder.appending(path: name), encoding: .utf8)
        }

        /// A refresh token, and a pending request with its notification.
        private struct Given {
            let token: String
            let waiting: String
            let phone: TestPhone
            let notified: TestPhone.NotifiedRequest
        }

        private func given(at server: TestServer) async throws -> Given {
            let agent = try Agent(server)
            let phone = try await TestPhone(user: 0, at: server)
            let first = try await agent.started("First")
            for try await notified in try await phone.requests(over: agent.transport) {
                #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
                break
            }
            let tokens = try await agent.poll(first)
            let waiting = try await agent.started("Waiting")
            for try await notified in try await phone.requests(over: agent.transport) {
                return Given(
                    token: try #require(tokens.json["refresh_token"]?.stringValue), waiting: waiting, phone: phone,
                    notified: notified)
            }
            throw Unexpected("the phone was told nothing")
        }

        @Test("Tokens and pending requests stay valid; the old key opens nothing and is kept until deleted")
        func goesOn() async throws {
            let server = try await TestServer.start()
            let given = try await given(at: server)
            let running = try await exchange(server)
            #expect(running.status == 1)
            #expect(running.errors.contains("a server uses the data folder"), "\(running.errors)")
            await server.stop()

            let before = try text(server, "data/master.key")
            let result = try await exchange(server)
            #expect(result.status == 0, "\(result.errors)")
            let report = try JSONReader.parse(result.output)
            let old = try #require(report["old_key_file"]?.stringValue)
            #expect(try text(server, old) == before)
            #expect(try text(server, "data/master.key") != before)
            for name in ["data/master.key", old] {
                var status = stat()
                #expect(stat(server.folder.appending(path: name).path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            }
            #expect((report["sealed"]?.intValue ?? 0) >= 5)

            let refused = try await Program.run(
                ["keys", "list", "--data", "data", "--master-key-file", old], in: server.folder)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("another master key"))

            let back = try await server.restarted()
            let agent = try Agent(back)
            #expect(try await agent.refresh(given.token).status == 200)
            #expect(try await given.phone.decide(given.notified, accept: true, over: agent.transport) == 204)
            #expect(try await agent.poll(given.waiting).status == 200)
            let log = try await back.command("log list", ["--tenant", "test", "--type", "sapi", "--json"])
            #expect(log.contains("master key"))
            await back.stop()
        }

        @Test("--end-derived ends refresh tokens and the requests sent to phones")
        func ends() async throws {
            let server = try await TestServer.start()
            let given = try await given(at: server)
            await server.stop()
            let result = try await exchange(server, ["--end-derived"])
            #expect(result.status == 0, "\(result.errors)")
            let back = try await server.restarted()
            let agent = try Agent(back)
            #expect(try await agent.refresh(given.token).error == "invalid_grant")
            #expect(try await given.phone.decide(given.notified, accept: true, over: agent.transport) != 204)
            await back.stop()
        }

        @Test("The next start completes an exchange that ended between its commit and the renaming of files")
        func interrupted() async throws {
            let server = try await TestServer.start()
            await server.stop()
            let old = try text(server, "data/master.key")
            #expect(try await exchange(server).status == 0)
            // The state before the renaming: the database has the new key, whose file is still the next one's.
            let files = FileManager.default
            let (key, next) = (
                server.folder.appending(path: "data/master.key"), server.folder.appending(path: "data/master.key.next")
            )
            let new = try text(server, "data/master.key")
            try files.moveItem(at: key, to: next)
            try Data(old.utf8).write(to: key)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)

            let beside = try await Program.run(
                ["keys", "rotate", "--tenant", "test", "--data", "data"], in: server.folder)
            #expect(beside.status == 0, "\(beside.errors)")
            let back = try await server.restarted()
            #expect(try text(server, "data/master.key") == new)
            #expect(!files.fileExists(atPath: next.path))
            let names = try files.contentsOfDirectory(atPath: server.folder.appending(path: "data").path)
            let kept = try names.filter { $0.hasPrefix("master.key.replaced-") }.map { try text(server, "data/\($0)") }
            #expect(kept.contains(old))
            await back.stop()
        }

        @Test("An exchange that ended before its commit changes nothing, and the next one reuses its key")
        func abandoned() async throws {
            let server = try await TestServer.start()
            await server.stop()
            let next = String(repeating: "cd", count: 32)
            let file = server.folder.appending(path: "data/master.key.next")
            try Data(next.utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let before = try text(server, "data/master.key")
            let back = try await server.restarted()
            #expect(try text(server, "data/master.key") == before)
            await back.stop()
            #expect(try await exchange(server).status == 0)
            #expect(try text(server, "data/master.key") == next)
        }

        @Test("Values that the current key does not open are named, and nothing changes unless they are given up")
        func closed() async throws {
            let server = try await TestServer.start()
            await server.stop()
            try await alterDatabase(
                server.folder.appending(path: "data/countersign.db").path,
                "UPDATE signing_key SET sealed_private_key = zeroblob(64) WHERE status = 'next'")
            let before = try text(server, "data/master.key")
            let refused = try await exchange(server)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("signing_key dev "), "\(refused.errors)")
            #expect(refused.errors.contains("--empty-unreadable"))
            #expect(try text(server, "data/master.key") == before)
            let listed = try await Program.run(
                ["keys", "list", "--tenant", "test", "--data", "data"], in: server.folder)
            #expect(listed.status == 0, "\(listed.errors)")
            let given = try await exchange(server, ["--empty-unreadable"])
            #expect(given.status == 0, "\(given.errors)")
            #expect(try JSONReader.parse(given.output)["emptied"]?.intValue ?? 0 > 0)
        }

        @Test(
            "A key from the environment is replaced by a key file, and the operator changes the environment"
        )
        func environment() async throws {
            let folder = try OwnFolder()
            let old = ["COUNTERSIGN_MASTER_KEY": String(repeating: "ab", count: 32)]
            let new = String(repeating: "cd", count: 32)
            try Data(#"{"tenants":[{"id":"acme","name":"Acme","host":"acme.example.com"}]}"#.utf8)
                .write(to: folder.url.appending(path: "acme.json"))
            #expect(
                try await Program.run(["apply", "acme.json", "--create"], in: folder.url, environment: old).status == 0)
            let without = try await Program.run(["key-exchange"], in: folder.url, environment: old)
            #expect(without.status == 1)
            #expect(without.errors.contains("--new-key-file"))
            let file = folder.url.appending(path: "new.key")
            try Data(new.utf8).write(to: file)
            let readable = try await Program.run(
                ["key-exchange", "--new-key-file", "new.key"], in: folder.url, environment: old)
            #expect(readable.status == 1, "others may read it")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let done = try await Program.run(
                ["key-exchange", "--new-key-file", "new.key"], in: folder.url, environment: old)
            #expect(done.status == 0, "\(done.errors)")
            #expect(try await Program.run(["keys", "rotate"], in: folder.url, environment: old).status == 1)
            let rotated = try await Program.run(
                ["keys", "rotate"], in: folder.url, environment: ["COUNTERSIGN_MASTER_KEY": new])
            #expect(rotated.status == 0, "\(rotated.errors)")
        }
    }
}
