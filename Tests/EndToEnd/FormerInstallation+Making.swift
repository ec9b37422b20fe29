import Foundation
import GuardianWire
import HTTPModel
import JOSE
import OpenSSLCrypto
import PostgreSQLCluster
import Primitives
import TestSupport

extension FormerInstallation {
    /// Makes the fixture with the programs of `COUNTERSIGN_TEST_COMMANDS`, which `scripts/make-upgrade-fixture` names.
    static func make(_ engine: Engine, in target: URL) async throws {
        let database = engine == .postgresql ? try PostgreSQLCluster.started.makeDatabase() : nil
        let store = database.map { ["--store", $0.uri] } ?? []
        let own = try OwnFolder()
        try await makeKeys(own.url)
        // Without a mail server or a folder, mails wait.
        let first = try await TestServer(name, in: own, port: port, options: ["--development=off"] + store)
        try first.write(try configuration(first), to: "configuration.json")
        try await first.command("apply", ["configuration.json"])
        await first.stop()
        // Its certificate has the tenant's name.
        let server = try await first.restarted()
        var held = try await use(server)
        if database == nil { try await server.command("backup", ["backup.db"]) }
        try await server.command("export", ["--tenant", "test", "--output", "test.ndjson"])
        guard await server.stop() == 0 else { throw Unexpected("the server did not stop") }
        held.stoppedAt = Date.now.timeIntervalSince1970
        try await keep(server, held, database, in: target)
    }

    private static func run(_ words: [String], in folder: URL) async throws {
        let result = try await Program.run(Array(words.dropFirst()), of: words[0], in: folder)
        guard result.status == 0 else { throw Unexpected("\(words): \(result.errors)") }
    }

    private static func makeKeys(_ folder: URL) async throws {
        for key in ["client", "passkey"] {
            try await run(
                [
                    "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                    "\(key).pem",
                ], in: folder)
        }
    }

    /// Copies what is left into the fixture's folder.
    private static func keep(
        _ server: TestServer, _ held: Held, _ database: PostgreSQLCluster.Database?, in target: URL
    ) async throws {
        let (folder, files) = (server.folder, FileManager.default)
        try? files.removeItem(at: target)
        try files.createDirectory(at: target.appending(path: "data/tls"), withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(held).write(to: target.appending(path: "held.json"))
        var names = ["client.pem", "passkey.pem", "phone.json", "receipt.jwt", "data/master.key"]
        for name in try files.contentsOfDirectory(atPath: folder.appending(path: "data/tls").path) {
            names.append("data/tls/\(name)")
        }
        names += ["test.ndjson", "test.ndjson.key"]
        if let database {
            // Settings and restrictions of the newest psql stop older ones.
            let script = #"""
                set -o pipefail
                pg_dump --no-owner --no-privileges --inserts --rows-per-insert=100 "$1" |
                    grep -Ev '^\\(un)?restrict |^SET (transaction_timeout|default_table_access_method)' | gzip -9n > database.sql.gz
                """#
            try await run(["bash", "-c", script, "dump", database.uri], in: folder)
            names.append("database.sql.gz")
        } else {
            for name in ["data/countersign.db", "backup.db"] {
                try await run(["gzip", "-9n", name], in: folder)
                names.append("\(name).gz")
            }
        }
        for name in names {
            try files.copyItem(at: folder.appending(path: name), to: target.appending(path: name))
        }
    }

    private static func configuration(_ server: TestServer) throws -> JSONValue {
        let key = try server.signer("client.pem").publicKey
        let ciba: JSONValue = "urn:openid:params:grant-type:ciba"
        let people: [JSONValue] = (0..<2).map { user in
            [
                "user_id": .string("auth0|\(user)"), "name": .string("User \(user)"),
                "email": .string(TestServer.email(user)), "email_verified": true,
                "password": .string(TestServer.password(user)), "roles": ["payer"],
            ]
        }
        return [
            "tenants": [
                [
                    "id": "test", "name": "Test", "host": .string(server.host),
                    "settings": ["poll_interval": 1, "verify_emails": true, "passkey_login": true],
                    "apis": [
                        [
                            "identifier": .string(TestServer.audience), "allow_offline_access": true,
                            "scopes": [["value": "pay", "description": "Pay"]],
                            "authorization_details": [["type": "money_transfer"]],
                        ]
                    ],
                    "roles": [
                        [
                            "id": "payer", "name": "Payer",
                            "permissions": [
                                [
                                    "resource_server_identifier": .string(TestServer.audience),
                                    "permission_name": "pay",
                                ]
                            ],
                        ]
                    ],
                    "connections": [["name": "Username-Password-Authentication", "strategy": "auth0"]],
                    "users": .array(people),
                    "clients": [
                        [
                            "client_id": .string(TestServer.clientID), "name": "Test agent",
                            "client_secret": .string(TestServer.clientSecret),
                            "grant_types": [ciba, "refresh_token"],
                        ],
                        [
                            "client_id": .string(signingClient), "name": "Signing agent",
                            "token_endpoint_auth_method": "private_key_jwt", "grant_types": [ciba],
                            "client_authentication_methods": [
                                "private_key_jwt": ["credentials": [["name": "a test's", "jwk": key.json]]]
                            ],
                        ],
                        [
                            "client_id": "mobile", "name": "App mobile", "token_endpoint_auth_method": "none",
                            "grant_types": ["authorization_code", "refresh_token"], "is_first_party": true,
                            "callbacks": [.string(LoginApp.callback)],
                            "refresh_token": ["rotation_type": "rotating", "leeway": 60],
                        ],
                    ],
                ]
            ]
        ]
    }

    /// Does what leaves something in every part of the store.
    private static func use(_ server: TestServer) async throws -> Held {
        let (app, agent) = (try LoginApp(server), try Agent(server))
        _ = try await server.guardian("enroll", [try await server.ticket(user: "auth0|0")])
        let browser = try server.browser()
        let tokens = try await app.tokens(
            in: browser, scope: "openid offline_access", ["audience": TestServer.audience])
        let handle = try await registerPasskey(server)
        try await signUp(server, app)

        let first = try await agent.started("Order 1")
        let decided = try await server.guardian("allow", ["--wait", "30s"])["id"]?.stringValue
        let redeemed = try await agent.poll(first)
        guard redeemed.status == 200, let decided else { throw Unexpected("\(redeemed)") }
        let receipt = try await server.command("receipt show", [decided, "--tenant", "test"])
        try Data(receipt.utf8).write(to: server.folder.appending(path: "receipt.jwt"))
        // The first keys are the previous ones from now on.
        try await server.command("keys rotate", ["--tenant", "test"])

        let allowed = try await server.signed(
            "bc-authorize",
            [
                (
                    "login_hint",
                    JSONWriter.string(["format": "iss_sub", "iss": .string(server.issuer), "sub": "auth0|0"])
                ),
                ("scope", "openid"), ("audience", TestServer.audience), ("binding_message", allowedMessage),
            ])
        _ = try await server.guardian("allow", ["--wait", "30s"])
        let heads = try await signedHeads(server)
        // Last, since it is answered within minutes.
        let pending = try await agent.started(pendingMessage)
        return Held(
            stoppedAt: 0, cookies: browser.cookies, refreshToken: tokens["refresh_token"]?.stringValue ?? "",
            pending: pending, allowed: try allowed.authReqID.orThrow("\(allowed)"), decided: decided,
            passkeyHandle: Base64URL.encode(handle), auditHead: heads.audit, treeHead: heads.tree)
    }

    /// Those of the audit log, once the server has signed a tree head.
    private static func signedHeads(_ server: TestServer) async throws -> (audit: String, tree: String) {
        for _ in 0..<100 {
            let log = try JSONReader.parse(try await server.command("log verify", ["--json"]))
            if let audit = log["head"]?.stringValue, let tree = log["tree_head"]?.stringValue { return (audit, tree) }
            try await Task.sleep(for: .seconds(1))
        }
        throw Unexpected("no tree head was signed")
    }

    /// User 1 logs in with the password and adds a passkey. Returns its name of the user.
    private static func registerPasskey(_ server: TestServer) async throws -> [UInt8] {
        let browser = try server.browser()
        let page = try await browser.logIn(server.issuer + "account/passkeys", user: 1).page()
        let (form, challenge) = try page.passkey("data-challenge")
        let handle = try page.passkey("data-user").bytes
        let registration = try server.passkey(handle: handle).registration(challenge)
        let added = try await browser.submit(
            form, on: page,
            nil, ["passkey": String(decoding: registration.json, as: UTF8.self), "name": "A test's"]
        ).page()
        guard added.text.contains("A test's") else { throw Unexpected("no passkey: \(added.text)") }
        return handle
    }

    /// Somebody signs up, whose mail with the link for the address waits.
    private static func signUp(_ server: TestServer, _ app: LoginApp) async throws {
        let browser = try server.browser()
        let page = try await browser.open(app.link(scope: "openid")).page()
        let form = try await browser.click("Sign up", on: page).page()
        _ = try await browser.submit(
            form, "Sign up", ["email": newcomer, "name": "Newcomer", "password": TestServer.password(2)])
    }
}
