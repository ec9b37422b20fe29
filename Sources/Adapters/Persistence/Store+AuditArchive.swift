package import Audit
import JOSE
package import Primitives
import SQL

extension Store {
    /// Sealing context of the key that signs archives.
    package static let auditKeyContext = "audit key"

    /// Sealed key that signs archives. Nil before the first one.
    package func auditKey() async throws -> [UInt8]? {
        try await database.first("SELECT sealed_private_key FROM audit_key") { try $0.blob(0) }
    }

    /// Stores the key that signs archives. An existing key, also of another process, stays.
    package func keepAuditKey(_ sealed: [UInt8]) async throws {
        try await database.execute(
            "INSERT INTO audit_key (id, sealed_private_key) VALUES (1, \(sealed)) ON CONFLICT (id) DO NOTHING")
    }

    /// Last entry to archive: before the first one at or after `end`, and before the last of all. Nil if there is none.
    package func lastArchivable(before end: Timestamp) async throws -> AuditHead? {
        try await database.scan(within: .seconds(600)) { connection in
            let first = try connection.first("SELECT id FROM audit_log WHERE at >= \(end) ORDER BY id LIMIT 1") {
                try $0.int64(0)
            }
            return try connection.first(
                """
                SELECT id, hash FROM audit_log
                WHERE id < \(first ?? .max) AND id < (SELECT max(id) FROM audit_log) ORDER BY id DESC LIMIT 1
                """
            ) { AuditHead(sequence: try $0.int64(0), hash: Digest256(try $0.blob(1))) }
        }
    }

    /// Deletes the entries up to an archived head and stores that head, in one change.
    package func removeArchived(_ archived: ArchivedHead, events: [AuditEvent] = []) async throws {
        let key = JSONWriter.string(archived.publicKey.json)
        try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO audit_archive (id, sequence, hash, statement, public_key)
                VALUES (1, \(archived.head.sequence), \(archived.head.hash.bytes), \(archived.statement), \(key))
                ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
                    statement = excluded.statement, public_key = excluded.public_key
                """)
            try connection.execute("DELETE FROM audit_log WHERE id <= \(archived.head.sequence)")
            for event in events { try append(event, connection) }
        }
    }

    /// Nil if nothing was archived, or if its row cannot be read.
    static func archivedHead(_ connection: any Connection) throws -> (archived: ArchivedHead?, isThere: Bool) {
        let isThere = try connection.exists("SELECT 1 FROM audit_archive")
        let found = try? connection.first("SELECT sequence, hash, statement, public_key FROM audit_archive") { row in
            let hash = try row.blob(1)
            guard hash.count == Digest256.size else { throw CorruptRow(what: "audit_archive") }
            return ArchivedHead(
                head: AuditHead(sequence: try row.int64(0), hash: Digest256(hash)), statement: try row.text(2),
                publicKey: try JWK(try JSONReader.parse(try row.text(3))))
        }
        return (found ?? nil, isThere)
    }
}
