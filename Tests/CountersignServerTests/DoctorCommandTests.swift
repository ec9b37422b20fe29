import AuthorizationCore
import CountersignServer
import Flows
import Foundation
import HTTPModel
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("countersign doctor")
struct DoctorCommandTests {
    private struct Report {
        let status: Int32
        let json: JSONValue

        func findings(_ name: String) -> [JSONValue] {
            (json["findings"]?.arrayValue ?? []).filter { $0["name"]?.stringValue == name }
        }

        func states(_ name: String) -> [String] { findings(name).compactMap { $0["state"]?.stringValue } }

        func has(_ name: String, _ state: String, _ text: String) -> Bool {
            findings(name).contains {
                $0["state"]?.stringValue == state && $0["finding"]?.stringValue?.contains(text) == true
            }
        }
    }

    private func doctor(
        _ folder: Folder, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Report {
        let result = try await Program.run(["doctor", "--json"] + arguments, in: folder.url, environment: environment)
        #expect(result.errors.isEmpty, "\(result.errors)")
        return Report(status: result.status, json: try JSONReader.parse(result.output))
    }

    private func mode(_ mode: Int, of name: String, in folder: Folder) throws {
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: folder.url.appending(path: name).path)
    }

    /// A data folder that a server has left.
    private func left() async throws -> Folder {
        let server = try await RunningServer(in: Folder())
        #expect(await server.stop() == 0)
        return server.folder
    }

    @Test("A healthy development server has no fault, and the status is 0; each name is a check's")
    func healthy() async throws {
        let server = try await RunningServer(in: Folder())
        let report = try await doctor(server.folder, [])
        #expect(report.status == 0, "\(report.json)")
        for check in DoctorCheck.allCases {
            #expect(!report.states(check.rawValue).isEmpty, "\(check)")
            // The machine of the tests may have little room, and no time service.
            if check != .disk, check != .clock {
                #expect(Set(report.states(check.rawValue)) == ["ok"], "\(check): \(report.findings(check.rawValue))")
            }
        }
        #expect(report.has("issuers", "ok", "answers as \(server.issuer)"))
        #expect(report.json["summary"]?["fault"] == 0)
        let text = try await server.command(["doctor", "--only", "issuers,keys"])
        #expect(text.status == 0)
        #expect(text.output.contains("STATE  CHECK    SUBJECT"), "\(text.output)")
        #expect(!text.output.contains("\u{1B}") && text.errors.isEmpty)
        #expect(await server.stop() == 0)
    }

    @Test("A pipe in place of a file holds nobody up, and a file that fails for another reason needs no other account")
    func pipes() async throws {
        let folder = try await left()
        let pid = folder.url.appending(path: "countersign-data/serve.pid").path
        try? FileManager.default.removeItem(atPath: pid)
        #expect(mkfifo(pid, 0o600) == 0)
        let pipe = folder.url.appending(path: "ca.pem").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let report = try await doctor(
            folder, ["--only", "server,certificates", "--trusted-authorities", pipe, "--timeout", "20s"])
        #expect(report.has("server", "warning", "no server runs"), "\(report.json)")
        #expect(report.has("certificates", "fault", "is no regular file"), "\(report.json)")
        #expect(!report.findings("certificates").contains { $0["advice"]?.stringValue?.contains("sudo -u") == true })
    }

    @Test("A stopped server and an unreachable issuer are named, unless --offline is given")
    func unreachable() async throws {
        let folder = try await left()
        let report = try await doctor(folder, [])
        #expect(report.status == 1)
        #expect(report.has("server", "warning", "no server runs"))
        #expect(report.has("issuers", "fault", "cannot be reached from here"))
        let offline = try await doctor(folder, ["--offline"])
        #expect(offline.status == 0, "\(offline.json)")
        #expect(offline.states("issuers") == ["skipped"])
    }

    @Test("Wrong modes are named with the command that mends them")
    func modes() async throws {
        let folder = try await left()
        try mode(0o755, of: "countersign-data", in: folder)
        try mode(0o644, of: "countersign-data/countersign.db", in: folder)
        try mode(0o640, of: "countersign-data/tls/ca-key.pem", in: folder)
        try mode(0o640, of: "countersign-data/master.key", in: folder)
        let report = try await doctor(folder, ["--offline"])
        #expect(report.status == 1)
        #expect(report.states("files").sorted() == ["fault", "fault", "fault", "warning"])
        #expect(
            report.findings("files").contains {
                $0["advice"] == "run: chmod 0600 countersign-data/countersign.db"
            })
        #expect(report.has("master-key", "fault", "others may read it"))
        #expect(report.states("keys") == ["skipped"])
    }

    @Test("The master key's file is judged as all files are, in every folder, and so are files of subfolders")
    func masterKeyFile() async throws {
        let folder = try await left()
        let data = folder.url.appending(path: "countersign-data")
        try FileManager.default.moveItem(
            at: data.appending(path: "master.key"), to: folder.url.appending(path: "away.key"))
        try FileManager.default.createDirectory(at: data.appending(path: "mail"), withIntermediateDirectories: true)
        try folder.write("a mail", to: "countersign-data/mail/1.eml")
        try mode(0o700, of: "countersign-data/mail", in: folder)
        try mode(0o640, of: "countersign-data/mail/1.eml", in: folder)
        try mode(0o644, of: "away.key", in: folder)
        let report = try await doctor(folder, ["--only", "files", "--master-key-file", "away.key"])
        let subjects = report.findings("files").compactMap { $0["subject"]?.stringValue }
        #expect(subjects.sorted() == ["away.key", "countersign-data/mail/1.eml"], "\(report.json)")
    }

    @Test(
        "A file of root in another account's folder is a fault, and an account that may not look says so",
        .enabled(if: OtherAccount.exists))
    func accounts() async throws {
        let folder = try await left()
        let data = folder.url.appending(path: "countersign-data").path
        for name in [""] + (try FileManager.default.subpathsOfDirectory(atPath: data)) where name != "master.key" {
            try #require(chown("\(data)/\(name)", 65_533, 65_533) == 0)
        }
        let report = try await doctor(folder, ["--only", "files"])
        #expect(report.findings("files").map { $0["advice"] } == ["run: chown 65533 countersign-data/master.key"])
        try #require(chmod(folder.url.path, 0o755) == 0)
        let looked = try await OtherAccount.run(
            ["doctor", "--json", "--only", "server"], as: 65_532, in: folder.url)
        let finding = try JSONReader.parse(looked.output)["findings"]?[0]
        #expect(finding?["finding"]?.stringValue?.contains("Permission denied") == true, "\(looked)")
        #expect(finding?["advice"] == "run it as the owner: sudo -u '#65533' countersign …")
    }

    @Test("Another master key, a missing one and a malformed one are faults, and no key is printed")
    func wrongKey() async throws {
        let folder = try await left()
        let other = String(repeating: "5c", count: 32)
        let report = try await doctor(folder, ["--offline"], environment: ["COUNTERSIGN_MASTER_KEY": other])
        #expect(report.status == 1)
        #expect(report.has("master-key", "fault", "sealed under another master key"))
        #expect(report.states("sealed-values") == ["skipped"])
        #expect(report.states("audit-log") == ["ok"], "this needs no key")
        let malformed = try await Program.run(
            ["doctor", "--offline", "--json"], in: folder.url, environment: ["COUNTERSIGN_MASTER_KEY": other + "x"])
        #expect(malformed.status == 1 && !malformed.output.contains(other), "\(malformed.output)")
        try FileManager.default.removeItem(at: folder.url.appending(path: "countersign-data/master.key"))
        let missing = try await doctor(folder, ["--offline"])
        #expect(missing.has("master-key", "fault", "is missing"))
        #expect(!folder.exists("countersign-data/master.key"), "doctor makes nothing")
    }

    @Test("A missing folder, a foreign file and wrong settings are findings; nothing is created")
    func broken() async throws {
        let folder = try Folder()
        let missing = try await doctor(folder, ["--offline"])
        #expect(missing.status == 1)
        #expect(missing.has("database", "fault", "there is no database"))
        #expect(missing.has("files", "fault", "No such file or directory"))
        #expect(!folder.exists("countersign-data"))

        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "countersign-data"), withIntermediateDirectories: false)
        try folder.write(String(repeating: "no database ", count: 999), to: "countersign-data/countersign.db")
        let foreign = try await doctor(folder, ["--offline"])
        #expect(foreign.has("database", "fault", "damaged"), "\(foreign.json)")
        #expect(foreign.states("audit-log") == ["skipped"])

        try folder.write(#"{ "prot": 1 }"#, to: "settings.json")
        let settings = try await doctor(folder, ["--config", "settings.json"])
        #expect(settings.status == 1)
        #expect(settings.has("settings", "fault", "is not a setting"))
        #expect(settings.json["summary"]?["skipped"] == .number(JSONNumber(DoctorCheck.allCases.count - 1)))
        let usage = try await Program.run(["doctor", "--only", "disk,nothing"], in: folder.url)
        #expect(usage.status == 2 && usage.errors.contains("--only must be one of"))
    }

    @Test("Altered audit entries, missing guards, closed values and keys, and dead letters are named")
    func damaged() async throws {
        let folder = try await left()
        let database = folder.url.appending(path: "countersign-data/countersign.db").path
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        try await alterDatabase(
            database,
            """
            UPDATE signing_key SET sealed_private_key = zeroblob(64) WHERE status = 'next';
            INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                state)
            SELECT id, 'mail', '', '', x'', 1, \(now), \(now), 3, 1 FROM tenant;
            INSERT INTO delivery (tenant, queue, recipient, payload, sealed, created_at, due_at, expires_at, attempts,
                state)
            SELECT id, 'web_pushes', 'dev_1', '', x'', 1, 1, \(Int64.max), 3, 0 FROM tenant;
            """)
        let report = try await doctor(folder, ["--offline"])
        #expect(report.status == 1)
        #expect(report.states("audit-log") == ["ok"])
        #expect(report.has("sealed-values", "fault", "1 of 2 values cannot be opened: signing_key dev "))
        #expect(report.has("keys", "fault", "cannot be opened"))
        #expect(report.has("deliveries", "warning", "1 given up within a day"))
        #expect(report.has("deliveries", "warning", "1 wait, the oldest for"))
        try await alterDatabase(database, "DROP TRIGGER audit_log_keeps_entries;")
        let unguarded = try await doctor(folder, ["--only", "audit-log"])
        #expect(unguarded.has("audit-log", "fault", "audit_log_keeps_entries"), "\(unguarded.json)")
    }

    @Test("--tenant checks one tenant; an unknown one is a fault that names the others")
    func tenant() async throws {
        let server = try await RunningServer(in: Folder())
        try server.folder.write(
            #"{ "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.invalid" } ] }"#, to: "acme.json")
        #expect(try await server.command(["apply", "acme.json"]).status == 0)
        let all = try await doctor(server.folder, [])
        #expect(all.status == 1)
        #expect(all.has("dns", "fault", "the name has no address"))
        let one = try await doctor(server.folder, ["--tenant", "dev"])
        #expect(one.status == 0, "\(one.json)")
        #expect(one.findings("dns").count == 1)
        let unknown = try await doctor(server.folder, ["--tenant", "shop", "--offline"])
        #expect(unknown.status == 1)
        #expect(unknown.findings("configuration").contains { $0["advice"] == "the tenants are: acme, dev" })
        #expect(await server.stop() == 0)
    }

    private func write(_ identity: TestAuthority.Identity, as name: String, in folder: Folder) throws {
        try folder.write(identity.pem, to: "\(name).pem")
        try folder.write(String(decoding: identity.keyPEM.bytes, as: UTF8.self), to: "\(name).key")
        try mode(0o600, of: "\(name).key", in: folder)
    }

    @Test("An expired certificate is named in its file and as it is presented, and a foreign key in its file")
    func certificates() async throws {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let authority = try TestAuthority(from: now - .seconds(400 * 86_400))
        let folder = try Folder()
        try folder.write(String(decoding: authority.pem, as: UTF8.self), to: "authority.pem")
        func identity(_ names: String, endsIn days: Int) throws -> TestAuthority.Identity {
            try authority.identity(
                "server", names: names, usage: "serverAuth", from: now - .seconds(90 * 86_400),
                for: .seconds((90 + days) * 86_400))
        }
        try write(try identity("DNS:localhost", endsIn: -2), as: "expired", in: folder)
        try write(try identity("DNS:other.example", endsIn: 60), as: "other", in: folder)
        func options(_ certificate: String, _ key: String) -> [String] {
            [
                "--tls", "files", "--tls-certificate", "\(certificate).pem", "--tls-key", "\(key).key",
                "--trusted-authorities", "authority.pem",
            ]
        }
        let server = try await RunningServer(in: folder, options("expired", "expired"))
        let expired = try await doctor(folder, options("expired", "expired"))
        #expect(expired.status == 1)
        #expect(expired.has("certificates", "fault", "the certificate expired 2 days ago"), "\(expired.json)")
        #expect(expired.has("issuers", "fault", "the certificate expired 2 days ago"), "\(expired.json)")
        #expect(await server.stop() == 0)

        let elsewhere = try Folder()
        try elsewhere.write(String(decoding: authority.pem, as: UTF8.self), to: "authority.pem")
        try write(try identity("DNS:other.example", endsIn: 60), as: "other", in: elsewhere)
        let presenting = try await RunningServer(in: elsewhere, options("other", "other"))
        let named = try await doctor(elsewhere, options("other", "other") + ["--only", "issuers"])
        #expect(named.status == 1 && named.has("issuers", "fault", "does not name localhost"), "\(named.json)")
        #expect(await presenting.stop() == 0)

        let foreign = try await doctor(folder, options("other", "expired") + ["--only", "certificates"])
        #expect(foreign.status == 1)
        #expect(foreign.has("certificates", "fault", "the key does not belong to the certificate"))
        let missing = try await doctor(folder, options("none", "other") + ["--only", "certificates"])
        #expect(missing.has("certificates", "fault", "cannot open none.pem"))
    }

    @Test("Findings of providers' credentials are those of each tenant, and a failure to check is one")
    func providers() async throws {
        let folder = try await left()
        var settings = ServerSettings()
        settings.dataFolder = folder.url.appending(path: "countersign-data").path
        var scope = Doctor.Scope()
        scope.checks = [.providers]
        let doctor = Doctor(settings, scope) { _, _ in
            [
                CredentialCheck { tenant, _ in
                    [
                        .ok("APNs", "proven for \(tenant.tenant.name)"),
                        .fault("FCM", "refused", advice: "replace the key"),
                    ]
                }
            ]
        }
        let findings = await doctor.examine(within: .seconds(20))
        #expect(findings.map(\.subject) == ["mail server", "dev: APNs", "dev: FCM"])
        #expect(findings.map(\.state) == [.ok, .ok, .fault])
        #expect(findings.last?.advice == "replace the key")
        struct Unusable: Error {}
        let failing = await Doctor(settings, scope) { _, _ in throw Unusable() }.examine(within: .seconds(20))
        #expect(failing.map(\.state) == [.ok, .fault])
    }

    @Test("No mail server is a warning for users with passwords, and a fault as soon as a client asks by e-mail")
    func noMailServer() async throws {
        let folder = try Folder()
        func apply(_ client: String) async throws {
            try folder.write(
                """
                { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.invalid",
                    "users": [ { "user_id": "auth0|ann", "email": "ann@example.com", "password": "correct horse" } ],
                    "clients": [ { "client_id": "agent", "name": "Agent", \(client)
                        "client_secret": "\(String(repeating: "s", count: 40))",
                        "grant_types": [ "urn:openid:params:grant-type:ciba" ] } ] } ] }
                """, to: "acme.json")
            let result = try await Program.run(["apply", "acme.json", "--create"], in: folder.url)
            try #require(result.status == 0, "\(result.errors)")
        }
        try await apply("")
        let before = try await doctor(folder, ["--only", "providers"])
        #expect(before.status == 0 && before.has("providers", "warning", "none is configured"), "\(before.json)")
        try await apply(#""async_approval_notification_channels": [ "email" ],"#)
        let after = try await doctor(folder, ["--only", "providers"])
        #expect(after.status == 1)
        #expect(after.has("providers", "fault", "ask for approval by e-mail at: acme"), "\(after.json)")
    }

    @Test("A development server writes its mails to a folder, so that clients that ask by e-mail are no fault")
    func developmentMail() async throws {
        let server = try await RunningServer(in: Folder())
        let file = server.folder.url.appending(path: "countersign-data/development.json")
        let agent = try JSONReader.parse(Array(try Data(contentsOf: file)))["client_id"]?.stringValue
        let changed = try await server.command([
            "client", "update", try agent.orThrow("no client"), "--set",
            #"async_approval_notification_channels=["email"]"#,
        ])
        #expect(changed.status == 0, "\(changed.errors)")
        let report = try await doctor(server.folder, ["--only", "providers"])
        #expect(report.status == 0 && report.has("providers", "ok", "mails are written to"), "\(report.json)")
        #expect(await server.stop() == 0)
    }

    // MARK: parts

    @Test("A doctor that ends while work goes on ends by itself, and not by a signal")
    func endings() async throws {
        let folder = try await left()
        for _ in 0..<6 {
            for arguments in [["--only", "server"], ["--only", "configuration"], ["--timeout", "1s"]] {
                let result = try await Program.run(["doctor"] + arguments, in: folder.url)
                #expect(result.status < 128, "\(arguments): \(result.status) \(result.errors)")
            }
        }
    }

    @Test("Faults of what a wanted check needs are shown with it")
    func prerequisites() async throws {
        let folder = try await left()
        let other = ["COUNTERSIGN_MASTER_KEY": String(repeating: "5c", count: 32)]
        for check in ["keys", "configuration", "sealed-values", "providers", "certificates"] {
            let report = try await doctor(folder, ["--only", check], environment: other)
            #expect(report.status == 1 && report.has("master-key", "fault", "another master key"), "\(report.json)")
            #expect(report.states(check).contains("skipped"), "\(report.json)")
        }
        for check in ["dns", "keys", "deliveries"] {
            let report = try await doctor(folder, ["--only", check, "--tenant", "nobody"])
            #expect(report.status == 1 && report.has("configuration", "fault", "no such tenant"), "\(report.json)")
        }
        let empty = try Folder()
        for check in ["deliveries", "keys", "issuers"] {
            let report = try await doctor(empty, ["--only", check])
            #expect(report.status == 1 && report.has("database", "fault", "there is no database"), "\(report.json)")
        }
        let nothing = try await Program.run(["doctor", "--only", "dns,issuers", "--offline"], in: folder.url)
        #expect(nothing.status == 2 && nothing.errors.contains("--offline skips all"), "\(nothing.errors)")
    }

    @Test("The check of names runs alone, and an issuer without an address is a fault of its name")
    func names() async throws {
        let folder = try Folder()
        try folder.write(
            #"{ "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.invalid" } ] }"#, to: "acme.json")
        #expect(try await Program.run(["apply", "acme.json", "--create"], in: folder.url).status == 0)
        for check in ["dns", "issuers"] {
            let report = try await doctor(folder, ["--only", check])
            #expect(report.status == 1 && report.has("dns", "fault", "has no address"), "\(report.json)")
            #expect(report.states("issuers") == (check == "dns" ? [] : ["skipped"]))
        }
    }

    @Test("A locked database is named as such")
    func locked() async throws {
        let folder = try await left()
        let file = open(folder.url.appending(path: "countersign-data/countersign.db").path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        // The bytes by which SQLite locks a file for one process alone.
        var lock = flock()
        (lock.l_type, lock.l_start, lock.l_len) = (Int16(F_WRLCK), 0x4000_0000, 512)
        #expect(fcntl(file, F_SETLK, &lock) == 0)
        let report = try await doctor(folder, ["--only", "database,master-key"])
        #expect(report.status == 1, "\(report.json)")
        #expect(report.has("database", "fault", "locked"), "\(report.json)")
        #expect(!report.findings("database").contains { $0["advice"]?.stringValue?.contains("backup") == true })
    }

    @Test("A push certificate is judged without the network")
    func pushCertificate() async throws {
        let folder = try await left()
        try Data(Base64.decode(KeyFiles.current).orThrow("no file")).write(to: folder.url.appending(path: "push.p12"))
        let set = try await Program.run(
            ["push", "set", "apns", "--bundle-id", "com.example.app", "--certificate", "push.p12"], in: folder.url)
        #expect(set.status == 0, "\(set.errors)")
        let report = try await doctor(folder, ["--only", "certificates", "--offline"])
        let found = report.findings("certificates").first { $0["subject"] == "dev: APNs com.example.app" }
        #expect(found?["state"] == "ok", "\(report.json)")
        #expect(found?["finding"]?.stringValue?.hasPrefix("valid until ") == true, "\(report.json)")
    }
}
