import JOSE
package import Primitives

/// Lines of an archive: a header, then one object for each entry, in the order of their numbers.
package enum AuditArchive {
    /// Maximum bytes of a line.
    package static let lineLimit = 1 << 20

    package struct Header: Sendable, Equatable {
        /// The last entries before the archive's first one.
        package let after: AuditHeads
        package let archived: ArchivedHead

        package init(after: AuditHeads, archived: ArchivedHead) {
            self.after = after
            self.archived = archived
        }

        package var line: [UInt8] {
            var members: JSONObject = [
                "countersign_audit_archive": 1, "after": .string(after.description),
                "head": .string(archived.heads.description), "statement": .string(archived.statement),
                "public_key": archived.publicKey.json,
            ]
            members["tree_head"] = archived.treeHead.map { .string($0.description) }
            return JSONWriter.bytes(.object(members))
        }

        /// Nil if the line is no header.
        package init?(line: [UInt8]) {
            guard let value = try? JSONReader.parse(line), value["countersign_audit_archive"] == 1,
                let after = value["after"]?.stringValue.flatMap({ AuditHeads($0) }),
                let heads = value["head"]?.stringValue.flatMap({ AuditHeads($0) }), heads != AuditHeads(),
                let statement = value["statement"]?.stringValue, let key = value["public_key"].flatMap({ try? JWK($0) })
            else { return nil }
            let treeHead = value["tree_head"]?.stringValue.flatMap { AuditTreeHead.ID($0) }
            self.init(
                after: after,
                archived: ArchivedHead(heads: heads, treeHead: treeHead, statement: statement, publicKey: key))
        }
    }

    package static func line(_ entry: AuditEntry, hash: Digest256) -> [UInt8] {
        var object: JSONObject = [
            "id": .number(JSONNumber(entry.sequence)), "kind": .string(entry.kind), "tenant": .string(entry.tenant),
            "at": .number(JSONNumber(entry.at.milliseconds)),
        ]
        if !entry.isNumberedByPlace {
            object["lane"] = .number(JSONNumber(entry.place.lane))
            object["place"] = .number(JSONNumber(entry.place.number))
        }
        for (name, column) in AuditEntry.optionalColumns {
            if let value = entry[keyPath: column] { object[name] = .string(value) }
        }
        // A text, because its bytes were hashed.
        object["details"] = .string(entry.details)
        object["hash"] = .string(Hex.encode(hash.bytes))
        return JSONWriter.bytes(.object(object))
    }

    /// The entry as read. Its hash decides whether it is genuine.
    package static func entry(line: [UInt8]) -> StoredAuditEntry? {
        guard let value = try? JSONReader.parse(line), let id = value["id"]?.intValue,
            let kind = value["kind"]?.stringValue, let tenant = value["tenant"]?.stringValue,
            let at = value["at"]?.intValue, let details = value["details"]?.stringValue,
            let hash = value["hash"]?.stringValue.flatMap({ Hex.decode($0) }), hash.count == Digest256.size
        else { return nil }
        let place = AuditPlace(
            lane: Int64(value["lane"]?.intValue ?? 0), Int64(value["place"]?.intValue ?? id))
        var entry = AuditEntry(
            sequence: Int64(id), place: place, kind: kind, tenant: tenant, at: Timestamp(milliseconds: Int64(at)),
            details: details)
        for (name, column) in AuditEntry.optionalColumns { entry[keyPath: column] = value[name]?.stringValue }
        return StoredAuditEntry(sequence: entry.sequence, place: place, entry: entry, hash: Digest256(hash))
    }
}

/// An archive to read.
package protocol AuditArchiveSource: Sendable {
    var name: String { get }
    /// Nil if it does not begin with a header.
    func header() throws -> AuditArchive.Header?
    /// Visits the entries in order until `visit` returns false. Nil is an unreadable line.
    func entries(_ visit: (StoredAuditEntry?) throws -> Bool) throws
}
