extension Schema {
    /// Imports and exports of users.
    static let jobs = """
        -- An import or export of users. Written by the Management API and the commands, and worked part by part. Deleted by
        -- the sweep a day later.
        CREATE TABLE user_job (
            sequence INTEGER PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            -- users_import or users_export.
            kind TEXT NOT NULL,
            status TEXT NOT NULL,
            -- Caller, scopes, connection and options.
            sealed_order BLOB NOT NULL,
            parts INTEGER NOT NULL,
            -- Number of the next part. Parts before it are done.
            place INTEGER NOT NULL,
            inserted INTEGER NOT NULL,
            updated INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            -- Null while it is not done.
            ended_at INTEGER,
            UNIQUE (tenant, id)
        ) STRICT;
        CREATE INDEX user_job_unfinished ON user_job (sequence) WHERE ended_at IS NULL;

        -- Users of an import that are not done, or of an export. Deleted with the transaction that does them.
        CREATE TABLE user_job_part (
            tenant TEXT NOT NULL,
            job TEXT NOT NULL,
            number INTEGER NOT NULL,
            sealed BLOB NOT NULL,
            PRIMARY KEY (tenant, job, number),
            FOREIGN KEY (tenant, job) REFERENCES user_job (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        -- A user whom an import could not write, with the reasons. Hashes and secrets are left out.
        CREATE TABLE user_job_error (
            tenant TEXT NOT NULL,
            job TEXT NOT NULL,
            number INTEGER NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, job, number),
            FOREIGN KEY (tenant, job) REFERENCES user_job (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        """

    /// Jobs that count towards a tenant's limit.
    static let limitedJobs = """
        -- 1 for jobs of a tenant's programs and persons, 0 for an operator's. A tenant has two unfinished limited jobs of
        -- a kind at most.
        ALTER TABLE user_job ADD COLUMN is_limited INTEGER NOT NULL DEFAULT 1;
        CREATE INDEX user_job_limited ON user_job (tenant, kind, is_limited) WHERE ended_at IS NULL;
        """
}
