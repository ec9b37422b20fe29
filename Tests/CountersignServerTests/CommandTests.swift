import Foundation
import GuardianWire
import HTTPModel
import Primitives
import TestSupport
import Testing

private let user = "auth0|48616e6e6120486572776974"

@Suite("countersign apply, keys, device and ask")
struct CommandTests {
    private static let configuration = """
        { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com",
          "apis": [ { "identifier": "https://api.acme.example", "scopes": [ { "value": "pay" } ] } ],
          "users": [ { "user_id": "auth0|1", "email": "ann@acme.example", "password": { "env": "PASSWORD" } } ],
          "clients": [ { "client_id": "agent", "name": "Agent", "client_secret": { "file": "secret.txt" },
            "grant_types": [ "urn:openid:params:grant-type:ciba" ] } ] } ] }
        """
    private static let password = ["PASSWORD": "correct horse"]

    private func folder() throws -> Folder {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "acme.json")
        try folder.write(String(repeating: "s", count: 40) + "\n", to: "secret.txt")
        return folder
    }

    @Test("A running server picks up an applied file; applying it again changes nothing")
    func apply() async throws {
        // Without a tenant of its own, nothing else is there to be taken up.
        let server = try await RunningServer(in: folder(), ["--development", "off"])
        let first = try await server.command(["apply", "acme.json", "--json"], environment: Self.password)
        #expect(first.status == 0, "\(first.errors)")
        let changes = try JSONReader.parse(first.output).arrayValue ?? []
        #expect(changes.contains { $0["kind"]?.stringValue == "client" && $0["action"]?.stringValue == "created" })
        #expect(await server.program.errors.wait(for: "configuration reloaded"))
        let metadata = try await server.get(".well-known/openid-configuration", host: "acme.example.com")
        #expect(try JSONReader.parse(metadata.body)["issuer"]?.stringValue == "https://acme.example.com/")

        let second = try await server.command(["apply", "acme.json"], environment: Self.password)
        #expect(second.output == "0 changed, 4 unchanged\n")
        #expect(await server.stop() == 0)
    }

    @Test("A wrong file is refused with line, column and field, and changes nothing")
    func wrongFile() async throws {
        let folder = try folder()
        try folder.write(Self.configuration.replacing("\"name\": \"Agent\"", with: "\"nmae\": 1"), to: "acme.json")
        let result = try await Program.run(
            ["apply", "acme.json", "--create"], in: folder.url, environment: Self.password)
        #expect(result.status == 1)
        #expect(result.errors.contains("acme.json:4:"))
        #expect(result.errors.contains("tenants[0].clients[0].nmae: is not a known field"))
        #expect(!folder.exists("countersign-data"))
        let missing = try await Program.run(["apply", "acme.json", "--create"], in: folder.url)
        #expect(missing.errors.contains("password: needs the environment variable PASSWORD"))
    }

    @Test("--dry-run prints the changes and makes none")
    func dryRun() async throws {
        let folder = try folder()
        let dry = try await Program.run(
            ["apply", "acme.json", "--dry-run", "--create"], in: folder.url, environment: Self.password)
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(dry.output.contains("created  acme    tenant acme"))
        #expect(dry.output.hasSuffix("6 would change, 0 unchanged\n"))
        #expect(!folder.exists("countersign-data"), "there was no database, and there is none")
        func changes(_ options: String...) async throws -> Substring? {
            try await Program.run(
                ["apply", "acme.json", "--create"] + options, in: folder.url, environment: Self.password
            ).output.split(separator: "\n").last
        }
        #expect(try await changes() == "6 changed, 0 unchanged")
        _ = try await Program.run(["tenant", "update", "acme", "--set", "name=Other"], in: folder.url)
        #expect(try await changes("--dry-run")?.hasPrefix("1 would change") == true)
        #expect(try await changes("--dry-run")?.hasPrefix("1 would change") == true, "it was not changed")
    }

    @Test("Rotating makes the next key the current one, and revoking drops a key")
    func keys() async throws {
        let folder = try folder()
        _ = try await Program.run(["apply", "acme.json", "--create"], in: folder.url, environment: Self.password)
        func keys(_ arguments: [String]) async throws -> [String: String] {
            let result = try await Program.run(["keys"] + arguments + ["--json"], in: folder.url)
            #expect(result.status == 0, "\(result.errors)")
            let list = try JSONReader.parse(result.output).arrayValue ?? []
            return Dictionary(
                list.map { ($0["kid"]?.stringValue ?? "", $0["status"]?.stringValue ?? "") }, uniquingKeysWith: { $1 })
        }
        let before = try await keys(["list"])
        #expect(before.values.sorted() == ["current", "next"])
        let rotated = try await keys(["rotate"])
        #expect(rotated.keys.first.flatMap { before[$0] } == "next")
        let old = try #require(before.first { $0.value == "current" }?.key)
        #expect(try await keys(["list"])[old] == "previous")
        #expect(try await keys(["revoke", old]) == [old: "revoked"])
        let again = try await Program.run(["keys", "revoke", old], in: folder.url)
        #expect(again.status == 1)
        #expect(again.errors.contains("the key is already revoked"))
        let unused = try await Program.run(["keys", "rotate", "--algorithm", "ES256"], in: folder.url)
        #expect(unused.errors.contains("The tenant has no keys of ES256"))
    }

    @Test("A ticket is printed as an otpauth URI of the tenant, and with --qr as a QR code too")
    func ticket() async throws {
        let folder = try folder()
        _ = try await Program.run(["apply", "acme.json", "--create"], in: folder.url, environment: Self.password)
        let plain = try await Program.run(["device", "ticket", "--user", "auth0|1"], in: folder.url)
        let uri = try EnrollmentURI(parsing: String(plain.output.dropLast()))
        #expect(uri.baseURL == "https://acme.example.com/appliance-mfa")
        #expect(uri.account == "ann@acme.example")
        let drawn = try await Program.run(["device", "ticket", "--user", "auth0|1", "--qr"], in: folder.url)
        #expect(drawn.output.contains("█"))
        #expect(drawn.output.contains("otpauth://totp/"))
        let page = try await Program.run(["device", "ticket", "--user", "auth0|1", "--page"], in: folder.url)
        #expect(page.output.hasPrefix("https://acme.example.com/guardian/enroll?ticket="))
        let unknown = try await Program.run(["device", "ticket", "--user", "auth0|2"], in: folder.url)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("the tenant acme has no user auth0|2"))
    }

    @Test("Consents of an unknown user, and revoking a consent that was never given, are refused")
    func noConsents() async throws {
        let folder = try folder()
        _ = try await Program.run(["apply", "acme.json", "--create"], in: folder.url, environment: Self.password)
        let none = try await Program.run(["consents", "list", "--user", "auth0|1", "--json"], in: folder.url)
        #expect(none.output == "[]\n")
        let nothing = try await Program.run(
            ["consents", "revoke", "--user", "auth0|1", "--client", "agent"], in: folder.url)
        #expect(nothing.status == 1 && nothing.errors.contains("auth0|1 has no such consent"))
        let unknown = try await Program.run(["consents", "list", "--user", "auth0|2"], in: folder.url)
        #expect(unknown.status == 1 && unknown.errors.contains("the tenant acme has no user auth0|2"))
    }

    @Test("Commands beside a server create no data folder")
    func noFolder() async throws {
        let folder = try Folder()
        for arguments in [["keys", "list"], ["device", "list", "--user", "u"], ["consents", "list", "--user", "u"]] {
            let result = try await Program.run(arguments, in: folder.url)
            #expect(result.status == 1)
            #expect(result.errors.contains("countersign-data contains no database"))
        }
        #expect(!folder.exists("countersign-data"))
    }

    @Test("Without a server, ask names what is missing and exits with 1")
    func askWithoutServer() async throws {
        let folder = try Folder()
        let request = ["ask", "--user", "u", "--message", "m"]
        let result = try await Program.run(request, in: folder.url)
        #expect(result.status == 1)
        #expect(result.errors.contains("--issuer is required"))
        let server = ["--issuer", "https://a.example/", "--client-id", "c"]
        let secret = try await Program.run(request + server, in: folder.url)
        #expect(secret.status == 1)
        #expect(secret.errors.contains("COUNTERSIGN_CLIENT_SECRET"))
        for wrong in [["ask"], ["ask", "--bogus"], request + ["--expires", "soon"], request + ["extra"]] {
            #expect(try await Program.run(wrong, in: folder.url).status == 1, "\(wrong)")
        }
        #expect(try await Program.run(["ask", "--help"], in: folder.url).status == 0)
    }

    @Test("ask exits with 3 for a rejection, 4 for an expiry, 130 for an interruption and 1 otherwise")
    func ask() async throws {
        let server = try await RunningServer(in: Folder())
        let request = ["ask", "--user", user, "--message", "Order 4711"]
        let nobody = try await server.command(request)
        #expect(nobody.status == 1)
        #expect(nobody.errors.contains("No eligible notification channels"))
        #expect(nobody.errors.contains("enrol a phone with countersign device ticket --user USER"))
        #expect(nobody.output.isEmpty)

        let ticket = try await server.command(["device", "ticket", "--user", user])
        let phone = ["GUARDIAN_CA": "countersign-data/tls/ca.pem", "GUARDIAN_STORE": "phone.json"]
        let uri = String(ticket.output.dropLast())
        let enrolled = try await Program.run(
            ["enroll", uri], of: "guardian", in: server.folder.url, environment: phone)
        #expect(enrolled.status == 0, "\(enrolled.errors)")

        let expired = try await server.command(request + ["--expires", "1", "--json"])
        #expect(expired.status == 4)
        #expect(
            try JSONReader.parse(expired.output) == [
                "status": "expired", "error": "expired_token",
                "error_description": "Nobody answered the request in time.",
            ])
        // Nothing that a phone would help. The server needs a moment until it knows the change.
        let client = try await server.command(["client", "list", "--json"])
        let agent = try JSONReader.parse(client.output).arrayValue?.first { $0["name"] == "Shopping agent" }?[
            "client_id"]
        let changed = try await server.command(
            ["client", "update", agent?.stringValue ?? "", "--set", "allow_long_push=false"])
        #expect(changed.status == 0, "\(changed.errors)")
        var late: Program.Result
        repeat {
            late = try await Program(
                request + ["--expires", "301", "--json"], in: server.folder.url, lifetime: .seconds(2)
            ).result()
        } while late.status == 137
        #expect(late.status == 1)
        let reason = try JSONReader.parse(late.output)
        #expect(reason["status"] == "failed" && reason["error"] == "no_eligible_device", "\(late.output)")
        #expect(reason["error_description"]?.stringValue?.contains("No eligible notification channels") == true)
        #expect(late.errors.contains("No eligible notification channels") && !late.errors.contains("hint:"))

        let interrupted = try await Program(request, in: server.folder.url)
        #expect(await interrupted.errors.wait(for: "Waiting for"))
        interrupted.send(SIGINT)
        #expect(await interrupted.status() == 130)
        // Its request is on no phone any more.
        let withdrawn = try await server.command(["log", "list", "--type", "ciba_cancelled", "--json"])
        #expect(withdrawn.output.contains("ciba_cancelled"), "\(withdrawn.errors)")

        let watch = try await Program(
            ["watch", "--answer", "reject", "--reason", "too much\u{1B}"], of: "guardian", in: server.folder.url,
            environment: phone)
        let rejected = try await server.command(request)
        #expect(rejected.status == 3)
        #expect(rejected.output.isEmpty)
        #expect(rejected.errors.contains("rejected: too much‹U+001B›"), "\(rejected.errors)")
        let told = try await server.command(request + ["--json"])
        #expect(told.status == 3)
        #expect(try JSONReader.parse(told.output)["reason"] == "too much‹U+001B›")
        watch.send(SIGKILL)

        let list = try await server.command(["device", "list", "--user", user, "--json"])
        let device = try #require(JSONReader.parse(list.output)[0]?["id"]?.stringValue)
        let renamed = try await server.command(["device", "update", device, "--name", "At work", "--json"])
        #expect(try JSONReader.parse(renamed.output)["name"] == "At work")
        let removed = try await server.command(["device", "remove", device])
        #expect(removed.status == 0)
        for arguments in [["remove", device], ["show", device], ["update", device, "--name", "Gone"]] {
            let gone = try await server.command(["device"] + arguments)
            #expect(gone.status == 1 && gone.errors.contains("has no device \(device)"), "\(gone.errors)")
        }
        let changes = try await server.command(["log", "list", "--type", "sapi", "--user", user, "--json"])
        let entries = try #require(try JSONReader.parse(changes.output).arrayValue)
        #expect(entries.map { $0["details"]?["action"] } == ["removed", "changed"], "\(changes.output)")
        #expect(entries.allSatisfy { $0["details"]?["object"]?["id"] == .string(device) })
        #expect(await server.stop() == 0)
    }
}
