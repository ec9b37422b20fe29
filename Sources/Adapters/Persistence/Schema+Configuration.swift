extension Schema {
    /// Tenants and their configuration. Written by `apply`, the commands and the Management API. Each server reads
    /// whole documents into a `ConfigurationSnapshot`, so they need no columns to search by.
    static let configuration = """
        -- One row. Grows by one with each change of configuration, so that servers read it again.
        CREATE TABLE configuration (version INTEGER NOT NULL) STRICT;
        INSERT INTO configuration (version) VALUES (0);

        -- A tenant, with its settings. Deleting it deletes every row that refers to it.
        CREATE TABLE tenant (
            id TEXT PRIMARY KEY,
            document TEXT NOT NULL,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x''
        ) STRICT;

        -- A client, API, role, connection, setting or template of a tenant, by kind. Deleted by an operator.
        CREATE TABLE configuration_object (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- TenantDocument.Kind.
            kind TEXT NOT NULL,
            -- Name within its kind: the client_id, an API's identifier, a connection's name.
            id TEXT NOT NULL,
            document TEXT NOT NULL,
            -- Secret members of the document. Empty without any.
            sealed BLOB NOT NULL DEFAULT x'',
            -- SHA-256 of each valid client secret: 32 bytes each, concatenated. Empty for other kinds.
            secret_hashes BLOB NOT NULL DEFAULT x'',
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            PRIMARY KEY (tenant, kind, id)
        ) STRICT, WITHOUT ROWID;

        -- A key that signs tokens. Written by a rotation. Deleted when no valid token is signed with it, or when an
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
            -- Self-signed X.509 certificate in DER, for clients that need one.
            certificate BLOB,
            current_since INTEGER,
            current_until INTEGER,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;
        -- One current and one next key of each algorithm, on however many nodes keys are rotated.
        CREATE UNIQUE INDEX signing_key_by_role ON signing_key (tenant, algorithm, status)
            WHERE status IN ('current', 'next');

        -- A tenant's key for push services (RFC 8292), to which browsers bind their subscriptions. Written with the
        -- tenant. Made anew by the next start if an exchange of the master key gave it up.
        CREATE TABLE web_push_key (
            tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
            sealed_private_key BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- Key from which refresh tokens are made, of a tenant that came from another installation (`import`). Any other
        -- tenant's is derived of the installation's own. Deleted by an exchange of the master key that ends derived keys.
        CREATE TABLE refresh_token_key (
            tenant TEXT NOT NULL PRIMARY KEY REFERENCES tenant (id) ON DELETE CASCADE,
            sealed_key BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- At most one row: a value that only the master key opens. Written by the first start.
        CREATE TABLE master_key_check (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed BLOB NOT NULL
        ) STRICT;

        -- A key from which tokens or forms are derived, one for each purpose. Written by the first start. An exchange
        -- of the master key seals it again, so that derived values stay valid.
        CREATE TABLE derivation_key (
            label TEXT NOT NULL PRIMARY KEY,
            sealed BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
