import Foundation
import HTTPModel
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("countersign key-exchange: values that do not open")
struct UnreadableBoxTests {
    private static let configuration = """
        { "tenants": [ {
            "id": "acme", "name": "Acme", "host": "acme.example.com",
            "users": [ { "user_id": "auth0|ann", "email": "ann@example.com" } ],
            "email_provider": {
                "name": "smtp", "default_from_address": "id@example.com",
                "credentials": {
                    "smtp_host": "mail.example.com", "smtp_port": 587, "smtp_user": "us", "smtp_pass": "s3cret"
                }
            },
            "connections": [
                { "name": "github", "strategy": "github", "options": { "client_id": "us", "client_secret": "s3cret" } }
            ]
        } ] }
        """

    /// Puts a value of so many bytes, which no key opens, into a row of the table.
    private static func damage(_ table: String, bytes: Int = 64) throws -> String {
        let box = "zeroblob(\(bytes))"
        switch table {
        case "signing_key": return "UPDATE signing_key SET sealed_private_key = \(box) WHERE status = 'next'"
        case "connection": return "UPDATE configuration_object SET sealed = \(box) WHERE id = 'github'"
        case "web_push_key": return "UPDATE web_push_key SET sealed_private_key = \(box)"
        case "delivery":
            return """
                INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                    state)
                VALUES ('acme', 'mail', '', '', \(box), 1, 1, \(Int64(1) << 53), 0, 0);
                """
        case "one_time_password":
            return """
                INSERT INTO device (id, tenant, "user", identifier, name, public_key, token_hash, enrolled_at,
                    push_registered_at)
                VALUES ('dev_1', 'acme', 'auth0|ann', 'i', 'n', '{}', x'01', 1, 1);
                INSERT INTO one_time_password VALUES ('dev_1', 'acme', \(box), -1);
                """
        case "authenticator":
            return "INSERT INTO authenticator VALUES ('acme', 'totp_1', 'auth0|ann', NULL, \(box), -1, 1, 0);"
        case "configuration_object":
            return "UPDATE configuration_object SET sealed = \(box) WHERE kind = 'email_provider'"
        case "backchannel_request":
            return """
                INSERT INTO backchannel_request (hash, tenant, client, "user", audience, channel, created_at, expires_at,
                    poll_interval, wants_receipt, sealed_record, state)
                VALUES (zeroblob(32), 'acme', 'agent', 'auth0|ann', 'api', 'email', 1, \(Int64(1) << 53), 5, 0, \(box), 0);
                """
        case "approval":
            return """
                INSERT INTO approval (id, tenant, client, "user", kept_until, audit_entry, audit_lane, audit_place,
                    audit_hash, sealed_evidence)
                VALUES ('cns_1', 'acme', 'agent', 'auth0|ann', \(Int64(1) << 53), 1, 0, 1, zeroblob(32), \(box));
                """
        case "unanswered_request":
            return """
                INSERT INTO unanswered_request (id, tenant, client, "user", ending, ended_at, kept_until, audit_entry,
                    audit_hash, record_context, sealed_record)
                VALUES ('cns_1', 'acme', 'agent', 'auth0|ann', 'expired', 1, \(Int64(1) << 53), 1, zeroblob(32), '',
                    \(box));
                """
        case "audit_key": return "INSERT INTO audit_key VALUES (1, \(box))"
        case "refresh_token_key": return "INSERT INTO refresh_token_key VALUES ('acme', \(box))"
        case "derivation_key": return "UPDATE derivation_key SET sealed = \(box) WHERE label = 'form'"
        case "user_job": return job(order: box)
        case "user_job_part":
            return "\(job(order: "zeroblob(0)")); INSERT INTO user_job_part VALUES ('acme', 'job_1', 0, \(box))"
        default: throw Unexpected("say how a row of \(table) is damaged")
        }
    }

    private static func job(order: String) -> String {
        """
        INSERT INTO user_job (tenant, id, kind, status, sealed_order, parts, place, inserted, updated, failed, created_at,
            ended_at)
        VALUES ('acme', 'job_1', 'users_import', 'completed', \(order), 0, 0, 0, 0, 0, 1, 1)
        """
    }

    /// A folder with old entries in its audit log, as a damaged database.
    private func folder(_ damage: String) async throws -> Folder {
        let folder = try Folder()
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let database = folder.url.appending(path: "countersign-data/countersign.db").path
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "countersign-data"), withIntermediateDirectories: true)
        try folder.write(String(repeating: "ab", count: 32), to: "countersign-data/master.key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.url.appending(path: "countersign-data/master.key").path)
        try await makeDatabase(database, tenant: "acme", logging: 5, from: now - .seconds(100 * 86_400))
        try folder.write(Self.configuration, to: "acme.json")
        let applied = try await Program.run(["apply", "acme.json", "--create"], in: folder.url)
        try #require(applied.status == 0, "\(applied.errors)")
        try await alterDatabase(database, damage)
        return folder
    }

    private func exchange(_ folder: Folder, _ options: [String]) async throws -> Program.Result {
        try await Program.run(["key-exchange", "--json"] + options, in: folder.url)
    }

    /// Starts a server, archives old entries, and exchanges the key once more without giving up anything.
    private func expectWhole(_ folder: Folder) async throws {
        let server = try await RunningServer(in: folder)
        let metadata = try await server.get(".well-known/openid-configuration", host: "acme.example.com")
        #expect(metadata.status == 200)
        #expect(await server.stop() == 0)
        let archived = try await Program.run(["log", "archive", "--before", "30d", "old.ndjson"], in: folder.url)
        #expect(archived.status == 0, "\(archived.errors)")
        let again = try await exchange(folder, [])
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test(
        "With --empty-unreadable, the server starts and the log is archived, whichever table has the unreadable value",
        arguments: Set(SealedColumn.all.map(\.table) + ["connection"]).sorted(), [[], ["--end-derived"]])
    func givenUp(table: String, options: [String]) async throws {
        let folder = try await folder(Self.damage(table))
        // --end-derived replaces or deletes these, so that nothing is left to give up.
        let isReplaced =
            options.contains("--end-derived") && ["audit_key", "derivation_key", "refresh_token_key"].contains(table)
        if !isReplaced {
            let refused = try await exchange(folder, options)
            #expect(refused.status == 1 && refused.errors.contains("\(table) "), "\(refused.errors)")
        }
        let given = try await exchange(folder, options + ["--empty-unreadable"])
        #expect(given.status == 0, "\(given.errors)")
        #expect(try JSONReader.parse(given.output)["emptied"]?.intValue == (isReplaced ? 0 : 1))
        try await expectWhole(folder)
    }

    @Test(
        "A required row that is empty is named, and created anew once it is given up",
        arguments: ["audit_key", "derivation_key", "web_push_key"])
    func empty(table: String) async throws {
        let folder = try await folder(Self.damage(table, bytes: 0))
        let refused = try await exchange(folder, [])
        #expect(refused.status == 1 && refused.errors.contains("\(table) "), "\(refused.errors)")
        #expect(try await exchange(folder, ["--empty-unreadable"]).status == 0)
        try await expectWhole(folder)
    }
}
