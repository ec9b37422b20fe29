extension Schema {
    /// Tenants and what an operator configures for them: written by `apply`, the commands and the Management API. Each
    /// server reads the documents as a whole into a `ConfigurationSnapshot`, so they need no columns to search by.
    static let configuration = """
        -- One row: grows by one with every change of configuration, which tells servers to read it anew.
        CREATE TABLE configuration (version INTEGER NOT NULL) STRICT;
        INSERT INTO configuration (version) VALUES (0);

        -- A tenant, with its settings. Deleting it deletes every row that refers to it.
        CREATE TABLE tenant (
            id TEXT PRIMARY KEY,
            document TEXT NOT NULL
        ) STRICT;

        -- A client (application). Deleted by an operator.
        CREATE TABLE client (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            -- SHA-256 of each secret that the client may use, 32 bytes each, one after the other.
            secret_hashes BLOB NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;

        -- An API (resource server). Deleted by an operator.
        CREATE TABLE resource_server (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- The audience of its tokens.
            identifier TEXT NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, identifier)
        ) STRICT, WITHOUT ROWID;

        -- A role. Deleted by an operator.
        CREATE TABLE role (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;

        -- A connection that users log in by: the database of passwords, or a provider. Deleted by an operator.
        CREATE TABLE connection (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            -- The client secret at the provider. Empty if there is none.
            sealed_secret BLOB NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, name)
        ) STRICT, WITHOUT ROWID;

        -- Any other document of a tenant: e-mail provider, templates, grants, domains and so on, by its kind.
        CREATE TABLE tenant_document (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            id TEXT NOT NULL,
            document TEXT NOT NULL,
            -- The document's secret fields. Empty if there are none.
            sealed_secrets BLOB NOT NULL,
            PRIMARY KEY (tenant, kind, id)
        ) STRICT;

        -- A key that signs tokens. A rotation adds one; it is deleted when nothing valid is signed with it, or when an
        -- operator revokes it.
        CREATE TABLE signing_key (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            algorithm TEXT NOT NULL,
            -- next, current, previous or revoked.
            status TEXT NOT NULL,
            -- JSON Web Key.
            public_key TEXT NOT NULL,
            sealed_private_key BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            -- Self-signed X.509 certificate for clients that need one, DER.
            certificate BLOB,
            current_since INTEGER,
            current_until INTEGER,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;
        -- One key of each algorithm signs and one is next, on however many nodes they are rotated.
        CREATE UNIQUE INDEX signing_key_by_role ON signing_key (tenant, algorithm, status)
            WHERE status IN ('current', 'next');

        -- At most one row: a value that only this database's master key opens. Written by the first start.
        CREATE TABLE master_key_check (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed BLOB NOT NULL
        ) STRICT;

        -- A key that tokens or forms are derived with, for one purpose each. Written by the first start. An exchange of
        -- the master key seals it anew, so that what was derived stays valid.
        CREATE TABLE derivation_key (
            label TEXT NOT NULL PRIMARY KEY,
            sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
