import Foundation
import Glibc
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Backups") struct BackupTests {
        private func mode(_ file: URL) -> UInt32 {
            var status = stat()
            return stat(file.path, &status) == 0 ? UInt32(status.st_mode) & 0o777 : 0
        }

        private func run(_ arguments: [String], at server: TestServer) async throws -> Program.Result {
            try await Program.run(arguments + ["--data", "data"], in: server.folder)
        }

        /// Starts requests until the task is cancelled. Returns their ids in the order of acknowledgement.
        private func starting(_ agent: Agent, _ ids: Ledger<String>) async throws {
            for number in 0... {
                let name = "Request \(number)"
                ids.begin(name, "")
                let id = try await agent.started(name)
                ids.acknowledge(name) { $0 = id }
                if Task.isCancelled { return }
            }
        }

        @Test("A backup during writes contains everything acknowledged before it began")
        func duringWrites() async throws {
            let server = try await TestServer.start()
            let agent = try Agent(server)
            _ = try await TestPhone(user: 0, at: server)
            let ids = Ledger<String>()
            let work = Task { try await starting(agent, ids) }
            for await _ in ids.reaching(50) { break }
            let before = ids.entries.filter { !$0.isEmpty }
            let copy = server.folder.appending(path: "copy.db")
            let made = try await run(["backup", "copy.db", "--json"], at: server)
            #expect(made.status == 0, "\(made.errors)")
            let report = try JSONReader.parse(made.output)
            #expect(report["not_included"]?.arrayValue?.contains("the master key") == true)
            #expect(mode(copy) == 0o600)
            let acknowledged = ids.acknowledged
            for await _ in ids.reaching(acknowledged + 20) { break }
            work.cancel()
            // The write in progress may fail.
            _ = await work.result

            let again = try await run(["backup", "copy.db"], at: server)
            #expect(again.status == 1)
            #expect(again.errors.contains("--force"))
            let beside = try await run(["restore", "copy.db", "--force"], at: server)
            #expect(beside.status == 1)
            #expect(beside.errors.contains("a server uses the data folder"), "\(beside.errors)")

            await server.stop()
            let untold = try await run(["restore", "copy.db"], at: server)
            #expect(untold.status == 1)
            #expect(untold.errors.contains("--force"))
            let restored = try await run(["restore", "copy.db", "--force", "--json"], at: server)
            #expect(restored.status == 0, "\(restored.errors)")
            let kept = try #require(try JSONReader.parse(restored.output)["kept"]?.stringValue)
            #expect(mode(server.folder.appending(path: kept)) == 0o600)
            #expect(mode(server.folder.appending(path: "data/countersign.db")) == 0o600)
            #expect(access(server.folder.appending(path: "data/countersign.db.partial").path, F_OK) != 0)

            let back = try await server.restarted()
            let reader = try Agent(back)
            for id in before {
                #expect(try await reader.poll(id).error == "authorization_pending")
            }
            let head = try #require(report["audit_head"]?.stringValue)
            let verified = try JSONReader.parse(
                try await back.command("log verify", ["--expect", head, "--json"]))
            #expect(verified["valid"] == true && verified["end_proven"] == true)
            await back.stop()
        }

        @Test("A killed backup leaves no file under its name, and the next one removes its remains")
        func killed() async throws {
            let server = try await TestServer.start()
            await server.stop()
            // Large enough for the copy to take some time.
            try await alterDatabase(
                server.folder.appending(path: "data/countersign.db").path,
                """
                CREATE TABLE ballast (content BLOB NOT NULL);
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
                INSERT INTO ballast SELECT randomblob(16384) FROM n;
                """)
            let partial = server.folder.appending(path: "copy.db.partial")
            let program = try await Program(["backup", "copy.db", "--data", "data"], in: server.folder)
            try await eventually(within: .seconds(20)) { access(partial.path, F_OK) == 0 }
            program.send(SIGKILL)
            #expect(await program.status() == 128 + SIGKILL)
            #expect(access(server.folder.appending(path: "copy.db").path, F_OK) != 0)
            #expect(mode(partial) == 0o600)
            let made = try await run(["backup", "copy.db"], at: server)
            #expect(made.status == 0, "\(made.errors)")
            #expect(access(partial.path, F_OK) != 0)
        }

        @Test("A restore that does not verify, or that the master key does not open, changes nothing")
        func refused() async throws {
            let server = try await TestServer.start()
            #expect(try await run(["backup", "good.db"], at: server).status == 0)
            await server.stop()
            let database = server.folder.appending(path: "data/countersign.db")
            let good = try Data(contentsOf: server.folder.appending(path: "good.db"))
            try good.write(to: server.folder.appending(path: "bad.db"))
            try await alterDatabase(
                server.folder.appending(path: "bad.db").path,
                """
                DROP TRIGGER audit_log_alters_nothing; UPDATE audit_log SET details = '{"x":1}' WHERE id = 2;
                """)
            var torn = good
            torn.replaceSubrange(8192..<12_288, with: Data(repeating: 0xAA, count: 4096))
            try torn.write(to: server.folder.appending(path: "torn.db"))
            try Data("no database".utf8).write(to: server.folder.appending(path: "text.db"))
            let before = try Data(contentsOf: database)
            for file in ["bad.db", "torn.db", "text.db", "missing.db"] {
                let result = try await run(["restore", file, "--force"], at: server)
                #expect(result.status == 1, "\(file)")
                #expect(!result.errors.isEmpty)
                #expect(try Data(contentsOf: database) == before, "\(file)")
            }
            let other = try await Program.run(
                ["restore", "good.db", "--data", "other", "--create"], in: server.folder,
                environment: ["COUNTERSIGN_MASTER_KEY": String(repeating: "ab", count: 32)])
            #expect(other.status == 1)
            #expect(other.errors.contains("another master key"), "\(other.errors)")
            let keyless = try await Program.run(
                ["restore", "good.db", "--data", "other", "--create"], in: server.folder)
            #expect(keyless.status == 1)
            #expect(keyless.errors.contains("a master key that is missing"), "\(keyless.errors)")
            #expect(access(server.folder.appending(path: "other/countersign.db").path, F_OK) != 0)
            let right = try await Program.run(
                ["restore", "good.db", "--data", "other", "--create", "--master-key-file", "data/master.key"],
                in: server.folder)
            #expect(right.status == 0, "\(right.errors)")
            // The folder has no key of its own, so a server needs the same option.
            #expect(right.errors.contains("--data other --master-key-file data/master.key"), "\(right.errors)")
        }

        @Test("A backup cannot replace a file that is open in another program, nor the database itself")
        func places() async throws {
            let server = try await TestServer.start()
            let own = try await run(["backup", "data/countersign.db", "--force"], at: server)
            #expect(own.status == 1)
            #expect(own.errors.contains("is the database itself"))
            try Data("x".utf8).write(to: server.folder.appending(path: "open.db"))
            try Data("x".utf8).write(to: server.folder.appending(path: "open.db-wal"))
            let open = try await run(["backup", "open.db", "--force"], at: server)
            #expect(open.status == 1)
            #expect(open.errors.contains("open.db-wal exists"))
            await server.stop()
        }
    }
}
