import Audit
import AuthorizationCore
import Configuration
import OpenSSLCrypto
@testable import Persistence
import PostgreSQLCluster
import Primitives
import SQL
import Synchronization
import TestSupport
import Testing

@Suite("A tenant moves to an installation with another master key")
struct TenantMoveTests {
    private static let tenant = TenantID("dev")
    private static let fileKey = AESGCMSealer(masterKey: .generate())

    /// Engines of the two installations.
    struct Way: Sendable, CustomTestStringConvertible {
        let from: TemporaryStore.Driver
        let to: TemporaryStore.Driver
        var testDescription: String { "\(from.rawValue) to \(to.rawValue)" }

        static let all = [
            Way(from: .sqlite, to: .sqlite), Way(from: .sqlite, to: .postgreSQL), Way(from: .postgreSQL, to: .sqlite),
        ]
        .filter { ![$0.from, $0.to].contains(.postgreSQL) || PostgreSQLCluster.isInstalled }
    }

    /// Rows of a file.
    private final class Lines: Sendable {
        private let kept = Mutex<[(table: String, row: JSONObject)]>([])
        var all: [(table: String, row: JSONObject)] { kept.withLock { $0 } }
        func add(_ table: String, _ row: JSONObject) { kept.withLock { $0.append((table, row)) } }
    }

    /// An installation with a tenant that has a row in every table.
    private func source(_ driver: TemporaryStore.Driver = .sqlite) async throws -> Store {
        let made = try await StoreKind.all[0].populated()
        try await made.store.change { transaction in
            try transaction.put(Samples.user("dev"), passwordHash: "hash", in: Self.tenant)
            try transaction.put(
                UserMetadata(user: ["size": 43, "colour": "blue"], app: [:]), of: UserID("dev"), in: Self.tenant)
            try transaction.put(Samples.client("agent"), in: Self.tenant)
        }
        try await EveryTable.fill(made.database, with: Self.tenant.rawValue)
        try await made.database.write { connection in
            for column in SealedColumn.all {
                for box in try column.boxes(connection) where box.sealed.count == 32 {
                    let sealed = try Samples.sealer.seal(Array(column.table.utf8), context: box.context)
                    try connection.execute("UPDATE \(raw: column.table) SET \(raw: column.column) = \(sealed)")
                }
            }
            for seal in RowSeal.all {
                for (key, row, parts) in try seal.stored(connection) {
                    try seal.store(Samples.sealer.mac(seal.bytes(row.values + parts)), key, connection)
                }
            }
        }
        guard driver != .sqlite else { return made.store }
        let target = try TemporaryStore.emptyDatabase(driver)
        let copy = StoreCopy(from: made.database, to: target, hashing: Samples.hashing)
        _ = try await copy.run { _ in }
        try await copy.finish()
        return Store(database: target, hashing: Samples.hashing, rows: Samples.sealer)
    }

    private func exported(_ store: Store) async throws -> Lines {
        let lines = Lines()
        try await store.exportTenant(
            Self.tenant, from: Samples.sealer, to: Self.fileKey, tokenKey: SecretBytes([1, 2, 3])
        ) { lines.add($0, $1) }
        return lines
    }

    private func importing(
        _ lines: Lines, into store: Store, _ sealer: AESGCMSealer, isTrial: Bool = false
    ) async throws {
        try await store.importTenant(
            Self.tenant, from: Self.fileKey, to: sealer, isTrial: isTrial,
            event: AuditEvent(.changed, charge: .server, tenant: Self.tenant, at: Samples.start)
        ) { visit in for line in lines.all { try visit(line.table, line.row) } }
    }

    /// A new installation.
    private func target(
        _ driver: TemporaryStore.Driver = .sqlite
    ) async throws -> (made: TemporaryStore, store: Store, sealer: AESGCMSealer) {
        let made = try await TemporaryStore(driver)
        let sealer = AESGCMSealer(masterKey: .generate())
        return (made, Store(database: made.database, hashing: Samples.hashing, rows: sealer), sealer)
    }

    @Test("Every table of the schema goes along, or a reason says why it does not")
    func everyTable() async throws {
        let made = try await TemporaryStore()
        let tables = try await made.database.read { try StoredTable.all($0) }.map(\.name)
        #expect(MovedTable.all.map(\.name).sorted() == tables.sorted())
    }

    @Test(
        "Every row of a table that goes along arrives, sealed and bound under the other master key", arguments: Way.all)
    func wholeTenant(way: Way) async throws {
        let source = try await source(way.from)
        let (made, store, sealer) = try await target(way.to)
        let lines = try await exported(source)
        try await importing(lines, into: store, sealer)
        let again = Lines()
        try await store.exportTenant(
            Self.tenant, from: sealer, to: Self.fileKey, tokenKey: SecretBytes([9])
        ) { again.add($0, $1) }
        #expect(again.all.map(\.table) == lines.all.map(\.table))
        let carried = MovedTable.all.filter { if case .none = $0.rows { false } else { true } }.map(\.name)
        #expect(Set(lines.all.map(\.table)) == Set(carried), "a table without a row proves nothing")
        for (first, second) in zip(lines.all, again.all) {
            for (name, value) in first.row {
                switch name {
                case "audit_entry": #expect((second.row[name]?.intValue ?? 0) < 0)
                case _ where value["sealed"] != nil: #expect(second.row[name]?["sealed"] != nil)
                default: #expect(second.row[name] == value, "\(first.table).\(name)")
                }
            }
        }
        // Sealed values open, and bound rows fit.
        let values = try await store.sealedValues(100, within: .seconds(60), opening: sealer)
        #expect(values.flatMap(\.unreadable) == [] && values.contains { $0.checked > 0 })
        #expect(try await made.database.query("SELECT id FROM tenant") { try $0.text(0) } == ["dev"])
        let key = try await made.database.first("SELECT sealed_key FROM refresh_token_key") { try $0.blob(0) }
        let context = RefreshTokenKey.sealingContext(tenant: Self.tenant)
        #expect(try sealer.open(#require(key), context: context).bytes == Array("refresh_token_key".utf8))
        #expect(try await made.database.count("user_attribute") == 2)
        #expect(try await store.version() > 0, "nodes read the configuration again")
    }

    @Test("A tenant that uses the installation's key of refresh tokens takes its own part of it along")
    func tokenKey() async throws {
        let made = try await StoreKind.all[0].populated()
        let row = try #require(try await exported(made.store).all.first { $0.table == "refresh_token_key" }).row
        let box = try #require(row["sealed_key"]?["sealed"]?.stringValue.flatMap { Base64URL.decode($0) })
        let context = RefreshTokenKey.sealingContext(tenant: Self.tenant)
        #expect(try Self.fileKey.open(box, context: context).bytes == [1, 2, 3])
    }

    @Test("No sealed value stands open in the file")
    func sealedValues() async throws {
        let lines = try await exported(try await source())
        for column in SealedColumn.all {
            for line in lines.all where line.table == column.table {
                let value = try #require(line.row[column.column])
                #expect(value["sealed"] != nil || value == .null, "\(column.table).\(column.column)")
            }
        }
    }

    @Test("A trial, and every refusal, leaves the installation as it was")
    func refused() async throws {
        let source = try await source()
        let lines = try await exported(source)
        let (made, store, sealer) = try await target()
        func digests() async throws -> [TableDigest] {
            var digests: [TableDigest] = []
            for table in try await made.database.read({ try StoredTable.all($0) }) {
                digests.append(try await made.database.digest(of: table, Samples.hashing))
            }
            return digests
        }
        func refused(_ failure: TenantMoveFailure, _ lines: Lines) async throws {
            let before = try await digests()
            await #expect(throws: failure) { try await importing(lines, into: store, sealer) }
            #expect(try await digests() == before, "\(failure)")
        }
        let before = try await digests()
        try await importing(lines, into: store, sealer, isTrial: true)
        #expect(try await digests() == before)
        // A row that this version does not know, behind all others.
        let strange = Lines()
        for line in lines.all { strange.add(line.table, line.row) }
        strange.add("user", ["shoe_size": 43])
        try await refused(.unknownRow("user"), strange)
        let forbidden = Lines()
        for line in lines.all { forbidden.add(line.table, line.row) }
        forbidden.add("audit_log", [:])
        try await refused(.unknownRow("audit_log"), forbidden)
        // Another tenant has its host, and then one of its phones.
        let host = Samples.tenant(Self.tenant.rawValue).hosts[0]
        try await store.change { try $0.put(Samples.tenant("rival", hosts: [host])) }
        try await refused(.hostTaken(host, by: TenantID("rival")), lines)
        try await store.change { transaction in
            try transaction.put(Samples.tenant("rival", hosts: ["elsewhere.example"]))
            try transaction.put(Samples.user("auth0|ann"), passwordHash: nil, in: TenantID("rival"))
        }
        try await made.database.execute(
            """
            INSERT INTO revoked_authorization (id, tenant, expires_at) VALUES ('dev', 'rival', 1)
            """)
        try await refused(.taken("revoked_authorization.id"), lines)
        try await made.database.execute("DELETE FROM revoked_authorization")
        try await importing(lines, into: store, sealer)
        try await refused(.tenantExists(Self.tenant), lines)
    }

    @Test("A row that somebody without the master key changed is not exported, and neither is an unknown tenant")
    func changedRow() async throws {
        let made = try await StoreKind.all[0].populated()
        await #expect(throws: TenantMoveFailure.noTenant(TenantID("no"))) {
            try await made.store.exportTenant(
                TenantID("no"), from: Samples.sealer, to: Self.fileKey, tokenKey: SecretBytes([1])
            ) { _, _ in }
        }
        try await made.store.change { try $0.put(Samples.client("agent"), in: Self.tenant) }
        try await made.database.execute(
            "UPDATE configuration_object SET document = '{}' WHERE tenant = 'dev' AND kind = 'client'")
        await #expect(throws: TenantMoveFailure.changedRow("client dev agent")) { _ = try await exported(made.store) }
    }
}
