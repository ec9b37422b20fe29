import SQL

extension Schema {
    /// The audit log, a chain of hashes for each lane (docs/decisions/0012).
    static let audit = """
        -- An entry. Written with its change and never altered. Deleted by `log archive`.
        CREATE TABLE audit_log (
            -- Orders the entries of all lanes. Grows in a lane, possibly with gaps.
            id INTEGER PRIMARY KEY,
            -- Auth0's event type, such as gd_auth_succeed.
            kind TEXT NOT NULL,
            tenant TEXT NOT NULL,
            at INTEGER NOT NULL,
            "user" TEXT,
            client TEXT,
            device TEXT,
            consent TEXT,
            remote_address TEXT,
            user_agent TEXT,
            correlation_id TEXT,
            actor TEXT,
            object_kind TEXT,
            object TEXT,
            -- JSON.
            details TEXT NOT NULL,
            -- Number of the connection that wrote it, whose entries are a chain of their own.
            lane INTEGER NOT NULL,
            -- 1 for the lane's first entry, then consecutive.
            place INTEGER NOT NULL,
            -- SHA-256 over the lane's previous entry and this one.
            hash BLOB NOT NULL
        ) STRICT;
        -- Refuses the second of two entries that follow the same one.
        CREATE UNIQUE INDEX audit_log_by_place ON audit_log (lane, place);
        -- Finds entries of a tenant or a user segment by segment. An index that began with both would change a page for
        -- each entry, which more than doubled the cost of an entry. The last segment is one or two pages, which a
        -- commit changes once.
        CREATE INDEX audit_log_by_segment ON audit_log ((id / 128), tenant, "user");
        CREATE INDEX audit_log_readings_by_consent ON audit_log (consent) WHERE kind = 'rich_consents_access';

        -- Entries of a kind in a day (86,400 seconds since 1970). Written with the entries. Never deleted.
        -- Each lane counts its own, so that no writer waits for another's commit.
        CREATE TABLE audit_daily (
            tenant TEXT NOT NULL,
            day INTEGER NOT NULL,
            kind TEXT NOT NULL,
            lane INTEGER NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (tenant, day, kind, lane)
        ) STRICT, WITHOUT ROWID;

        -- The last archived entry of each lane. Only entries up to it may be deleted.
        CREATE TABLE audit_archive_lane (
            lane INTEGER NOT NULL PRIMARY KEY,
            place INTEGER NOT NULL,
            hash BLOB NOT NULL,
            id INTEGER NOT NULL
        ) STRICT;

        -- At most one row: the signature of those entries, and of the last tree head that was deleted with them.
        CREATE TABLE audit_archive (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            tree_head INTEGER,
            tree_hash BLOB,
            statement TEXT NOT NULL,
            public_key TEXT NOT NULL
        ) STRICT;

        -- The last entries of all lanes at one moment, signed. Written every minute in which entries were, by one node.
        -- Deleted by `log archive` with all that it proves.
        CREATE TABLE audit_tree_head (
            number INTEGER NOT NULL PRIMARY KEY,
            -- A JWS (AuditTreeHead).
            statement TEXT NOT NULL
        ) STRICT;

        -- At most one row: the signing key of archives and tree heads. Written by the first one.
        CREATE TABLE audit_key (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed_private_key BLOB NOT NULL
        ) STRICT;
        """

    /// Archives end before the log's last entry: an empty log would restart its numbers.
    private static let isArchivable = """
        NOT EXISTS (
            SELECT 1 FROM audit_log WHERE id = NEW.id AND lane = NEW.lane AND place = NEW.place AND hash = NEW.hash)
            OR NEW.id >= (SELECT max(id) FROM audit_log)
        """

    /// Each entry follows its lane's last one, and mostly that alone is read. Lane 0 has the only writer, so that its last
    /// entry is mostly the last of all.
    private static let growsElsewhere = """
        NOT coalesce(CASE NEW.lane WHEN 0 THEN (NEW.lane, NEW.place, NEW.id) =
                    (SELECT lane, place + 1, id + 1 FROM audit_log ORDER BY id DESC LIMIT 1)
                ELSE (NEW.place, TRUE) =
                    (SELECT place + 1, id < NEW.id FROM audit_log WHERE lane = NEW.lane ORDER BY place DESC LIMIT 1)
                END, FALSE)
            AND (NEW.place <> coalesce(
                    (SELECT max(place) FROM audit_log WHERE lane = NEW.lane),
                    (SELECT place FROM audit_archive_lane WHERE lane = NEW.lane), 0) + 1
                OR CASE NEW.lane WHEN 0 THEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM audit_log)
                    ELSE NEW.id <= coalesce(
                        (SELECT id FROM audit_log WHERE lane = NEW.lane AND place = NEW.place - 1), 0) END)
        """
    private static let keepsEntry = """
        OLD.place > coalesce((SELECT place FROM audit_archive_lane WHERE lane = OLD.lane), 0)
        """
    private static let treeGrowsElsewhere = """
        NEW.number <> coalesce(
            (SELECT max(number) FROM audit_tree_head), (SELECT tree_head FROM audit_archive), 0) + 1
        """
    private static let keepsTreeHead = "OLD.number > coalesce((SELECT tree_head FROM audit_archive), 0)"

    /// Triggers against mistakes of this program and of people. They stop no attacker: an account with write access can
    /// drop them. Insertions are checked because SQLite's INSERT OR REPLACE deletes rows and fires no other trigger.
    static let auditGuards = [
        RefusingTrigger("audit_log_alters_nothing", .update, of: "audit_log", appendOnly),
        RefusingTrigger("audit_log_grows_at_its_end", .insert, of: "audit_log", if: growsElsewhere, appendOnly),
        RefusingTrigger("audit_log_keeps_entries", .delete, of: "audit_log", if: keepsEntry, appendOnly),
        RefusingTrigger(
            "audit_archive_ends_with_an_entry", .insert, of: "audit_archive_lane", if: isArchivable, archiveEnds),
        RefusingTrigger("audit_archive_grows", .update, of: "audit_archive_lane", if: isArchivable, archiveEnds),
        RefusingTrigger("audit_archive_stays", .delete, of: "audit_archive", archiveStays),
        RefusingTrigger("audit_archive_lane_stays", .delete, of: "audit_archive_lane", archiveStays),
        RefusingTrigger("audit_tree_head_alters_nothing", .update, of: "audit_tree_head", treeGrows),
        RefusingTrigger(
            "audit_tree_head_grows_at_its_end", .insert, of: "audit_tree_head", if: treeGrowsElsewhere, treeGrows),
        RefusingTrigger("audit_tree_head_stays", .delete, of: "audit_tree_head", if: keepsTreeHead, treeGrows),
    ]
    private static let appendOnly = "the audit log is append-only"
    private static let archiveEnds = "an archive ends with an entry of the log"
    private static let archiveStays = "the end of the archive stays"
    private static let treeGrows = "tree heads are append-only"

    /// A table of another program. Nil for a database of this one, or an empty one.
    static func foreignTable(_ connection: any Connection) throws -> String? {
        let tables = try connection.query(connection.dialect.tables) { try $0.text(0) }
        guard !tables.contains("schema_migrations") else { return nil }
        return tables.first.map { "\"\($0)\" in it is of another program; name another data folder or database" }
    }

    /// Somebody else who may create things among this program's. Nil if there is nobody.
    static func foreignRight(_ connection: any Connection) throws -> String? {
        guard let creators = connection.dialect.creators else { return nil }
        return try connection.first(creators) { try $0.text(0) }.map { role in
            let name = role == "PUBLIC" ? role : "\"\(role)\""
            return "\(name) may create things in the schema of its tables, which could act in this program's name; run "
                + "REVOKE CREATE ON SCHEMA public FROM \(name), with the schema's name"
        }
    }

    /// Something of somebody else that can refuse this program's changes, or make others. Nil if there is none.
    static func foreignObject(_ connection: any Connection) throws -> String? {
        let own = storedGuards(connection.dialect)
        return try connection.query(connection.dialect.actingObjects) {
            (type: try $0.text(0), name: try $0.text(1), text: try $0.text(2))
        }
        .first { $0.type != "trigger" || own[$0.name] != $0.text }
        .map { "the \($0.type) \"\($0.name)\" is not of this program; find out who wrote it, and restore a backup" }
    }

    /// Names of missing or altered triggers.
    static func missingAuditGuards(_ connection: any Connection) throws -> [String] {
        let found = try connection.query(connection.dialect.actingObjects) { (try $0.text(1), try $0.text(2)) }
        let texts = Dictionary(found) { first, _ in first }
        return auditGuards.filter { connection.dialect.stored($0).contains { texts[$0.key] != $0.value } }.map(\.name)
    }

    private static func storedGuards(_ dialect: any Dialect) -> [String: String] {
        auditGuards.reduce(into: [:]) { $0.merge(dialect.stored($1)) { $1 } }
    }
}
