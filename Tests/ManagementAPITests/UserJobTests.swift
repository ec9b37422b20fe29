import Administration
import Audit
import AuthorizationCore
import Configuration
import HTTPModel
import Persistence
import Primitives
import TestSupport
import Testing

extension ManagementFixture {
    static let bcrypt = "$2b$10$ABCDEFGHIJKLMNOPQRSTUOn3HzDtIrNcl6HFzVmZAUZK2dIUdk8e6"

    /// Id of the tenant's database of users.
    func database() async throws -> String {
        let list = await get("/connections")
        return try (list.json[0]?["id"]?.stringValue).orThrow(list.text)
    }

    /// A form with a file, as SDKs send it.
    func importUsers(_ file: String, _ fields: [String: String] = [:], boundary: String = "XX") async throws
        -> HTTPAnswer
    {
        var text = ""
        func add(_ disposition: String, _ value: String) {
            text += "--\(boundary)\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n\(value)\r\n"
        }
        for (name, value) in fields { add("name=\"\(name)\"", value) }
        if fields["connection_id"] == nil { add("name=\"connection_id\"", try await database()) }
        add("name=\"users\"; filename=\"users.json\"\r\nContent-Type: application/json", file)
        return await sendForm("/jobs/users-imports", text + "--\(boundary)--\r\n", boundary: boundary)
    }

    func sendForm(_ path: String, _ body: String, boundary: String) async -> HTTPAnswer {
        await server.send(
            Request(
                method: .post, path: "/api/v2" + path,
                fields: [
                    "Host": InProcessServer.host, "Authorization": "Bearer \(token)",
                    "Content-Type": "multipart/form-data; boundary=\(boundary)",
                ], body: Array(body.utf8)))
    }

    /// Imports, works the job, and returns what the job is then.
    func imported(_ users: JSONValue, _ fields: [String: String] = [:]) async throws -> HTTPAnswer {
        let made = try await importUsers(JSONWriter.string(users), fields)
        #expect(made.status == 202, "\(made.text)")
        try await work()
        return await get("/jobs/\(made["id"]?.stringValue ?? "")")
    }

    func work() async throws {
        let pace = JobPace()
        while try await server.managers.userJobs.work(
            now: server.clock.now, pace: pace, report: { Issue.record("\($0)") })
        {}
    }

    func errors(of job: HTTPAnswer) async -> HTTPAnswer { await get("/jobs/\(job["id"]?.stringValue ?? "")/errors") }
}

@Suite("Jobs: imports of users")
struct UserJobTests {
    @Test("An import is a job whose users have their hashes, and the log has an entry for each and for the job")
    func imports() async throws {
        let fixture = try await ManagementFixture()
        let users: JSONValue = [
            [
                "email": "Cleo@example.com", "email_verified": true, "user_id": "cleo", "given_name": "Cleo",
                "app_metadata": ["plan": "gold"], "user_metadata": ["theme": "dark"],
                "password_hash": .string(ManagementFixture.bcrypt),
            ],
            [
                "email": "dan@example.com", "username": "dan",
                "custom_password_hash": [
                    "algorithm": "sha1",
                    "hash": ["value": "2f9e53523b62abc141a2b4d6019d23cba835dbd0", "encoding": "hex"],
                ],
            ],
        ]
        let made = try await fixture.importUsers(
            JSONWriter.string(users), ["external_id": "first", "send_completion_email": "false"])
        #expect(made.status == 202)
        #expect(made["status"] == "pending" && made["type"] == "users_import" && made["external_id"] == "first")
        #expect(made["upsert"] == false && made["send_completion_email"] == false)
        try await fixture.work()
        let job = await fixture.get("/jobs/\(made["id"]?.stringValue ?? "")")
        #expect(job["status"] == "completed")
        #expect(job["summary"] == ["total": 2, "inserted": 2, "updated": 0, "failed": 0])
        #expect(await fixture.errors(of: job).status == 204)
        let cleo = await fixture.get("/users/auth0%7Ccleo")
        #expect(cleo["email"] == "cleo@example.com" && cleo["email_verified"] == true)
        #expect(cleo["app_metadata"] == ["plan": "gold"] && cleo["name"] == "cleo@example.com")
        let hash = try await fixture.server.storage.store.read {
            try $0.user(UserID("auth0|cleo"), in: TenantID("dev"))?.passwordHash
        }
        #expect(hash?.hasPrefix("$foreign$") == true && hash?.contains(ManagementFixture.bcrypt) == true)
        let entries = try await fixture.server.database.auditLog("sapi")
        #expect(entries.filter { $0.object?.hasPrefix("user") == true }.count == 2)
        #expect(entries.filter { $0.object?.hasPrefix("job") == true }.count == 2)
        #expect(entries.allSatisfy { $0.actor == "client:operator" })
        #expect(try await fixture.server.database.count("user_job_part") == 0, "and nothing of the file is kept")
    }

    @Test("A user who exists is an error, unless upsert changes what an import may change")
    func upsert() async throws {
        let fixture = try await ManagementFixture()
        let first: JSONValue = [
            ["email": "eve@example.com", "user_id": "eve", "password_hash": .string(ManagementFixture.bcrypt)]
        ]
        #expect(try await fixture.imported(first)["summary"]?["inserted"] == 1)
        let again = try await fixture.imported(first)
        #expect(again["summary"] == ["total": 1, "inserted": 0, "updated": 0, "failed": 1])
        let errors = await fixture.errors(of: again)
        #expect(errors.json[0]?["errors"]?[0]?["code"] == "DUPLICATED_USER")
        #expect(errors.json[0]?["user"]?["email"] == "eve@example.com")
        #expect(errors.json[0]?["user"]?["password_hash"] == "*****")
        let changed: JSONValue = [
            [
                "email": "eve@example.com", "given_name": "Eve", "email_verified": true, "blocked": true,
                "user_id": "eve", "app_metadata": ["plan": "gold"],
                "custom_password_hash": [
                    "algorithm": "md5", "hash": ["value": "3cb4e732631f47e6eb961f34554b7cde", "encoding": "hex"],
                ],
            ]
        ]
        let updated = try await fixture.imported(changed, ["upsert": "true"])
        #expect(updated["summary"] == ["total": 1, "inserted": 0, "updated": 1, "failed": 0])
        let eve = await fixture.get("/users/auth0%7Ceve")
        #expect(eve["given_name"] == "Eve" && eve["email_verified"] == true && eve["app_metadata"] == ["plan": "gold"])
        #expect(eve["blocked"] == false, "an import does not change it")
        func hash() async throws -> String? {
            try await fixture.server.storage.store.read {
                try $0.user(UserID("auth0|eve"), in: TenantID("dev"))?.passwordHash
            }
        }
        #expect(try await hash()?.contains("md5") == true, "nobody had logged in with the first one")
        // After a login, the hash is this server's own, and stays.
        #expect(await fixture.patch("/users/auth0%7Ceve", ["password": "wide river under snow"]).status == 200)
        let own = try await hash()
        _ = try await fixture.imported(changed, ["upsert": "true"])
        #expect(try await hash() == own)
    }

    @Test("Each malformed or too dear user is an error with its code and path, and the others are imported")
    func errors() async throws {
        let fixture = try await ManagementFixture()
        let users: JSONValue = [
            ["email": "no address"], ["username": "UPPER case"], ["given_name": "nobody"], 7,
            ["email": "f1@example.com", "shoe_size": 44], ["email": "f2@example.com", "password_hash": "plain"],
            [
                "email": "f3@example.com",
                "password_hash": .string(ManagementFixture.bcrypt.replacing("$10$", with: "$20$")),
            ],
            ["email": "f4@example.com", "mfa_factors": [["phone": ["value": "+15551112233"]]]],
            ["email": "f5@example.com", "app_metadata": ["email": "x"]],
            ["email": "f6@example.com", "roles": ["rol_none"]],
            [
                "email": "f7@example.com",
                "custom_password_hash": ["algorithm": "scrypt", "hash": ["value": "00", "encoding": "hex"]],
            ],
            ["email": "f8@example.com", "password": "wide river under snow"],
            ["email": "fine@example.com", "password_hash": nil],
        ]
        let job = try await fixture.imported(users)
        #expect(job["summary"] == ["total": 13, "inserted": 1, "updated": 0, "failed": 12])
        let errors = await fixture.errors(of: job).json.arrayValue ?? []
        func error(_ index: Int) -> String {
            let first = errors.indices.contains(index) ? errors[index]["errors"]?[0] : nil
            return "\(first?["code"]?.stringValue ?? "") \(first?["path"]?.stringValue ?? "")"
        }
        let expected = [
            "INVALID_FORMAT email", "INVALID_FORMAT username", "INVALID_FORMAT email", "INVALID_FORMAT ",
            "INVALID_FORMAT shoe_size", "INVALID_FORMAT password_hash", "INVALID_FORMAT password_hash",
            "UNSUPPORTED mfa_factors[0].phone", "INVALID_FORMAT app_metadata", "INVALID_FORMAT roles",
            "INVALID_FORMAT custom_password_hash.keylen", "INVALID_FORMAT password",
        ]
        #expect(errors.indices.map(error) == expected)
        #expect(errors.count > 6 && errors[6]["errors"]?[0]?["message"]?.stringValue?.contains("cost 20") == true)
        #expect(errors.count > 7 && errors[7]["user"]?["mfa_factors"] == "*****")
    }

    @Test("Authenticator apps come with new users, and an existing user keeps theirs")
    func authenticators() async throws {
        let fixture = try await ManagementFixture()
        let secret = "JBSWY3DPEHPK3PXP"
        let factors: JSONValue = [
            ["totp": ["secret": .string(secret)]], ["totp": ["secret": .string(secret), "digits": 8, "name": "Work"]],
        ]
        let users: JSONValue = [["email": "eve@example.org", "user_id": "eve", "mfa_factors": factors]]
        for expected in [1, 0] {
            let job = try await fixture.imported(users, ["upsert": "true"])
            #expect(job["summary"]?["inserted"]?.intValue == expected, "\(job.text)")
            let methods = await fixture.get("/users/auth0%7Ceve/authentication-methods").json.arrayValue ?? []
            #expect(methods.map { $0["type"] } == ["totp", "totp"])
            #expect(methods.map { $0["name"] } == [nil, "Work"] || methods.map { $0["name"] } == ["Work", nil])
        }
        #expect(try await !fixture.server.dump().contains { $0.contains(secret) })
    }

    @Test("An import changes nobody who may do more than its author, and gives no rights that the author lacks")
    func stronger() async throws {
        let chief = RoleID("rol_chief")
        let fixture = try await ManagementFixture { setup in
            setup.roles = [
                Role(
                    id: chief, name: "Chief", description: "",
                    permissions: [
                        Role.Permission(resourceServer: ManagementFixture.audience, scope: "delete:clients")
                    ])
            ]
            setup.users[0].email = EmailAddress(parsing: "ann@example.org")
            setup.users[0].roles = [chief]
        }
        let weak = try await fixture.with(scopes: ["create:users", "update:users", "read:users", "read:connections"])
        let job = try await weak.imported(
            [
                ["email": "ann@example.org", "given_name": "Mallory"],
                ["email": "new@example.org", "roles": [.string(chief.rawValue)]],
            ], ["upsert": "true"])
        #expect(job["summary"] == ["total": 2, "inserted": 0, "updated": 0, "failed": 2])
        let errors = await weak.errors(of: job)
        for index in 0..<2 { #expect(errors.json[index]?["errors"]?[0]?["code"] == "INSUFFICIENT_SCOPE") }
        #expect(await fixture.get("/users/auth0%7Cann")["given_name"] == nil)
        let strong = try await fixture.imported([["email": "new@example.org", "roles": [.string(chief.rawValue)]]])
        #expect(strong["summary"]?["inserted"] == 1)
    }

    @Test("Jobs need Auth0's scopes, and an upsert needs update:users")
    func scopes() async throws {
        let fixture = try await ManagementFixture()
        let database = try await fixture.database()
        let reader = try await fixture.with(scopes: ["read:users"])
        #expect(try await reader.importUsers("[]", ["connection_id": database]).status == 403)
        #expect(await reader.post("/jobs/users-exports", [:]).status == 202)
        let creator = try await fixture.with(scopes: ["create:users"])
        let made = try await creator.importUsers("[]", ["connection_id": database])
        #expect(made.status == 202)
        #expect(await creator.get("/jobs/\(made["id"]?.stringValue ?? "")").status == 200)
        #expect(await creator.post("/jobs/users-exports", [:]).status == 403)
        let upsert = try await creator.importUsers("[]", ["connection_id": database, "upsert": "true"])
        #expect(upsert.status == 403 && upsert.text.contains("update:users"))
        #expect(await fixture.get("/jobs/job_unknown").status == 404)
    }

    @Test("A tenant has two unfinished imports at most, and a job is shown for a day")
    func limits() async throws {
        let fixture = try await ManagementFixture()
        // An operator's jobs count nowhere, and neither do exports.
        let operators = AdministrativeContext(tenant: TenantID("dev"), actor: .system, now: fixture.server.clock.now)
        for _ in 0..<7 {
            _ = try await fixture.server.managers.userJobs.exportUsers(of: nil, UserJobOrder.Export(), for: operators)
        }
        let first = try await fixture.importUsers("[]")
        #expect(try await fixture.importUsers(#"[{"email":"g@example.com"}]"#).status == 202)
        let third = try await fixture.importUsers("[]")
        #expect(third.status == 429 && third["errorCode"] == "too_many_requests")
        try await fixture.work()
        #expect(try await fixture.importUsers("[]").status == 202)
        let path = "/jobs/\(first["id"]?.stringValue ?? "")"
        #expect(await fixture.get(path)["status"] == "completed")
        fixture.server.clock.advance(by: .seconds(86_401))
        let late = try await fixture.with(scopes: ["create:users"])
        #expect(await late.get(path).status == 404)
    }

    @Test("A malformed form, another type and a large file are refused with a description")
    func forms() async throws {
        let fixture = try await ManagementFixture()
        let database = try await fixture.database()
        #expect(await fixture.post("/jobs/users-imports", ["users": "[]", "connection_id": "x"]).status == 415)
        #expect(try await fixture.importUsers("[]", ["connection_id": "con_unknown"]).status == 400)
        let other = try await fixture.importUsers("[]", ["connection_id": database, "speed": "high"])
        #expect(other.status == 400 && other.text.contains("speed"))
        let word = try await fixture.importUsers("[]", ["connection_id": database, "upsert": "maybe"])
        #expect(word.status == 400 && word.text.contains("upsert"))
        for file in ["", "[", "[{}", "{}]", "[{}]x", "[{},]"] {
            let refused = try await fixture.importUsers(file, ["connection_id": database])
            #expect(refused.status == 400, "\(file): \(refused.text)")
        }
        let large = try await fixture.importUsers(
            "[" + String(repeating: " ", count: ManageUserJobs.fileLimit) + "]", ["connection_id": database])
        #expect(large.status == 413)
        let body = "--XX\r\nContent-Disposition: form-data; name=\"users\"\r\n\r\n[]\r\n"
        for text in ["", "--XX", body, body + "--XX--x", body + body + "--XX--\r\n", body.replacing("name", with: "x")]
        {
            let refused = await fixture.sendForm("/jobs/users-imports", text, boundary: "XX")
            #expect(refused.status == 400, "\(text): \(refused.text)")
        }
    }

    @Test("The administrators with a verified address get a mail when an import is done, if it is asked for")
    func mails() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.roles = [
                Role(id: Administrators.roleID, name: Administrators.roleName, description: "", permissions: [])
            ]
            setup.users[0].email = EmailAddress(parsing: "ann@example.org")
            setup.users[0].emailVerified = true
            setup.users[0].roles = [Administrators.roleID]
            setup.users[1].roles = [Administrators.roleID]
        }
        _ = try await fixture.imported([["email": "h@example.com"]], ["send_completion_email": "false"])
        // Nobody waits for word of an import of nobody.
        _ = try await fixture.imported([])
        #expect(try await fixture.server.database.count("delivery") == 0)
        _ = try await fixture.imported([["email": "i@example.com"]])
        #expect(try await fixture.server.database.count("delivery") == 1)
    }

    @Test("A report has no value of a member that is not known: it may be a password")
    func unknownMembers() async throws {
        let fixture = try await ManagementFixture()
        let job = try await fixture.imported([
            ["email": "a@example.com", "password": "plain text of a person"],
            ["email": "b@example.com", "passwordHash": .string(ManagementFixture.bcrypt)],
            ["email": "c@example.com", "custom_password_hashs": ["hash": ["value": "deadbeef"]]],
        ])
        let errors = await fixture.errors(of: job)
        #expect(errors.json.arrayValue?.count == 3, "\(errors.text)")
        for secret in ["plain text of a person", ManagementFixture.bcrypt, "deadbeef"] {
            #expect(!errors.text.contains(secret))
        }
        #expect(errors.text.contains("a@example.com") && errors.text.contains("passwordHash"))
    }

    @Test("An upsert says nothing of another address than that of the user")
    func otherAddress() async throws {
        let fixture = try await ManagementFixture()
        _ = try await fixture.imported([["email": "ann@example.com", "user_id": "x1", "email_verified": false]])
        let job = try await fixture.imported(
            [["email": "new@example.com", "user_id": "x1", "email_verified": true]], ["upsert": "true"])
        #expect(job["summary"]?["failed"] == 1, "\(job.text)")
        let user = await fixture.get("/users/auth0%7Cx1")
        #expect(user["email"] == "ann@example.com" && user["email_verified"] == false, "\(user.text)")
    }
}
