import Foundation
import GuardianWire
import PostgreSQLCluster
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Upgrades from a former version's data") struct UpgradeTests {
        /// Folder that gets a new fixture, made by the programs that `COUNTERSIGN_TEST_COMMANDS` names.
        private static let target = ProcessInfo.processInfo.environment["MAKE_UPGRADE_FIXTURE"].map {
            URL(filePath: $0)
        }
        private static let noClock: Comment = "no compiler for C is installed, or a sanitizer has to be loaded first"
        /// A step of the schema that no program knows, of a version that comes after every other.
        private static let later = (name: "900 later (99.1.0)", version: "99.1.0 or later")

        @Test(
            "The former version's programs make the fixture", .enabled(if: target != nil, "only for a new fixture"),
            arguments: FormerInstallation.Engine.available)
        func made(_ engine: FormerInstallation.Engine) async throws {
            let target = try #require(Self.target)
            try await FormerInstallation.make(engine, in: target.appending(path: engine.rawValue))
        }

        // MARK: forward

        @Test(
            "Sessions, tokens, phones, passkeys, requests under way, receipts, mails and the audit log live on",
            .enabled(if: ShiftedClock.isAvailable, noClock), arguments: FormerInstallation.Engine.available)
        func livesOn(_ engine: FormerInstallation.Engine) async throws {
            let former = try await FormerInstallation(engine)
            let server = try await former.start()
            try await expectAuditLog(former, server, proven: true)
            try await expectLogins(former, server)
            try await expectRequests(former, server)
            try await expectReceipts(former, server)
            try await expectMail(server)
            try await expectAuditLog(former, server, proven: true)
            #expect(await server.stop() == 0)
            former.end()
        }

        /// The log has what it had, under the same signatures, and grows behind it.
        private func expectAuditLog(
            _ former: FormerInstallation, _ server: TestServer, proven: Bool
        ) async throws {
            let report = try JSONReader.parse(
                try await server.command(
                    "log verify",
                    ["--expect", former.held.auditHead, "--expect-tree-head", former.held.treeHead, "--json"]))
            #expect(report["valid"] == true && report["end_proven"] == .bool(proven), "\(report)")
        }

        private func expectLogins(_ former: FormerInstallation, _ server: TestServer) async throws {
            let app = try LoginApp(server)
            let silent = app.link(scope: "openid", ["prompt": "none"])
            let known = try await server.browser(cookies: former.held.cookies).open(silent).callback()
            let session = try await app.redeem(try known["code"].orThrow("the session is gone: \(known)"))
            #expect(try await app.identity(session.json)["sub"] == "auth0|0")

            let refreshed = try await app.refresh(former.held.refreshToken)
            #expect(refreshed.status == 200, "\(refreshed)")
            let rotated = try #require(refreshed.json["refresh_token"]?.stringValue)
            #expect(rotated != former.held.refreshToken)
            #expect(try await app.refresh(rotated).status == 200)

            let typed = try await app.tokens(
                in: server.browser(), scope: "openid pay", ["audience": TestServer.audience])
            #expect(typed["access_token"] != nil && typed["scope"]?.stringValue?.contains("pay") == true, "\(typed)")

            let visitor = try server.browser()
            let page = try await visitor.open(app.link(scope: "openid")).page()
            let (form, challenge) = try page.passkey("data-challenge")
            let handle = try Base64URL.decode(former.held.passkeyHandle).orThrow("no base64url")
            let answer = try server.passkey(handle: handle).loginAnswer(challenge)
            let back = try await visitor.submit(
                form, on: page, nil, ["passkey": String(decoding: answer.json, as: UTF8.self)]
            ).callback()
            let tokens = try await app.redeem(try back["code"].orThrow("the passkey is gone: \(back)"))
            #expect(try await app.identity(tokens.json)["sub"] == "auth0|1")
        }

        private func expectRequests(_ former: FormerInstallation, _ server: TestServer) async throws {
            let agent = try Agent(server)
            #expect(try await agent.poll(former.held.pending).error == "authorization_pending")
            let shown = try await server.run(
                ["allow", "--wait", "30s", "--store", "phone.json", "--ca", server.authority], of: "guardian")
            #expect(shown.status == 0 && shown.output.contains(FormerInstallation.pendingMessage), "\(shown)")
            try await Task.sleep(for: .seconds(1))
            let tokens = try await agent.poll(former.held.pending)
            #expect(tokens.status == 200 && tokens.json["access_token"] != nil, "\(tokens)")
            #expect(try await agent.poll(former.held.pending).error == "invalid_grant")

            #expect(try await server.redeemSigned(former.held.allowed).status == 200)
            #expect(try await server.redeemSigned(former.held.allowed).error == "invalid_grant")

            let next = try await agent.started("After the upgrade")
            _ = try await server.guardian("allow", ["--wait", "30s"])
            #expect(try await agent.poll(next).status == 200)
        }

        /// The kept receipt verifies with the published keys, and so does one that is made now of the former decision.
        private func expectReceipts(_ former: FormerInstallation, _ server: TestServer) async throws {
            let again = try await server.command("receipt show", [former.held.decided, "--tenant", "test"])
            try Data(again.utf8).write(to: server.folder.appending(path: "again.jwt"))
            let keys = try await server.run(
                ["-sS", "--cacert", server.authority, "\(server.issuer).well-known/jwks.json"], of: "curl")
            try Data(keys.output.utf8).write(to: server.folder.appending(path: "jwks.json"))
            for file in ["receipt.jwt", "again.jwt"] {
                let proof = try await server.run(
                    ["receipt", "verify", file, "--jwks", "jwks.json", "--issuer", server.issuer, "--json"])
                try #require(proof.status == 0, "\(file): \(proof)")
                let facts = try JSONReader.parse(proof.output)
                #expect(facts["receipt"]?["decision"]?.stringValue == "allowed", "\(facts)")
                #expect(facts["request"]?["binding_message"]?.stringValue == "Order 1", "\(facts)")
            }
        }

        /// The mail that waited goes out, and its link confirms the address.
        private func expectMail(_ server: TestServer) async throws {
            let folder = server.folder.appending(path: "mails")
            let mails: @Sendable () -> [String] = {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
                return names.compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
                    .filter { $0.contains(FormerInstallation.newcomer) && $0.contains("email-verification") }
            }
            try await eventually(within: .seconds(20)) { !mails().isEmpty }
            let mail = try #require(mails().first)
            let link = try #require(mail.firstMatch(of: /https:[^ \r\n"<>]*email-verification[^ \r\n"<>]*/)?.0)
            let browser = try server.browser()
            let page = try await browser.open(String(link)).page()
            _ = try await browser.submit(page)
            let users = try JSONReader.parse(try await server.command("user list", ["--tenant", "test", "--json"]))
            let newcomer = users.arrayValue?.first { $0["email"]?.stringValue == FormerInstallation.newcomer }
            #expect(newcomer?["email_verified"] == true, "\(page.text) \(users)")
        }

        @Test(
            "A backup of the former version is restored, and its tenant is imported or refused with a word",
            .enabled(if: ShiftedClock.isAvailable, noClock))
        func files() async throws {
            let former = try await FormerInstallation(.sqlite)
            try await former.unpack("backup.db")
            let key = ["--master-key-file", "data/master.key"]
            let restored = try await run(["restore", "backup.db", "--data", "other", "--create"] + key, former)
            #expect(restored.status == 0, "\(restored)")
            let server = try await former.start(data: "other", options: former.options + key)
            let app = try LoginApp(server)
            #expect(try await app.refresh(former.held.refreshToken).status == 200)
            #expect(await server.stop() == 0)

            // A copy needs the schema of now on both sides, which the start of a server makes.
            let copy = ["store", "copy", "--from", "data", "--to", "copied"]
            let early = try await run(copy, former)
            let imported = try await run(["import", "test.ndjson", "--data", "third", "--create"], former)
            if try await isOfThisSchema(former) {
                #expect(early.status == 0 && imported.status == 0, "\(early) \(imported)")
            } else {
                #expect(early.status == 1 && early.errors.contains("start this version with it first"), "\(early)")
                #expect(
                    imported.status == 1 && imported.errors.contains("bring the older installation up to date first"),
                    "\(imported)")
                #expect(try await run(["keys", "list", "--data", "data"], former).status == 0)
                let late = try await run(copy, former)
                #expect(late.status == 0, "\(late)")
            }
        }

        private func run(_ words: [String], _ former: FormerInstallation) async throws -> Program.Result {
            try await Program.run(words, in: former.folder, environment: former.clock)
        }

        /// True while no step was added since the fixture.
        private func isOfThisSchema(_ former: FormerInstallation) async throws -> Bool {
            let found = try await run(["log", "verify", "--data", "data"], former)
            return !found.errors.contains("written by an older version")
        }

        // MARK: back

        @Test(
            "A database that a newer version wrote is refused by that version's number, and stays as it is",
            .enabled(if: ShiftedClock.isAvailable, noClock), arguments: FormerInstallation.Engine.available)
        func downgrade(_ engine: FormerInstallation.Engine) async throws {
            let former = try await FormerInstallation(engine)
            // A command that may change the database brings it to the schema of now.
            let now = try await run(["keys", "list", "--data", "data"] + former.store, former)
            try #require(now.status == 0, "\(now)")
            try await moveOn(former)
            let before = try await content(former)
            let changing = [["serve", "--port", "0", "--development=off"], ["keys", "rotate"], ["keys", "list"]]
            for words in changing + [["log", "verify"], ["export", "--output", "new.ndjson"]] {
                let refused = try await run(words + ["--data", "data"] + former.store, former)
                #expect(refused.status == 1, "\(words): \(refused)")
                #expect(refused.errors.contains("newer version of this program, \(Self.later.version)"), "\(refused)")
                #expect(refused.errors.contains("restore the backup from before the upgrade"), "\(refused)")
            }
            let examined = try await run(["doctor", "--offline", "--data", "data"] + former.store, former)
            #expect(examined.status == 1 && examined.output.contains(Self.later.version), "\(examined)")
            #expect(try await content(former) == before)
            former.end()
        }

        /// Does to the database what a later version's start does.
        private func moveOn(_ former: FormerInstallation) async throws {
            if let database = former.database {
                try await moveOn(database)
            } else {
                try await alterDatabase(
                    former.folder.appending(path: "data/countersign.db").path,
                    """
                    CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;
                    INSERT INTO schema_migrations (position, name) VALUES (900, '\(Self.later.name)');
                    """)
            }
        }

        private func moveOn(_ database: PostgreSQLCluster.Database) async throws {
            let script = """
                CREATE TABLE later (id BIGINT PRIMARY KEY);
                ALTER TABLE "user" ADD COLUMN shoe_size BIGINT;
                INSERT INTO schema_migrations (position, name) VALUES (900, '\(Self.later.name)');
                """
            let done = try await Program.run(
                ["--quiet", "--set", "ON_ERROR_STOP=1", "-c", script, database.uri], of: "psql",
                in: FileManager.default.temporaryDirectory)
            try #require(done.status == 0, "\(done)")
        }

        private func content(_ former: FormerInstallation) async throws -> Data {
            guard let database = former.database else {
                return try Data(contentsOf: former.folder.appending(path: "data/countersign.db"))
            }
            let dumped = try await Program.run([database.uri], of: "pg_dump", in: former.folder)
            try #require(dumped.status == 0, "\(dumped.errors)")
            // Each dump has a word of its own.
            return Data(
                dumped.output.split(separator: "\n").filter { !$0.contains("restrict") }.joined(separator: "\n").utf8)
        }

        @Test(
            "While a newer version's node moves the schema on, this one serves on, and its next start is refused",
            .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
        func rolling() async throws {
            let made = try PostgreSQLCluster.started.makeDatabase()
            let server = try await TestServer.start(options: ["--tls=off", "--store", made.uri])
            let phone = try await TestPhone(user: 0, at: server)
            let agent = try Agent(server)
            let waiting = try await agent.started("Before")
            try await moveOn(made)
            let later = try await agent.started("After")
            var decided = 0
            for try await notified in try await phone.requests(over: agent.transport) {
                #expect(try await phone.decide(notified, accept: true, over: agent.transport) == 204)
                decided += 1
                if decided == 2 { break }
            }
            for id in [waiting, later] { #expect(try await agent.poll(id).status == 200) }
            let command = try await server.run(["user", "list", "--data", "data"])
            #expect(command.status == 1 && command.errors.contains(Self.later.version), "\(command)")
            let beside = await #expect(throws: (any Error).self) { try await server.joined() }
            #expect(beside.map { "\($0)" }?.contains(Self.later.version) == true, "\(beside as Any)")
            #expect(await server.stop() == 0)
            let again = await #expect(throws: (any Error).self) { try await server.restarted() }
            #expect(again.map { "\($0)" }?.contains(Self.later.version) == true, "\(again as Any)")
            withExtendedLifetime(made) {}
        }
    }
}
