import SQL

extension Schema {
    /// The audit log, a chain of hashes (docs/decisions/0012).
    static let audit = """
        -- An entry. Written with its change and never altered. Deleted by `log archive`. Numbers come from the chain
        -- and not from the engine, so that no two entries follow the same one.
        CREATE TABLE audit_log (
            id INTEGER NOT NULL PRIMARY KEY,
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
            -- SHA-256 over the previous entry and this one.
            hash BLOB NOT NULL
        ) STRICT;
        -- Finds entries of a tenant or a user segment by segment. An index that began with both would change a page for
        -- each entry, which more than doubled the cost of an entry. The last segment is one or two pages, which a
        -- commit changes once.
        CREATE INDEX audit_log_by_segment ON audit_log ((id / 128), tenant, "user");
        CREATE INDEX audit_log_logged_in ON audit_log (tenant, kind, at, "user") WHERE kind = 's';
        CREATE INDEX audit_log_readings_by_consent ON audit_log (consent) WHERE kind = 'rich_consents_access';

        -- Entries of a kind in a day (86,400 seconds since 1970). Written with the entries. Never deleted.
        CREATE TABLE audit_daily (
            tenant TEXT NOT NULL,
            day INTEGER NOT NULL,
            kind TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (tenant, day, kind)
        ) STRICT, WITHOUT ROWID;

        -- At most one row: the last archived entry, as signed. Only entries up to it may be deleted.
        CREATE TABLE audit_archive (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL,
            statement TEXT NOT NULL,
            public_key TEXT NOT NULL
        ) STRICT;

        -- At most one row: the signing key of archives. Written by the first one.
        CREATE TABLE audit_key (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed_private_key BLOB NOT NULL
        ) STRICT;

        \(auditGuards.map { "CREATE TRIGGER \($0.text);" }.joined(separator: "\n"))
        """

    /// Archives end before the log's last entry: an empty log would restart its numbers.
    private static let isArchivable = """
        NOT EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.sequence AND hash = NEW.hash)
            OR NEW.sequence >= (SELECT max(id) FROM audit_log)
        """

    /// Triggers against mistakes of this program and of people. They stop no attacker: an account with write access can
    /// drop them. Insertions are checked because INSERT OR REPLACE deletes rows and fires no other trigger.
    private static let auditGuards: [(name: String, text: String)] = [
        (
            "audit_log_alters_nothing",
            """
            audit_log_alters_nothing BEFORE UPDATE ON audit_log
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
            """
        ),
        (
            "audit_log_grows_at_its_end",
            """
            audit_log_grows_at_its_end BEFORE INSERT ON audit_log
            WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM audit_log)
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
            """
        ),
        (
            "audit_log_keeps_entries",
            """
            audit_log_keeps_entries BEFORE DELETE ON audit_log
            WHEN OLD.id > (SELECT coalesce(max(sequence), 0) FROM audit_archive)
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
            """
        ),
        (
            "audit_archive_ends_with_an_entry",
            """
            audit_archive_ends_with_an_entry BEFORE INSERT ON audit_archive
            WHEN \(isArchivable)
            BEGIN SELECT RAISE(ABORT, 'an archive ends with an entry of the log'); END
            """
        ),
        (
            "audit_archive_grows",
            """
            audit_archive_grows BEFORE UPDATE ON audit_archive
            WHEN \(isArchivable)
            BEGIN SELECT RAISE(ABORT, 'an archive ends with an entry of the log'); END
            """
        ),
        (
            "audit_archive_stays",
            """
            audit_archive_stays BEFORE DELETE ON audit_archive
            BEGIN SELECT RAISE(ABORT, 'the end of the archive stays'); END
            """
        ),
    ]

    /// A table of another program. Nil for a database of this one, or an empty one.
    static func foreignTable(_ connection: any Connection) throws -> String? {
        guard try !connection.exists("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'") else { return nil }
        return try connection.first("SELECT name FROM sqlite_schema") { try $0.text(0) }
            .map { "\"\($0)\" in it is of another program; name another data folder" }
    }

    /// A trigger or view of somebody else, who can refuse this program's changes with it. Nil if there is none.
    static func foreignObject(_ connection: any Connection) throws -> String? {
        try connection.query(
            "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name"
        ) { (type: try $0.text(0), name: try $0.text(1), text: try $0.text(2)) }
        .first { found in !auditGuards.contains { found.text == "CREATE TRIGGER \($0.text)" } }
        .map { "the \($0.type) \"\($0.name)\" is not of this program; find out who wrote it, and restore a backup" }
    }

    /// Names of missing or altered triggers.
    static func missingAuditGuards(_ connection: any Connection) throws -> [String] {
        let found = try connection.query(
            "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('audit_log', 'audit_archive')"
        ) { try $0.text(0) }
        return auditGuards.filter { !found.contains("CREATE TRIGGER \($0.text)") }.map(\.name)
    }
}
