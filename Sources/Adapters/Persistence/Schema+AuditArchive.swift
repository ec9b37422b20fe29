import SQL

extension Schema {
    static func auditArchive(_ dialect: Dialect) -> String {
        """
        -- One row at most: the last entry that was moved to an archive, as it was signed. Only what is not after it may be
        -- removed.
        CREATE TABLE audit_archive (
            id \(dialect.integer) NOT NULL PRIMARY KEY CHECK (id = 1),
            sequence \(dialect.integer) NOT NULL,
            hash \(dialect.blob) NOT NULL,
            statement TEXT NOT NULL,
            public_key TEXT NOT NULL
        )\(dialect.strict);
        -- One row at most: the key that signs what was archived.
        CREATE TABLE audit_key (
            id \(dialect.integer) NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed_private_key \(dialect.blob) NOT NULL
        )\(dialect.strict);
        \(archiveGuards(dialect))
        """
    }

    private static func archiveGuards(_ dialect: Dialect) -> String {
        switch dialect {
        case .sqlite:
            "DROP TRIGGER audit_log_keeps_entries;\n"
                + replacedAuditGuards.map { "CREATE TRIGGER \($0.text);" }.joined(separator: "\n")
        case .postgresql:
            """
            CREATE FUNCTION audit_log_keeps_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF OLD.id <= (SELECT coalesce(max(sequence), 0) FROM audit_archive) THEN RETURN OLD; END IF;
                RAISE EXCEPTION 'the audit log is append-only';
            END $$;
            DROP TRIGGER audit_log_keeps_entries ON audit_log;
            CREATE TRIGGER audit_log_keeps_entries BEFORE DELETE ON audit_log
            FOR EACH ROW EXECUTE FUNCTION audit_log_keeps_unarchived();
            CREATE TRIGGER audit_log_alters_nothing BEFORE UPDATE OR TRUNCATE ON audit_log
            FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
            """
        }
    }

    /// An archive ends with an entry that there is, before the last one: numbers would begin anew where none is left.
    private static let isArchivable = """
        NOT EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.sequence AND hash = NEW.hash)
            OR NEW.sequence >= (SELECT max(id) FROM audit_log)
        """

    private static let replacedAuditGuards: [(name: String, text: String)] = [
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

    /// All that a database of this version has.
    static var presentAuditGuards: [(name: String, text: String)] {
        sqliteAuditGuards.filter { $0.name != "audit_log_keeps_entries" } + replacedAuditGuards
    }
}
