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

    /// Number of the last entry to archive: before the first one at or after `end`, and before the last of all. Nil if
    /// there is none. Every change of such an age has ended.
    package func lastArchivable(before end: Timestamp) async throws -> Int64? {
        try await database.scan(within: .seconds(600)) { connection in
            let first = try connection.first("SELECT id FROM audit_log WHERE at >= \(end) ORDER BY id LIMIT 1") {
                try $0.int64(0)
            }
            return try connection.first(
                """
                SELECT id FROM audit_log
                WHERE id < \(first ?? .max) AND id < (SELECT max(id) FROM audit_log) ORDER BY id DESC LIMIT 1
                """
            ) { try $0.int64(0) }
        }
    }

    /// Deletes the entries up to archived heads, and the tree heads that prove nothing else, and stores those heads, in
    /// one change.
    package func removeArchived(_ archived: ArchivedHead, events: [AuditEvent] = []) async throws {
        let key = JSONWriter.string(archived.publicKey.json)
        let treeHead = archived.treeHead
        try await database.write { connection in
            try connection.execute(
                """
                INSERT INTO audit_archive (id, tree_head, tree_hash, statement, public_key)
                VALUES (1, \(treeHead?.number), \(treeHead?.hash.bytes), \(archived.statement), \(key))
                ON CONFLICT (id) DO UPDATE SET tree_head = excluded.tree_head, tree_hash = excluded.tree_hash,
                    statement = excluded.statement, public_key = excluded.public_key
                """)
            for head in archived.heads.all {
                let (lane, place) = (head.place.lane, head.place.number)
                // A lane without such an entry ended in an earlier archive.
                try connection.execute(
                    """
                    INSERT INTO audit_archive_lane (lane, place, hash, id)
                    SELECT lane, place, hash, id FROM audit_log
                    WHERE lane = \(lane) AND place = \(place) AND hash = \(head.hash.bytes)
                    ON CONFLICT (lane) DO UPDATE SET place = excluded.place, hash = excluded.hash, id = excluded.id
                    """)
                guard try Self.archived(lane, connection) == head else {
                    throw SQLError.mismatch("an archive ends with an entry of the log")
                }
                try connection.execute("DELETE FROM audit_log WHERE lane = \(lane) AND place <= \(place)")
            }
            if let treeHead {
                try connection.execute("DELETE FROM audit_tree_head WHERE number <= \(treeHead.number)")
            }
            for event in events { try append(event, connection) }
        }
    }

    private static let archivedOfLane = StaticStatement(
        "SELECT lane, place, hash FROM audit_archive_lane WHERE lane = $1")

    /// Last archived entry of a lane.
    static func archived(_ lane: Int64, _ connection: any Connection) throws -> AuditHead? {
        try connection.first(archivedOfLane(lane), head)
    }

    /// Nil if nothing was archived, or if its rows cannot be read.
    static func archivedHead(_ connection: any Connection) throws -> (archived: ArchivedHead?, isThere: Bool) {
        let isThere = try connection.exists(
            "SELECT 1 FROM audit_archive UNION ALL SELECT 1 FROM audit_archive_lane LIMIT 1")
        let heads = try? connection.query("SELECT lane, place, hash FROM audit_archive_lane ORDER BY lane", head)
        let found = try? connection.first("SELECT tree_head, tree_hash, statement, public_key FROM audit_archive") {
            row in
            let hash = try row.optionalBlob(1)
            guard let heads, hash?.count ?? Digest256.size == Digest256.size else {
                throw CorruptRow(what: "audit_archive")
            }
            let number = try row.optionalInt64(0)
            return ArchivedHead(
                heads: AuditHeads(heads),
                treeHead: number.flatMap { number in hash.map { AuditTreeHead.ID(number: number, hash: Digest256($0)) }
                },
                statement: try row.text(2), publicKey: try JWK(try JSONReader.parse(try row.text(3))))
        }
        return (found ?? nil, isThere)
    }
}
