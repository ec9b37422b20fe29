import Foundation
import GuardianWire
import HTTPModel
import PostgreSQLCluster
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Moves to another engine and to another installation")
    struct MovingTests {
        /// Things that a person and a client hold on to.
        private struct Held {
            let phone: TestPhone
            var refreshToken: String
            /// Id of a decision whose receipt is kept.
            let decided: String
        }

        private func held(at server: TestServer) async throws -> Held {
            let agent = try Agent(server)
            let phone = try await TestPhone(user: 0, at: server)
            let (consent, token) = try await decide("First", phone, agent)
            return Held(phone: phone, refreshToken: token, decided: consent)
        }

        /// A request, its decision and its tokens.
        private func decide(
            _ message: String, _ phone: TestPhone, _ agent: Agent
        ) async throws -> (consent: String, token: String) {
            let id = try await agent.started(message)
            for try await notified in try await phone.requests(over: agent.transport) {
                guard
                    try await phone.consent(notified, over: agent.transport).requestedDetails.bindingMessage == message
                else { continue }
                #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
                let tokens = try await agent.poll(id)
                return (notified.consentID, try #require(tokens.json["refresh_token"]?.stringValue))
            }
            throw Unexpected("the phone was told nothing")
        }

        /// The phone, the tokens and the receipt go on, and the audit log verifies.
        private func goesOn(_ held: inout Held, at server: TestServer, _ message: String) async throws {
            let agent = try Agent(server)
            let refreshed = try await agent.refresh(held.refreshToken)
            #expect(refreshed.status == 200, "\(refreshed)")
            held.refreshToken = refreshed.json["refresh_token"]?.stringValue ?? held.refreshToken
            _ = try await decide(message, held.phone, agent)
            let receipt = try await server.command("receipt show", [held.decided, "--tenant", "test"])
            let keys = try await agent.transport.send(
                ClientRequest(method: .get, url: server.url + ".well-known/jwks.json"))
            try Data(receipt.utf8).write(to: server.folder.appending(path: "receipt.jwt"))
            try Data(keys.body).write(to: server.folder.appending(path: "jwks.json"))
            let proof = try await Program.run(
                ["receipt", "verify", "receipt.jwt", "--jwks", "jwks.json"], in: server.folder)
            #expect(proof.status == 0 && proof.output.contains("First"), "\(proof)")
            let log = try JSONReader.parse(try await server.command("log verify", ["--json"]))
            #expect(log["valid"] == true, "\(log)")
        }

        private func run(_ arguments: [String], at server: TestServer) async throws -> Program.Result {
            try await Program.run(arguments, in: server.folder)
        }

        @Test(
            "From SQLite to PostgreSQL and back: phones, tokens, pending requests and receipts go on",
            .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
        func engines() async throws {
            let made = try PostgreSQLCluster.started.makeDatabase()
            let server = try await TestServer.start()
            var held = try await held(at: server)
            let waiting = try await Agent(server).started("Waiting")
            let there = ["store", "copy", "--from", "data", "--to", made.uri, "--json"]
            let beside = try await run(there, at: server)
            #expect(beside.status == 1 && beside.errors.contains("a server uses the data folder"), "\(beside)")
            await server.stop()

            let copied = try await run(there, at: server)
            try #require(copied.status == 0, "\(copied)")
            let report = try JSONReader.parse(copied.output)
            #expect(report["audit_finding"] == .null && (report["audit_entries"]?.intValue ?? 0) > 3, "\(report)")
            let twice = try await run(there, at: server)
            #expect(twice.status == 1 && twice.errors.contains("is not empty"), "\(twice)")

            let node = try await server.restarted(options: ["--store", made.uri])
            let agent = try Agent(node)
            for try await notified in try await held.phone.requests(over: agent.transport) {
                #expect(try await held.phone.decide(notified, accept: true, over: agent.transport) == 204)
                break
            }
            #expect(try await agent.poll(waiting).status == 200)
            try await goesOn(&held, at: node, "At PostgreSQL")
            let back = ["store", "copy", "--from", made.uri, "--to", "back"]
            let inUse = try await run(back, at: server)
            #expect(inUse.status == 1 && inUse.errors.contains("is in use"), "\(inUse)")
            await node.stop()

            let returned = try await run(back, at: server)
            try #require(returned.status == 0, "\(returned)")
            #expect(returned.output.contains("audit_log") && returned.output.contains("Both places have the same rows"))
            try FileManager.default.copyItem(
                at: server.folder.appending(path: "data/master.key"),
                to: server.folder.appending(path: "back/master.key"))
            let embedded = try await server.restarted(options: [], data: "back")
            try await goesOn(&held, at: embedded, "At SQLite")
            await embedded.stop()
            // It is removed with its last use.
            withExtendedLifetime(made) {}
        }

        @Test("A copy that was killed leaves no database in a folder, and the next one begins anew")
        func interrupted() async throws {
            let server = try await TestServer.start()
            await server.stop()
            // A file without its name, as a killed copy leaves it.
            let folder = server.folder.appending(path: "new")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            for suffix in ["", "-wal", "-shm"] {
                try Data("torn".utf8).write(to: folder.appending(path: "countersign.db.partial\(suffix)"))
            }
            let copy = ["store", "copy", "--from", "data", "--to", "new"]
            let done = try await run(copy, at: server)
            #expect(done.status == 0, "\(done)")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                    == ["countersign.db", "serve.pid"])
            let again = try await run(copy, at: server)
            #expect(again.status == 1 && again.errors.contains("already exists"), "\(again)")
        }

        @Test(
            "A copy that was killed leaves a database on a server that every program refuses, and says what to do",
            .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
        func unfinished() async throws {
            let server = try await TestServer.start()
            await server.stop()
            let made = try PostgreSQLCluster.started.makeDatabase()
            let there = ["store", "copy", "--from", "data", "--to", made.uri]
            #expect(try await run(there, at: server).status == 0)
            // The mark of a copy that is not finished.
            let mark = "INSERT INTO schema_migrations (position, name) VALUES (-1, 'unfinished copy')"
            let marked = try await Program.run(["-c", mark, made.uri], of: "psql", in: server.folder)
            try #require(marked.status == 0, "\(marked)")
            let halted = try await run(there, at: server)
            #expect(halted.status == 1 && halted.errors.contains("dropdb"), "\(halted)")
            for words in [["serve", "--port", "0"], ["tenant", "list"], ["log", "verify"]] {
                let refused = try await run(words + ["--data", "data", "--store", made.uri], at: server)
                #expect(refused.status == 1 && refused.errors.contains("unfinished copy"), "\(refused)")
            }
            withExtendedLifetime(made) {}
        }

        @Test("A tenant at an installation with another master key: phones, tokens and receipts go on")
        func tenant() async throws {
            let server = try await TestServer.start()
            var held = try await held(at: server)
            let exported = try await server.command(
                "export", ["--tenant", "test", "--output", "test.ndjson", "--json"])
            #expect(try JSONReader.parse(exported)["rows"]?["device"] == 1, "\(exported)")
            for name in ["test.ndjson", "test.ndjson.key"] {
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: server.folder.appending(path: name).path)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
            }
            await server.stop()
            let imported = try await run(["import", "test.ndjson", "--data", "other", "--create"], at: server)
            try #require(imported.status == 0, "\(imported)")
            let other = try await server.restarted(options: [], data: "other")
            try await goesOn(&held, at: other, "Elsewhere")
            try await goesOn(&held, at: other, "Once more")
            await other.stop()
        }
    }
}
