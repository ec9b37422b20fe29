import Audit
import AuthorizationCore
import Configuration
import Flows
import OpenSSLCrypto
import Persistence
import PostgreSQLCluster
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Rows that a MAC under the master key binds")
struct RowSealTests {
    /// Columns of bound tables that no MAC binds.
    private static let free = [
        "authorization_code.sequence": "the order of rows", "refresh_token_family.sequence": "the order of rows",
        "authorization_transaction.sequence": "the order of rows",
        "session.user_agent": "shown to the person alone", "session.address": "shown to the person alone",
        "pushed_request.sequence": "the order of rows",
        "session.sequence": "the order of rows",
        "authorization_code.redeemed": "grows only: 0 again needs the code, which lives a minute",
        "authorization_code.kept_until": "only the sweep reads it",
        "refresh_token_family.counter": "part of each token, which has a MAC of its own",
        "refresh_token_family.rotated_at": "changes with each exchange; gives a minute of leeway",
        "refresh_token_family.idle_expires_at": "changes with each exchange; the bound end stays",
        "refresh_token_family.metadata": "an operator's notes, which no token has",
        "session.last_used_at": "changes with each use; shown alone",
        "session.idle_expires_at": "changes with each use; the bound end stays",
    ]

    private func columns(_ database: any Database) async throws -> [(table: String, column: String)] {
        try await database.query(
            """
            SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.rowid, c.cid
            """
        ) { (try $0.text(0), try $0.text(1)) }
    }

    @Test("Every column of a bound table is bound, sealed or listed as free, and every table with a MAC is registered")
    func registry() async throws {
        let columns = try await columns(try await TemporaryStore().database)
        let sealed = Set(SealedColumn.all.map { "\($0.table).\($0.column)" })
        var bound: Set<String> = []
        for seal in RowSeal.all {
            bound.formUnion(seal.columns.map { "\(seal.table).\($0)" })
            if let part = seal.part {
                bound.insert("\(part.table).tenant")
                bound.formUnion(
                    part.columns.description.split(separator: ",").map {
                        "\(part.table).\($0.filter { !$0.isWhitespace })"
                    })
            }
        }
        let tables = Set(RowSeal.all.map(\.table) + RowSeal.all.compactMap { $0.part?.table.description })
        let all = Set(columns.filter { tables.contains($0.table) }.map { "\($0.table).\($0.column)" })
        let seals = Set(RowSeal.all.map { "\($0.table).seal" })
        #expect(all.subtracting(bound).subtracting(sealed).subtracting(seals) == Set(Self.free.keys))
        #expect(bound.isSubset(of: all), "what is gone needs no mention")
        #expect(Set(columns.filter { $0.column == "seal" }.map { "\($0.table).seal" }) == seals)
    }

    @Test("An exchange of the master key seals bound rows again, and refuses those that somebody changed")
    func exchange() async throws {
        let made = try await StoreKind.all[0].populated()
        let (old, new) = (Samples.sealer, AESGCMSealer(masterKey: .generate()))
        try await made.keep(Samples.code("code", Samples.access(), redirectURI: nil))
        try await made.store.change { transaction in
            try transaction.put(Samples.client("agent"), in: TenantID("dev"))
            try transaction.put(
                TenantDocument(.tenantSettings, id: "settings", document: ["x": 1]), in: TenantID("dev"))
        }
        func faults(_ sealer: any Sealer & RowAuthenticator) async throws -> [String] {
            try await made.store.sealedValues(100, within: .seconds(10), opening: sealer).flatMap(\.unreadable)
        }
        func exchange(givingUp: Bool) async throws -> KeyExchangeCounts {
            try await made.store.exchangeMasterKey(from: old, to: new, check: [1], givingUp: givingUp) {
                AuditEvent(.changed, tenant: $0, at: Samples.start)
            }
        }
        #expect(try await faults(old) == [])
        try await made.database.execute(
            "UPDATE configuration_object SET secret_hashes = zeroblob(32) WHERE kind = 'client'")
        #expect(try await faults(old) == ["client dev agent"])
        let refused = await #expect(throws: ClosedBox.self) { _ = try await exchange(givingUp: false) }
        #expect(refused?.place == "client dev agent")
        #expect(try await faults(old) == ["client dev agent"], "nothing was changed")
        #expect(try await exchange(givingUp: true).emptied == 1)
        #expect(try await faults(new) == ["client dev agent"], "a row that was given up stays out")
        #expect(try await faults(old).count > 3)
    }

    @Test(
        "A configuration row with a changed column is left out, and the others stay",
        arguments: [TenantDocument.Kind.client, .resourceServer, .role])
    func changedObject(kind: TenantDocument.Kind) async throws {
        let seal = try #require(RowSeal.all.first { $0.table == "configuration_object" })
        for column in seal.columns where !["tenant", "kind"].contains(column) {
            let made = try await StoreKind.all[0].populated()
            let tenant = TenantID("dev")
            try await made.store.change { transaction in
                for name in ["one", "two"] {
                    try transaction.put(Samples.client(name), in: tenant)
                    try transaction.put(try Samples.resourceServer("https://\(name).example/"), in: tenant)
                    try transaction.put(
                        Role(id: RoleID(name), name: name, description: "", permissions: []), in: tenant)
                }
            }
            try await made.database.execute(
                """
                UPDATE configuration_object SET \(raw: column) = CASE typeof(\(raw: column))
                    WHEN 'text' THEN replace(\(raw: column) || ' ', '{', '{ ') ELSE randomblob(32) END
                WHERE kind = \(kind.rawValue) AND id LIKE '%one%'
                """)
            let found = try #require(try await made.store.tenants().first { $0.tenant.id == tenant })
            let names: [String] =
                switch kind {
                case .client: found.clients.map(\.id.rawValue)
                case .role: found.roles.map(\.id.rawValue)
                default: found.resourceServers.map(\.identifier)
                }
            #expect(names.count == 1 && names[0].contains("two"), "\(kind).\(column)")
            #expect(made.store.changedRowCount > 0)
        }
    }

    @Test(
        "A tenant whose row, settings or connections were changed, added or deleted is left out, and others stay",
        arguments: [
            #"UPDATE tenant SET document = replace(document, '{', '{ ') WHERE id = 'dev'"#,
            "UPDATE configuration_object SET document = '{}' WHERE kind = 'guardian_setting'",
            "DELETE FROM configuration_object WHERE kind = 'guardian_setting'",
            "UPDATE configuration_object SET id = 'else' WHERE kind = 'guardian_setting'",
            "UPDATE configuration_object SET kind = 'prompt_partial' WHERE kind = 'guardian_setting'",
            "INSERT INTO configuration_object VALUES ('dev', 'guardian_setting', 'x', '{}', x'', x'', x'')",
            "UPDATE configuration_object SET kind = 'else' WHERE kind = 'client'",
            "DELETE FROM configuration_object WHERE kind = 'connection'",
            "UPDATE configuration_object SET document = replace(document, '{', '{ ') WHERE kind = 'connection'",
            "UPDATE configuration_object SET id = 'else' WHERE kind = 'connection'",
            "UPDATE tenant SET seal = x'' WHERE id = 'dev'",
        ])
    func changedTenant(statement: String) async throws {
        let made = try await StoreKind.all[0].populated()
        let tenant = TenantID("dev")
        try await made.store.change { transaction in
            try transaction.put(
                TenantDocument(.guardianSetting, id: "policies", document: ["message_types": []]), in: tenant)
            try transaction.put(LoginConnection.defaultDatabase, in: tenant)
            try transaction.put(Samples.client("one"), in: tenant)
        }
        #expect(try await made.store.tenants().count == 2)
        try await made.database.write { try $0.script(statement) }
        #expect(try await made.store.tenants().map(\.tenant.id.rawValue) == ["other"])
        await #expect(throws: ChangedRow.self, "no new seal covers what somebody else wrote") {
            try await made.store.change { transaction in
                try transaction.put(TenantDocument(.emailTemplate, id: "x", document: [:]), in: tenant)
            }
        }
        // An operator writes the tenant anew, without the settings that nobody knows.
        try await made.store.change { try $0.put(Samples.tenant("dev")) }
        #expect(try await made.store.tenants().count == 2)
        let kinds = try await made.database.query("SELECT DISTINCT kind FROM configuration_object") { try $0.text(0) }
        #expect(Set(kinds).isDisjoint(with: ["guardian_setting", "connection", "email_template", "prompt_partial"]))
    }

    @Test("A tenant that is written anew after a change of its row keeps its keys, and parts planted for it go")
    func recovery() async throws {
        let made = try await StoreKind.all[0].populated()
        let tenant = TenantID("dev")
        let keys = try await made.store.read { try $0.signingKeys(of: tenant) }
        for statement in ["UPDATE tenant SET seal = x'00' WHERE id = 'dev'", "DELETE FROM tenant WHERE id = 'dev'"] {
            try await made.database.write { connection in
                try connection.script("PRAGMA defer_foreign_keys = ON")
                try connection.script(statement)
            }
        }
        try await made.store.change { transaction in
            try transaction.put(Samples.tenant("dev"))
            try transaction.putMissing(keys, of: tenant)
        }
        #expect(try await made.store.read { try $0.signingKeys(of: tenant) }.map(\.id) == keys.map(\.id))
        try await made.database.write { connection in
            try connection.script("UPDATE tenant SET seal = x'00' WHERE id = 'dev'")
        }
        try await made.store.change { transaction in
            try transaction.put(Samples.tenant("dev"))
            try transaction.putMissing(keys, of: tenant)
        }
        #expect(try await made.store.read { try $0.signingKeys(of: tenant) }.map(\.id) == keys.map(\.id))
    }

    @Test("A trigger or view of somebody else is found")
    func foreignObjects() async throws {
        let made = try await StoreKind.all[0].populated()
        #expect(try await made.store.foreignObject() == nil)
        let names = ["evil", "audit_log_alters_nothing"]
        for name in names {
            try await made.database.write { connection in
                try connection.script(
                    """
                    DROP TRIGGER IF EXISTS \(name);
                    CREATE TRIGGER \(name) BEFORE DELETE ON session BEGIN SELECT RAISE(IGNORE); END;
                    """)
            }
            #expect(try await made.store.foreignObject()?.contains("the trigger \"\(name)\"") == true)
            #expect(try await made.store.structureFault(within: .seconds(10))?.contains(name) == true)
            try await made.database.write { try $0.script("DROP TRIGGER \(name)") }
        }
        try await made.database.write { try $0.script("CREATE VIEW shown AS SELECT 1") }
        #expect(try await made.store.foreignObject()?.contains("the view") == true)
    }

    @Test(
        "A role that may create things beside PostgreSQL's tables is found, and so is what it made",
        .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
    func foreignRights() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        let role = "stranger_\(UInt32.random(in: 0...(.max)))"
        try await made.database.write { connection in
            try connection.script("CREATE ROLE \(role); GRANT CREATE ON SCHEMA public TO \(role)")
        }
        #expect(
            try await made.store.foreignObject()?.contains("REVOKE CREATE ON SCHEMA public FROM \"\(role)\"") == true)
        try await made.database.write { connection in
            try connection.script("REVOKE CREATE ON SCHEMA public FROM \(role); DROP ROLE \(role)")
        }
        #expect(try await made.store.foreignObject() == nil)
        try await made.database.write { connection in
            try connection.script("CREATE FUNCTION nextval(text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'")
        }
        #expect(try await made.store.foreignObject()?.contains("the function \"nextval\"") == true)
    }

    @Test(
        "An extension of PostgreSQL, whose views and functions are in the same schema, is not somebody else's object",
        .enabled(if: PostgreSQLCluster.isInstalled, "no PostgreSQL server is installed"))
    func extensions() async throws {
        let made = try await StoreKind.postgreSQL.populated()
        func tables() async throws -> [String] {
            try await made.database.read { connection in
                try connection.query(connection.dialect.tables) { try $0.text(0) }.sorted()
            }
        }
        let before = try await tables()
        try await made.database.write { try $0.script("CREATE EXTENSION pg_stat_statements") }
        #expect(try await made.store.foreignObject() == nil)
        // Some extensions, such as PostGIS, have tables.
        try await made.database.write { connection in
            try connection.script(
                "CREATE TABLE places (id bigint); ALTER EXTENSION pg_stat_statements ADD TABLE places")
        }
        #expect(try await tables() == before)
    }

    @Test("An exchange of the master key gives up rows that nobody can read, and tells them without giving up")
    func unreadable() async throws {
        let made = try await StoreKind.all[0].populated()
        let (old, new) = (Samples.sealer, AESGCMSealer(masterKey: .generate()))
        try await made.database.write { connection in
            try connection.script(
                """
                INSERT INTO configuration_object (tenant, kind, id, document, sealed)
                    VALUES ('dev', 'zzz', 'x', '{}', x'01');
                """)
        }
        func exchange(givingUp: Bool) async throws {
            _ = try await made.store.exchangeMasterKey(from: old, to: new, check: [1], givingUp: givingUp) {
                AuditEvent(.changed, charge: .server, tenant: $0, at: Samples.start)
            }
        }
        let faults = try await made.store.sealedValues(100, within: .seconds(10), opening: old).flatMap(\.unreadable)
        #expect(faults.contains { $0.hasPrefix("configuration_object, a row that cannot be read") })
        await #expect(throws: ClosedBox.self) { try await exchange(givingUp: false) }
        try await exchange(givingUp: true)
    }

    @Test("Without a version no change is taken, because no node would notice it")
    func version() async throws {
        let made = try await StoreKind.all[0].populated()
        try await made.database.execute("DELETE FROM configuration")
        await #expect(throws: (any Error).self) { _ = try await made.store.version() }
        await #expect(throws: (any Error).self) {
            try await made.store.change { try $0.put(Samples.client("new"), in: TenantID("dev")) }
        }
    }

    @Test("Without a master key, rows are read as they are and none can be written")
    func closed() async throws {
        struct Closed: RowAuthenticator {
            struct Missing: Error {}
            let isOpen = false
            func mac(_ bytes: [UInt8]) throws -> [UInt8] { throw Missing() }
        }
        let made = try await StoreKind.all[0].populated()
        let reading = Store(database: made.database, hashing: Samples.hashing, rows: Closed())
        #expect(try await reading.tenants().count == 2)
        await #expect(throws: Closed.Missing.self) {
            try await reading.change { try $0.put(Samples.client("new"), in: TenantID("dev")) }
        }
    }
}
