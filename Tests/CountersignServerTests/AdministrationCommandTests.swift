import Foundation
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("countersign tenant, user, client, api, role, keys and device")
struct AdministrationCommandTests {
    private static let configuration = """
        { "tenants": [ { "id": "acme", "name": "Acme", "host": "acme.example.com",
          "apis": [ { "identifier": "https://api.acme.example", "scopes": [ { "value": "pay" } ] } ] } ] }
        """

    private func folder() async throws -> Folder {
        let folder = try Folder()
        try folder.write(Self.configuration, to: "acme.json")
        #expect(try await Program.run(["apply", "acme.json", "--create"], in: folder.url).status == 0)
        return folder
    }

    private func json(_ arguments: [String], in folder: Folder) async throws -> JSONValue {
        let result = try await Program.run(arguments + ["--json"], in: folder.url)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return try JSONReader.parse(result.output)
    }

    @Test("A user is created, found, changed and deleted, and the audit log names the actor")
    func users() async throws {
        let folder = try await folder()
        let made = try await json(
            ["user", "create", "--email", "Ann@Acme.example", "--set", #"app_metadata={"plan":"pro"}"#], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        #expect(made["email"] == "ann@acme.example")
        let found = try await json(["user", "search", "app_metadata.plan:pro"], in: folder)
        #expect(found[0]?["user_id"] == .string(id))
        #expect(try await json(["user", "update", id, "--set", "blocked=true"], in: folder)["blocked"] == true)
        let wrong = try await Program.run(["user", "search", "name:(a"], in: folder.url)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("at 5"), "\(wrong.errors)")
        #expect(try await json(["user", "delete", id, "--yes"], in: folder)["deleted"] == .string(id))
        #expect(try await Program.run(["user", "show", id], in: folder.url).errors.contains("no such user"))
        let log = try await Program.run(["log", "list"], in: folder.url)
        #expect(log.output.contains(NSUserName()) && log.output.contains("user \(id)"), "\(log.output)")
        #expect(try await Program.run(["log", "verify"], in: folder.url).status == 0)
    }

    @Test("Every command that takes a user accepts a verified e-mail address; for an ambiguous one it lists the ids")
    func byEmail() async throws {
        let folder = try await folder()
        let made = try await json(["user", "create", "--email", "ann@acme.example"], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        let unknown = try await Program.run(["device", "list", "--user", "auth0|none"], in: folder.url)
        #expect(unknown.status == 1 && unknown.errors.contains("has no user auth0|none"), "\(unknown.errors)")
        let unverified = try await Program.run(["device", "list", "--user", "ann@acme.example"], in: folder.url)
        #expect(unverified.status == 1)
        #expect(unverified.errors.contains("no user of") && unverified.errors.contains(id), "\(unverified.errors)")
        _ = try await json(["user", "update", id, "--set", "email_verified=true"], in: folder)
        #expect(try await json(["user", "show", "Ann@Acme.example"], in: folder)["user_id"] == .string(id))
        let moved = try await json(
            ["user", "update", id, "--set", "email=ann@bücher.example", "--set", "email_verified=true"], in: folder)
        #expect(moved["email"] == "ann@xn--bcher-kva.example")
        for text in ["ann@bücher.example", "ann@xn--bcher-kva.example"] {
            #expect(try await json(["user", "show", text], in: folder)["user_id"] == .string(id))
        }
        let wrong = try await Program.run(["user", "show", "a@b@acme.example"], in: folder.url)
        #expect(wrong.status == 1 && wrong.errors.contains("has no user a@b@acme.example"), "\(wrong.errors)")
        _ = try await json(
            ["user", "update", id, "--set", "email=ann@acme.example", "--set", "email_verified=true"], in: folder)
        let role = try await json(["role", "create", "--name", "Payer", "--description", "Pays"], in: folder)
        let roleID = try (role["id"]?.stringValue).orThrow("no id")
        let assigned = try await json(["role", "assign", roleID, "--user", "ann@acme.example"], in: folder)
        #expect(assigned["user_ids"] == [.string(id)])
        let permission = ["ann@acme.example", "--api", "https://api.acme.example", "--scope", "pay"]
        #expect(try await json(["user", "permit"] + permission, in: folder)["user_id"] == .string(id))
        let ticket = try await json(["device", "ticket", "--user", "ann@acme.example"], in: folder)
        #expect(ticket["user_id"] == .string(id))
        let page = ticket["page"]?.stringValue ?? ""
        #expect(page.hasSuffix("/guardian/enroll?ticket=\(ticket["ticket"]?.stringValue ?? "-")"))
        #expect(ticket["mailed_to"] == nil)
        #expect(try await json(["device", "list", "--user", "ann@acme.example"], in: folder) == [])
        #expect(try await json(["consents", "list", "--user", "ann@acme.example"], in: folder) == [])
        let log = try await json(["log", "list", "--user", "ann@acme.example"], in: folder)
        #expect(log.arrayValue?.isEmpty == false)
        #expect(try await json(["log", "list", "--user", id], in: folder) == log)
        #expect(try await json(["user", "delete", "ann@acme.example", "--yes"], in: folder)["deleted"] != nil)
        let gone = try await Program.run(["user", "show", "ann@acme.example"], in: folder.url)
        #expect(gone.status == 1 && gone.errors.contains("has no user ann@acme.example"), "\(gone.errors)")
    }

    @Test("A link that adds a phone is mailed to a verified address, or to one that is named")
    func mailedTickets() async throws {
        let folder = try await folder()
        let made = try await json(["user", "create", "--email", "ann@acme.example"], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        let ticket = ["device", "ticket", "--user", id]
        let unverified = try await Program.run(ticket + ["--send-mail"], in: folder.url)
        #expect(unverified.status == 1)
        #expect(unverified.errors.contains("--email is required, because the user's address is not verified"))
        let named = try await json(ticket + ["--send-mail", "--email", "Ann@acme.example"], in: folder)
        #expect(named["mailed_to"] == "ann@acme.example")
        _ = try await json(["user", "update", id, "--set", "email_verified=true"], in: folder)
        let mailed = try await Program.run(ticket + ["--send-mail", "--language", "de"], in: folder.url)
        #expect(mailed.status == 0 && mailed.output.contains("/guardian/enroll?ticket="), "\(mailed.errors)")
        for option in [["--language", "de"], ["--email", "ann@acme.example"]] {
            let alone = try await Program.run(ticket + option, in: folder.url)
            #expect(alone.status == 2 && alone.errors.contains("need --send-mail"), "\(alone.errors)")
        }
        #expect(try await Program.run(ticket + ["--send-mail", "--language", "xx"], in: folder.url).status == 2)
        let log = try await Program.run(["log", "list", "--json"], in: folder.url)
        #expect(log.output.contains("mailed_to"), "\(log.output)")
    }

    @Test("Every command that takes a user accepts a verified phone number, and says which users are unknown")
    func byPhoneNumber() async throws {
        let folder = try await folder()
        let (number, nobody) = ("+41791234567", "+41790000000")
        let made = try await json(
            ["user", "create", "--email", "ann@acme.example", "--set", "phone_number=\(number)"], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        let role = try await json(["role", "create", "--name", "Payer", "--description", "Pays"], in: folder)
        let roleID = try (role["id"]?.stringValue).orThrow("no id")
        func failure(_ arguments: [String]) async throws -> String {
            let result = try await Program.run(arguments, in: folder.url)
            #expect(result.status == 1, "\(arguments): \(result.output)")
            return result.errors
        }
        let show = ["user", "show", number]
        let unverified = try await failure(show)
        #expect(unverified.contains("has verified the phone number \(number)") && unverified.contains(id))
        _ = try await json(["user", "update", id, "--set", "phone_verified=true"], in: folder)

        func commands(_ name: String) -> [[String]] {
            let permission = ["--api", "https://api.acme.example", "--scope", "pay"]
            return [
                ["user", "show", name], ["user", "update", name, "--set", "nickname=Annie"],
                ["user", "permit", name] + permission, ["user", "forbid", name] + permission,
                ["role", "assign", roleID, "--user", name], ["role", "take", roleID, "--user", name],
                ["device", "ticket", "--user", name], ["device", "list", "--user", name],
                ["consents", "list", "--user", name], ["user", "delete", name, "--yes"],
            ]
        }
        for arguments in commands(nobody) + [["consents", "revoke", "-u", nobody], ["log", "list", "-u", nobody]] {
            #expect(try await failure(arguments).contains("has no user \(nobody)"), "\(arguments)")
        }
        for arguments in commands("auth0|none") {
            let text = try await failure(arguments)
            #expect(text.contains("no such user") || text.contains("has no user auth0|none"), "\(arguments): \(text)")
        }
        let twin = try await json(
            [
                "user", "create", "--email", "bob@acme.example", "--set", "phone_number=\(number)", "--set",
                "phone_verified=true",
            ], in: folder)
        let twinID = try (twin["user_id"]?.stringValue).orThrow("no id")
        let ambiguous = try await failure(show)
        #expect(ambiguous.contains("several users") && ambiguous.contains(id) && ambiguous.contains(twinID))
        _ = try await json(["user", "delete", twinID, "--yes"], in: folder)
        #expect(try await json(["log", "list", "-u", number], in: folder).arrayValue?.isEmpty == false)
        #expect(try await json(["user", "blocks", number], in: folder) == [])
        for arguments in commands(number) {
            let result = try await Program.run(arguments, in: folder.url)
            #expect(result.status == 0, "\(arguments): \(result.errors)")
        }
        #expect(try await failure(["user", "show", id]).contains("no such user"))
    }

    @Test("Blocks after too many failed attempts are shown and lifted, by id and by e-mail address")
    func userBlocks() async throws {
        let folder = try await folder()
        let made = try await json(["user", "create", "--email", "ann@acme.example"], in: folder)
        let id = try (made["user_id"]?.stringValue).orThrow("no id")
        for name in [id, "Ann@acme.example"] {
            // As a server that counted as many attempts leaves them.
            func key(_ text: String) -> String { "X'\(Hex.encode(OpenSSLHashing().sha256(Array(text.utf8))))'" }
            let account = key("password/account/ann@acme.example")
            let time = Int64(Date().timeIntervalSince1970 * 1000)
            try await alterDatabase(
                folder.url.appending(path: "countersign-data/countersign.db").path,
                """
                INSERT INTO password_failure (tenant, key, count, began_at, forgotten_at, account, address) VALUES
                    ('acme', \(key("password/address/ann@acme.example/192.0.2.1")), 10, \(time), \(time + 3_600_000),
                        \(account), '192.0.2.1'),
                    ('acme', \(account), 100, \(time), \(time + 3_600_000), NULL, NULL)
                """)
            let blocks = try await json(["user", "blocks", name], in: folder)
            #expect(blocks.arrayValue?.map { $0["ip"]?.stringValue } == ["192.0.2.1", nil])
            #expect(blocks[0]?["identifier"] == "ann@acme.example")
            let table = try await Program.run(["user", "blocks", name], in: folder.url)
            #expect(table.output.contains("192.0.2.1") && table.output.contains("everywhere"), "\(table.output)")
            let lifted = try await Program.run(["user", "unblock", name], in: folder.url)
            #expect(
                lifted.output == """
                    unblocked ann@acme.example from 192.0.2.1 (passwords)
                    unblocked ann@acme.example from everywhere (passwords)

                    """, "\(lifted.errors)")
            #expect(try await json(["user", "blocks", name], in: folder) == [])
            #expect(try await json(["user", "unblock", name], in: folder) == ["unblocked": []])
        }
        let unknown = try await Program.run(["user", "blocks", "auth0|nobody"], in: folder.url)
        #expect(unknown.status == 1 && unknown.errors.contains("no such user"), "\(unknown.errors)")
        let log = try await Program.run(["log", "list"], in: folder.url)
        #expect(log.output.contains("user_block \(id)"), "\(log.output)")
    }

    @Test("A role permits scopes of APIs and is given to users")
    func roles() async throws {
        let folder = try await folder()
        let role = try await json(["role", "create", "--name", "Payments"], in: folder)
        let id = try (role["id"]?.stringValue).orThrow("no id")
        let api = ["--api", "https://api.acme.example"]
        let permitted = try await json(["role", "permit", id, "--scope", "pay"] + api, in: folder)
        #expect(permitted["permissions"]?[0]?["permission_name"] == "pay")
        let wrong = try await Program.run(["role", "permit", id, "--scope", "fly"] + api, in: folder.url)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("fly is no scope of https://api.acme.example"), "\(wrong.errors)")
        let nowhere = try await Program.run(
            ["role", "permit", id, "--scope", "fly", "--api", "https://no.example"], in: folder.url)
        #expect(nowhere.errors.contains("there is no API https://no.example"), "\(nowhere.errors)")
        let user = try await json(["user", "create", "--email", "bob@acme.example"], in: folder)
        let userID = try (user["user_id"]?.stringValue).orThrow("no id")
        let assigned = try await Program.run(["role", "assign", id, "--user", userID], in: folder.url)
        #expect(assigned.output == "\(userID) has the role Payments\n", "\(assigned.errors)")
        #expect(try await json(["role", "members", id], in: folder)[0]?["user_id"] == .string(userID))
        let permit = ["user", "permit", userID, "--scope", "fly"]
        #expect(try await Program.run(permit + api, in: folder.url).status == 1)
        _ = try await json(["user", "permit", userID, "--scope", "pay"] + api, in: folder)
        let shown = try await json(["user", "show", userID], in: folder)
        #expect(shown["roles"]?[0]?["name"] == "Payments")
        let sources = shown["permissions"]?[0]?["sources"]?.arrayValue?.map { $0["source_type"]?.stringValue }
        #expect(sources == ["DIRECT", "ROLE"])
        let read = try await Program.run(["user", "show", userID], in: folder.url)
        #expect(read.output.contains("pay at https://api.acme.example, directly and by Payments"), "\(read.output)")
        let taken = try await json(["role", "take", id, "--user", userID], in: folder)
        #expect(taken == ["role_id": .string(id), "user_ids": [.string(userID)]])
        _ = try await json(["user", "forbid", userID, "--scope", "pay"] + api, in: folder)
        #expect(try await json(["user", "show", userID], in: folder)["permissions"] == [])
        #expect(try await Program.run(["role", "take", "rol_x", "--user", userID], in: folder.url).status == 1)
        let nothing = try await Program.run(["role", "update", id], in: folder.url)
        #expect(nothing.status == 2)
        #expect(nothing.errors.contains("hint: for example --set"))
    }

    @Test("A tenant is created with keys, changed, and deleted only after confirmation")
    func tenants() async throws {
        let folder = try await folder()
        let arguments = ["tenant", "create", "--id", "two", "--name", "Two", "--host", "two.example"]
        #expect(try await json(arguments, in: folder)["host"] == "two.example")
        #expect(try await Program.run(arguments, in: folder.url).errors.contains("there is a tenant two already"))
        #expect(try await json(["keys", "list", "--tenant", "two"], in: folder).arrayValue?.count == 2)
        let changed = try await json(
            ["tenant", "update", "two", "--set", #"settings={"poll_interval":2}"#], in: folder)
        #expect(changed["settings"]?["poll_interval"] == 2)
        #expect(changed["settings"]?["pending_requests_per_user"] == 20)
        let taken = try await Program.run(["tenant", "update", "two", "--host", "acme.example.com"], in: folder.url)
        #expect(taken.errors.contains("belongs to the tenant acme"), "\(taken.errors)")
        #expect(try await Program.run(["tenant", "delete", "two"], in: folder.url).status == 1)
        #expect(try await Program.run(["tenant", "delete", "two", "--yes"], in: folder.url).status == 0)
        #expect(try await json(["tenant", "list"], in: folder).arrayValue?.count == 1)
    }

    @Test("A document is read from a file, and its faults are reported")
    func files() async throws {
        let folder = try await folder()
        try folder.write(#"{"email": "cy@acme.example", "name": "Cy"}"#, to: "user.json")
        #expect(
            try await json(["user", "create", "--file", "user.json", "--name", "Cyd"], in: folder)["name"] == "Cyd")
        try folder.write("[1]", to: "list.json")
        let list = try await Program.run(["user", "create", "-f", "list.json"], in: folder.url)
        #expect(list.errors.contains("list.json holds no JSON object"))
        try folder.write("{", to: "broken.json")
        let broken = try await Program.run(["user", "create", "-f", "broken.json"], in: folder.url)
        #expect(broken.status == 1)
        #expect(broken.errors.hasPrefix("error: broken.json is not valid JSON at byte 2: "), "\(broken.errors)")
        let unquoted = try await Program.run(["user", "create", "--set", "app_metadata={plan:pro}"], in: folder.url)
        #expect(unquoted.status == 2 && unquoted.errors.contains("quote it for the shell"), "\(unquoted.errors)")
        let unknown = try await Program.run(["user", "create", "--set", "emial=a@b.c"], in: folder.url)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("emial"), "\(unknown.errors)")
    }

    @Test(
        "--set refuses what nobody knows, takes what Auth0 documents with a warning, and reads former names of settings"
    )
    func unknownMembers() async throws {
        let folder = try await folder()
        for (command, meant) in [
            (["api", "create", "--identifier", "https://a.example/", "--set", "evidense=passkey"], "evidence"),
            (["client", "create", "--name", "A", "--set", "grant_type=[]"], "grant_types"),
            (["role", "create", "--name", "A", "--set", "descripton=B"], "description"),
            (["tenant", "update", "acme", "--set", #"settings={"multi_facor":"always"}"#], "multi_factor"),
        ] {
            let refused = try await Program.run(command, in: folder.url)
            #expect(refused.status == 1 && refused.errors.contains("did you mean \(meant)?"), "\(refused.errors)")
        }
        let taken = try await Program.run(["client", "create", "--name", "A", "--set", "sso=true"], in: folder.url)
        #expect(taken.status == 0)
        #expect(taken.errors.contains("warning: sso has no effect on this server"), "\(taken.errors)")
        let former = try await Program.run(
            ["tenant", "update", "acme", "--set", #"settings={"log_ins_per_minute_per_address":9}"#, "--json"],
            in: folder.url)
        #expect(try JSONReader.parse(former.output)["settings"]?["logins_per_minute_per_address"] == 9)
        #expect(former.errors.contains("is called logins_per_minute_per_address now"), "\(former.errors)")
        let tenant: JSONValue = [
            "id": "acme", "name": "Acme", "host": "acme.example.com",
            "settings": ["log_ins_per_minute_per_address": 8],
        ]
        try folder.write(JSONWriter.string(["tenants": [tenant]]), to: "former.json")
        let applied = try await Program.run(["apply", "former.json"], in: folder.url)
        #expect(applied.status == 0 && applied.errors.contains("warning: former.json:1:"), "\(applied.errors)")
    }

    @Test("A list shows every user, or the number that it leaves out")
    func listing() async throws {
        let folder = try await folder()
        let users = (1...230).map { number -> JSONValue in
            ["user_id": .string("auth0|\(number)"), "email": .string("u\(number)@acme.example")]
        }
        let tenant: JSONValue = ["id": "acme", "name": "Acme", "host": "acme.example.com", "users": .array(users)]
        try folder.write(JSONWriter.string(["tenants": [tenant]]), to: "users.json")
        #expect(try await Program.run(["apply", "users.json", "--create"], in: folder.url).status == 0)
        for command in [["user", "list"], ["user", "search", "email:u*"]] {
            #expect(try await json(command, in: folder).arrayValue?.count == 230)
            let cut = try await Program.run(command + ["--limit", "120", "--json"], in: folder.url)
            #expect(try JSONReader.parse(cut.output).arrayValue?.count == 120)
            #expect(cut.errors == "120 of 230 shown\n")
        }
        let apis = try await Program.run(["api", "list", "--limit", "1"], in: folder.url)
        #expect(apis.output.split(separator: "\n").count == 2 && apis.errors == "1 of 2 shown\n")
    }

    @Test("A client's secret is printed as one line, for programs too")
    func secret() async throws {
        let folder = try await folder()
        let made = try await Program.run(["client", "create", "--name", "X"], in: folder.url)
        let secret = made.output.split(separator: "\n").first { $0.hasPrefix("client_secret ") }
        #expect(secret?.split(separator: " ").last?.count == 64, "\(made.output)")
    }

    @Test("A client's granted scopes can be added to and reduced")
    func grants() async throws {
        let folder = try await folder()
        let client = try await json(["client", "create", "--name", "X"], in: folder)
        let id = try (client["client_id"]?.stringValue).orThrow("no id")
        let api = "https://api.acme.example"
        func fails(_ arguments: [String], _ text: String) async throws {
            let result = try await Program.run(["client"] + arguments, in: folder.url)
            #expect(result.status != 0 && result.errors.contains(text), "\(arguments): \(result.errors)")
        }
        let own = try await json(["client", "grant", id, api], in: folder)
        #expect(own["scope"] == [] && own["subject_type"] == "client")
        #expect(try await json(["client", "grant", id, api, "pay"], in: folder)["scope"] == ["pay"])
        let user = try await json(["client", "grant", id, api, "--all-scopes", "--for", "user"], in: folder)
        #expect(user["allow_all_scopes"] == true && user["subject_type"] == "user")
        try await fails(["grant", id, api, "pay"], "choose one with --for")
        try await fails(["grant", id, api, "fly", "--for", "client"], "fly is no scope of \(api)")
        try await fails(["grant", id, "https://no.example", "pay"], "there is no API https://no.example")
        try await fails(["grant", "nobody", api, "pay"], "no such client")
        try await fails(["ungrant", id, api, "pay"], "granted every scope")
        try await fails(["update", id, "--set", "client_grants=[]"], "countersign client grant")
        #expect(try await json(["client", "grants", id], in: folder).arrayValue?.count == 2)
        let left = try await json(["client", "ungrant", id, api, "--for", "user"], in: folder)
        #expect(left.arrayValue?.count == 1)
        #expect(try await json(["client", "ungrant", id, api, "pay"], in: folder)[0]?["scope"] == [])
        #expect(try await json(["client", "ungrant", id, api], in: folder) == [])
        try await fails(["ungrant", id, api], "is not granted anything")
    }

    @Test("A client's credentials can be added, used, shown and removed, except the last one")
    func credentials() async throws {
        let folder = try await folder()
        let client = try await json(["client", "create", "--name", "X"], in: folder)
        let id = try (client["client_id"]?.stringValue).orThrow("no id")
        for name in ["one", "two"] {
            let key = ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "\(name).pem"]
            #expect(try await Program.run(key, of: "openssl", in: folder.url).status == 0)
            let half = ["pkey", "-in", "\(name).pem", "-pubout", "-out", "\(name).pub"]
            #expect(try await Program.run(half, of: "openssl", in: folder.url).status == 0)
        }
        let command = ["client", "credential"]
        let add = command + ["add", id, "--algorithm", "ES256", "--public-key"]
        let first = try await json(add + ["one.pub"], in: folder)
        #expect(first["is_used"] == false)
        #expect(
            try await json(["client", "show", id], in: folder)["token_endpoint_auth_method"] == "client_secret_post")
        let second = try await Program.run(
            add + ["two.pub", "--use", "--expires", "2100-01-31T12:00:00Z", "--kid", "k2"], in: folder.url)
        #expect(second.status == 0 && second.errors.contains("the secret of \(id) no longer works"))
        let shown = try await Program.run(["client", "show", id], in: folder.url)
        #expect(
            shown.output.contains(", private_key_jwt, kid k2, ES256, expires 2100-01-31T12:00:00.000Z\n")
                && shown.output.contains("ES256, without end, not used"), "\(shown.output)")
        let list = try await json(command + ["list", id], in: folder).arrayValue ?? []
        #expect(list.map { $0["is_used"] } == [false, true])
        let last = try (list.last?["id"]?.stringValue).orThrow("no credential")
        let refused = try await Program.run(command + ["remove", id, last], in: folder.url)
        #expect(refused.status == 1 && refused.errors.contains("would have no credential left"))
        let used = try await json(add + ["one.pub", "--name", "again", "--kid", "k3", "--use"], in: folder)
        #expect(used["is_used"] == true)
        #expect(try await json(command + ["remove", id, last], in: folder)["deleted"] == .string(last))
        let both = try await Program.run(add + ["one.pub", "--subject-dn", "CN=a"], in: folder.url)
        #expect(both.status == 2 && both.errors.contains("only one of them"))
        let none = try await Program.run(command + ["add", id, "--certificate", "one.pub"], in: folder.url)
        #expect(none.status == 1 && none.errors == "error: one.pub holds no certificate in PEM\n", "\(none.errors)")
        let wrong = try await Program.run(add + ["acme.json"], in: folder.url)
        #expect(wrong.status == 1 && wrong.errors.contains("pem must be one public key"), "\(wrong.errors)")
    }

    @Test("An unknown command changes nothing and suggests the nearest one")
    func unknownCommands() async throws {
        let folder = try await folder()
        let before = try await json(["keys", "list"], in: folder)
        for (arguments, hint) in [
            (["keys", "create"], "keys rotate"), (["key", "update"], "keys rotate"),
            (["keys", "delete"], "keys revoke"),
            (["device", "create"], "device ticket"), (["device", "delete"], "device remove"),
            (["user", "remove"], "user delete"), (["client", "credential", "create"], "credential add"),
        ] {
            let result = try await Program.run(arguments, in: folder.url)
            #expect(result.status == 2)
            #expect(result.errors.contains("hint: ") && result.errors.contains(hint), "\(result.errors)")
        }
        #expect(try await json(["keys", "list"], in: folder) == before)
    }

    @Test("A deletion asks on a terminal, and requires --yes without one")
    func deleting() async throws {
        let folder = try await folder()
        let user = try await json(["user", "create", "--email", "ann@acme.example"], in: folder)
        let id = try (user["user_id"]?.stringValue).orThrow("no id")
        for arguments in [["user", "delete", id], ["tenant", "delete", "acme"]] {
            let alone = try await Program.run(arguments, in: folder.url, input: "y\n")
            #expect(alone.status == 1 && alone.errors.contains("would be deleted for good"), "\(alone.errors)")
            let command = (["countersign"] + arguments.map { "'\($0)'" }).joined(separator: " ")
            #expect(try await onTerminal(command, answering: "n", in: folder).contains("nothing was deleted"))
            #expect(try await onTerminal(command, answering: "y", in: folder).contains("deleted \(arguments[2])"))
        }
        #expect(try await json(["tenant", "list"], in: folder) == [])
        #expect(try await Program.run(["tenant", "delete", "acme"], in: folder.url).errors.contains("no tenant acme"))
    }

    /// Output of a command on a terminal after one typed line.
    private func onTerminal(_ command: String, answering answer: String, in folder: Folder) async throws -> String {
        let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let session = try await Program(
            ["-qec", command, "/dev/null"], of: "script", in: folder.url,
            environment: ["PATH": "\(programs):/usr/bin:/bin", "SHELL": "/bin/sh"], input: "\(answer)\n")
        return await session.status() >= 0 ? await session.output.all() : ""
    }
}
