import Administration
import Audit
import Primitives
import SQL

extension Schema {
    private static let copyStep = 1000

    /// Chains what a database had logged before, in its order: that proves nothing of the time before this step.
    static func auditChain(_ hashing: any Hashing) -> Migration {
        Migration("009 audit chain") { connection in
            try connection.script(
                """
                ALTER TABLE audit_log RENAME TO unchained_audit_log;
                \(chainedAuditLog(connection.dialect))
                """)
            var head = AuditHead(sequence: 0, hash: AuditEntry.beginning)
            var copied: Int64 = 0
            while true {
                let rows = try connection.query(
                    """
                    SELECT id, kind, tenant, at, "user", client, device, consent, remote_address, details
                    FROM unchained_audit_log WHERE id > \(copied) ORDER BY id LIMIT \(copyStep)
                    """
                ) { try AuditEntry(unchained: $0) }
                for var entry in rows {
                    entry.sequence = head.sequence + 1
                    head = AuditHead(
                        sequence: entry.sequence, hash: try entry.insert(after: head.hash, hashing, connection))
                }
                guard rows.count == copyStep, let last = rows.last else { break }
                copied = last.sequence
            }
            try connection.script(
                """
                DROP TABLE unchained_audit_log;
                \(auditIndexes(connection.dialect))
                \(appendOnly(connection.dialect))
                """)
        }
    }

    /// Numbers come from the chain itself and not from the engine, so that no two entries can follow the same one.
    private static func chainedAuditLog(_ dialect: Dialect) -> String {
        """
        CREATE TABLE audit_log (
            id \(dialect.integer) NOT NULL PRIMARY KEY,
            kind TEXT NOT NULL,
            tenant TEXT NOT NULL,
            at \(dialect.integer) NOT NULL,
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
            details TEXT NOT NULL,
            hash \(dialect.blob) NOT NULL
        )\(dialect.strict);
        """
    }

    /// What is counted by day is counted when it is appended.
    private static func auditIndexes(_ dialect: Dialect) -> String {
        """
        CREATE INDEX audit_log_by_stretch ON audit_log ((id / 1024), tenant, "user");
        CREATE INDEX audit_log_logged_in ON audit_log (tenant, kind, at, "user") WHERE kind = 's';
        CREATE TABLE audit_daily (
            tenant TEXT NOT NULL,
            day \(dialect.integer) NOT NULL,
            kind TEXT NOT NULL,
            count \(dialect.integer) NOT NULL,
            PRIMARY KEY (tenant, day, kind)
        )\(dialect.strictByKey);
        INSERT INTO audit_daily (tenant, day, kind, count)
            SELECT tenant, at / 86400000, kind, count(*) FROM audit_log
            WHERE kind IN ('s', 'ss', 'ciba_start_succeeded', 'gd_auth_succeed', 'gd_auth_rejected')
            GROUP BY 1, 2, 3;
        """
    }

    /// Entries of a tenant, or of one of its users, are found stretch by stretch. An index that began with the tenant and
    /// the user would have each entry change a page of its own, which more than doubled what an entry costs; the last
    /// stretch is a page or two, which a commit changes once.
    static func shortStretches(_ dialect: Dialect) -> String {
        """
        DROP INDEX audit_log_by_stretch;
        CREATE INDEX audit_log_by_stretch ON audit_log ((id / 128), tenant, "user");
        """
    }

    /// Against mistakes of this program and of people: whoever may write the database may also drop a trigger.
    private static func appendOnly(_ dialect: Dialect) -> String {
        switch dialect {
        case .sqlite: sqliteAuditGuards.map { "CREATE TRIGGER \($0.text);" }.joined(separator: "\n")
        case .postgresql:
            """
            CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
            CREATE TRIGGER audit_log_keeps_entries BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
            FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
            """
        }
    }

    /// The insertion is looked at because INSERT OR REPLACE removes rows without asking the other triggers.
    static let sqliteAuditGuards: [(name: String, text: String)] = [
        (
            "audit_log_keeps_entries",
            """
            audit_log_keeps_entries BEFORE DELETE ON audit_log
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END
            """
        ),
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
    ]

    /// The triggers of the audit log that a database does not have as they were made.
    static func missingAuditGuards(_ connection: any Connection) throws -> [String] {
        switch connection.dialect {
        case .sqlite:
            let found = try connection.query(
                "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('audit_log', 'audit_archive')"
            ) { try $0.text(0) }
            // A backup of an older version may be looked at.
            let hasArchive = try !connection.columns(of: "audit_archive").isEmpty
            return (hasArchive ? presentAuditGuards : sqliteAuditGuards).filter {
                !found.contains("CREATE TRIGGER \($0.text)")
            }.map(\.name)
        case .postgresql:
            let name = "audit_log_keeps_entries"
            let isThere = try connection.exists(
                """
                SELECT 1 FROM pg_trigger
                WHERE tgrelid = 'audit_log'::regclass AND tgname = \(name) AND tgenabled <> 'D'
                """)
            return isThere ? [] : [name]
        }
    }
}

extension AuditEntry {
    /// What the table before this step had, with the number it had there.
    fileprivate init(unchained row: borrowing Row) throws {
        self.init(
            sequence: try row.int64(0), kind: try row.text(1), tenant: try row.text(2), at: try row.timestamp(3),
            details: try row.text(9))
        user = try row.optionalText(4)
        client = try row.optionalText(5)
        device = try row.optionalText(6)
        consent = try row.optionalText(7)
        remoteAddress = try row.optionalText(8)
    }
}
