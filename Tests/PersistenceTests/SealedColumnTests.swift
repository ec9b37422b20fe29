import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Columns that are sealed under the master key")
struct SealedColumnTests {
    /// Byte columns without sealed values: hashes, public certificates, and columns that the exchange writes itself.
    private static let unsealed: Set<String> = [
        "configuration_object.secret_hashes", "device.token_hash", "device.farewell_hash", "passkey.id",
        "passkey.handle",
        "enrollment_ticket.hash", "enrollment_ticket.code_hash",
        "backchannel_request.hash", "delivery.request_hash",
        "backchannel_request.login", "backchannel_request.browser", "backchannel_request.idempotency_key",
        "backchannel_request.body_digest",
        "approval.audit_hash", "unanswered_request.audit_hash", "ended_refresh_token.hash",
        "authorization_transaction.hash", "authorization_transaction.browser_hash", "pushed_request.hash",
        "authorization_code.hash", "refresh_token_family.hash", "refresh_token_family.certificate_hash",
        "session.hash", "recovery_code.hash", "password_ticket.hash", "email_ticket.hash", "password_failure.key",
        "password_failure.account", "used_token.hash", "audit_log.hash", "signing_key.certificate",
        "master_key_check.sealed", "audit_archive_lane.hash", "audit_archive.tree_hash",
    ]

    private struct Column {
        let table: String
        let name: String
        let type: String
    }

    private func columns(_ database: any Database) async throws -> [Column] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c
                WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.rowid, c.cid
                """
            ) { Column(table: try $0.text(0), name: try $0.text(1), type: try $0.text(2)) }
        }
    }

    @Test("Every byte column is registered as sealed or listed as unsealed")
    func registry() async throws {
        let store = try await TemporaryStore()
        let registered = Set(SealedColumn.all.map { "\($0.table).\($0.column)" })
        let columns = try await columns(store.database)
        let bytes = Set(columns.filter { $0.type == "BLOB" }.map { "\($0.table).\($0.name)" })
        let seals = Set(RowSeal.all.map { "\($0.table).seal" })
        #expect(bytes.subtracting(Self.unsealed).subtracting(seals) == registered)
        #expect(Self.unsealed.isSubset(of: bytes), "what is gone needs no mention")
        let named = columns.filter { $0.name.contains("sealed") }.map { "\($0.table).\($0.name)" }
        #expect(Set(named).subtracting(Self.unsealed).isSubset(of: registered), "text is not sealed unseen")
    }

    @Test("After an exchange the old key opens no stored value, and the new one opens all")
    func exchange() async throws {
        let temporary = try await TemporaryStore()
        let (old, new) = (AESGCMSealer(masterKey: .generate()), AESGCMSealer(masterKey: .generate()))
        // One row of each table, with equal texts, so that every reference is valid.
        let columns = try await columns(temporary.database)
        let text = "x"
        let tenant = TenantID(text)
        let bytes = [UInt8](repeating: 0x78, count: 32)
        let hash = AuthReqIDHash(stored: bytes)
        let request = SealedRequest(
            hash: hash, tenant: tenant, client: ClientID(text), user: UserID(text), audience: text, channel: .email,
            createdAt: Timestamp(milliseconds: 1), expiresAt: Timestamp(milliseconds: 1), interval: 1,
            wantsReceipt: true, login: bytes, browser: bytes)
        let contexts = [
            "backchannel_request.sealed_record": request.recordContext,
            "backchannel_request.sealed_outcome": SealedRequest.outcomeContext(hash, tenant: tenant),
            "approval.sealed_evidence": StoredApproval.sealingContext(ConsentID(text), tenant: tenant),
            "signing_key.sealed_private_key": SigningKey.sealingContext(tenant: tenant, id: SigningKeyID(text)),
            "web_push_key.sealed_private_key": WebPushKey.sealingContext(tenant: tenant),
            "refresh_token_key.sealed_key": RefreshTokenKey.sealingContext(tenant: tenant),
            "delivery.sealed": Delivery.sealingContext(tenant: tenant), "one_time_password.sealed_secret": "totp/x/x",
            "authenticator.sealed_secret": #"["authenticator","x","x","x"]"#,
            "configuration_object.sealed": "tenant-document/x/\(Self.documentKind)/x",
            "unanswered_request.sealed_record": text,
            "user_job.sealed_order": UserJob.orderContext(tenant: tenant, id: text),
            "user_job_part.sealed": UserJob.partContext(tenant: tenant, id: text, number: 1),
            "derivation_key.sealed": "derivation key/x",
            "audit_key.sealed_private_key": "audit key",
        ]
        let skipped: Set<String> = [
            "schema_migrations", "configuration", "audit_log", "audit_daily", "audit_archive", "audit_archive_lane",
        ]
        let tables = columns.map(\.table).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
        var boxes: [String: [UInt8]] = [:]
        for (column, context) in contexts { boxes[column] = try old.seal(Array(column.utf8), context: context) }
        try await temporary.database.write { [boxes] connection in
            try connection.script("PRAGMA defer_foreign_keys = ON")
            for table in tables where !skipped.contains(table) && !table.contains("search") {
                let own = columns.filter { $0.table == table }
                let values = own.map { column -> SQLFragment in
                    switch column.type {
                    case "TEXT": "\(Self.texts["\(table).\(column.name)"] ?? text)"
                    case "BLOB":
                        // Bound rows are in RowSealTests.
                        column.name == "seal"
                            ? "\([UInt8]())"
                            : column.name.contains("sealed")
                                ? "\(boxes["\(table).\(column.name)"] ?? [1])" : "\(bytes)"
                    default: "1"
                    }
                }
                let names = own.map { "\"\($0.name)\"" }.joined(separator: ", ")
                _ = try connection.execute(
                    #"INSERT INTO "\#(raw: table)" (\#(raw: names)) VALUES (\#(SQLFragment.joined(values, by: ", ")))"#)
            }
        }
        let counts = try await temporary.store.exchangeMasterKey(from: old, to: new, check: [1, 2, 3]) {
            AuditEvent(.changed, tenant: $0, at: Samples.start)
        }
        #expect(counts.sealed == contexts.count)
        #expect(Set(contexts.keys) == Set(SealedColumn.all.map { "\($0.table).\($0.column)" }))
        for column in SealedColumn.all {
            let context = try #require(contexts["\(column.table).\(column.column)"])
            let found = try await temporary.database.first(
                "SELECT \(raw: column.column) FROM \(raw: column.table)"
            ) { try $0.blob(0) }
            let box = try #require(found)
            #expect(try new.open(box, context: context).bytes == Array("\(column.table).\(column.column)".utf8))
            #expect(throws: (any Error).self, "\(column.table)") { try old.open(box, context: context) }
        }
        // No value sealed under the old key is stored in any form.
        for column in columns where !column.table.contains("search") {
            let values = try await temporary.database.read { connection in
                try connection.query(#"SELECT hex("\#(raw: column.name)") FROM "\#(raw: column.table)""#) {
                    try $0.text(0)
                }
            }
            for box in boxes.values {
                let forms = [Hex.encode(box).uppercased(), Hex.encode(Array(Base64URL.encode(box).utf8)).uppercased()]
                #expect(!values.contains { value in forms.contains { value.contains($0) } }, "\(column.table)")
            }
        }
        #expect(try await temporary.store.masterKeyCheck() == [1, 2, 3])
    }

    /// Columns whose texts are not free.
    private static let texts = ["configuration_object.kind": documentKind, "backchannel_request.channel": "email"]
    private static let documentKind = TenantDocument.Kind.emailProvider.rawValue
}
