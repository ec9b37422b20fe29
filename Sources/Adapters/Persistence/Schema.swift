package import Primitives
package import SQL

/// The tables, in the order they came to be. Migrations that were released are never changed.
package enum Schema {
    /// `hashing` chains what an older database has in its audit log.
    package static func migrations(_ hashing: any Hashing) -> [Migration] {
        [
            Migration("001 configuration", script: configuration),
            Migration("002 users and devices", script: usersAndDevices),
            Migration("003 backchannel requests", script: backchannelRequests),
            Migration("004 audit log", script: auditLog),
            Migration("005 connections", script: connections),
            Migration("006 login", script: logIn),
            Migration("007 client authentication", script: clientAuthentication),
            Migration("008 user search", search),
            auditChain(hashing),
            Migration("010 administration", script: administration),
            Migration("011 key certificates", script: keyCertificates),
            Migration("013 administration of users", script: userAdministration),
            Migration(masterKeyCheckName, script: masterKeyCheck),
            Migration("015 origins of failed attempts", script: attemptOrigins),
            Migration("016 readings of consents", script: readings),
            Migration("017 sessions", script: sessions),
            Migration("018 access", script: endedAccess),
            Migration("019 hosts of logouts", script: logoutHosts),
            Migration("020 requests by hash", script: requestsByHash),
            Migration("021 short stretches of the audit log", script: shortStretches),
            Migration("022 reasons of logouts", script: logoutReasons),
            Migration("023 codes without PKCE", script: codesWithoutProofKey),
            Migration("024 reasons of rejections", script: rejectionReasons),
            Migration("025 refresh tokens of users who lost access", script: endedRefreshTokens),
            Migration("026 owners of second factors", script: secondFactorOwners),
            Migration("027 derivation keys", script: derivationKeys),
            Migration("028 archive of the audit log", script: auditArchive),
            Migration("029 applied passwords", script: appliedPasswords),
        ]
    }

    /// Read as a whole into the directory, so each row is a document and needs no columns to search by.
    private static func configuration(_ dialect: Dialect) -> String {
        """
        CREATE TABLE tenant (
            id TEXT PRIMARY KEY,
            document TEXT NOT NULL
        )\(dialect.strict);
        CREATE TABLE client (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            secret_hashes \(dialect.blob) NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, id)
        )\(dialect.strictByKey);
        CREATE TABLE resource_server (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            identifier TEXT NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, identifier)
        )\(dialect.strictByKey);
        CREATE TABLE role (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, id)
        )\(dialect.strictByKey);
        CREATE TABLE signing_key (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            algorithm TEXT NOT NULL,
            status TEXT NOT NULL,
            public_key TEXT NOT NULL,
            sealed_private_key \(dialect.blob) NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            changed_at \(dialect.integer) NOT NULL,
            PRIMARY KEY (tenant, id)
        )\(dialect.strictByKey);
        -- One key of each algorithm signs and one is next, on however many nodes they are rotated.
        CREATE UNIQUE INDEX signing_key_by_role ON signing_key (tenant, algorithm, status)
            WHERE status IN ('current', 'next');
        CREATE TABLE configuration (version \(dialect.integer) NOT NULL)\(dialect.strict);
        INSERT INTO configuration (version) VALUES (0);
        """
    }

    private static func connections(_ dialect: Dialect) -> String {
        """
        CREATE TABLE connection (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            -- Empty where there is none.
            sealed_secret \(dialect.blob) NOT NULL,
            document TEXT NOT NULL,
            PRIMARY KEY (tenant, name)
        )\(dialect.strictByKey);
        """
    }

    private static func usersAndDevices(_ dialect: Dialect) -> String {
        """
        CREATE TABLE "user" (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            email TEXT,
            email_verified \(dialect.integer) NOT NULL,
            name TEXT,
            given_name TEXT,
            family_name TEXT,
            nickname TEXT,
            picture TEXT,
            phone_number TEXT,
            language TEXT,
            blocked \(dialect.integer) NOT NULL,
            roles TEXT NOT NULL,
            password_hash TEXT,
            created_at \(dialect.integer) NOT NULL,
            updated_at \(dialect.integer) NOT NULL,
            PRIMARY KEY (tenant, id)
        )\(dialect.strictByKey);
        CREATE UNIQUE INDEX user_by_email ON "user" (tenant, email) WHERE email IS NOT NULL;
        CREATE TABLE device (
            id TEXT NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            identifier TEXT NOT NULL,
            name TEXT NOT NULL,
            public_key TEXT NOT NULL,
            push_service TEXT,
            push_token TEXT,
            token_hash \(dialect.blob) NOT NULL,
            enrolled_at \(dialect.integer) NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strictByKey);
        CREATE UNIQUE INDEX device_by_user ON device (tenant, "user", identifier);
        CREATE TABLE enrollment_ticket (
            hash \(dialect.blob) NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strictByKey);
        """
    }

    private static func backchannelRequests(_ dialect: Dialect) -> String {
        """
        CREATE TABLE backchannel_request (
            sequence \(dialect.growingKey),
            hash \(dialect.blob) NOT NULL,
            tenant TEXT NOT NULL,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            scope TEXT NOT NULL,
            audience TEXT NOT NULL,
            binding_message TEXT NOT NULL,
            authorization_details TEXT,
            channel TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            poll_interval \(dialect.integer) NOT NULL,
            state \(dialect.integer) NOT NULL,
            decided_at \(dialect.integer),
            decided_by TEXT
        )\(dialect.strict);
        -- Holds all that a poll reads, so that a poll touches nothing else. Its prefix is the consent id.
        CREATE INDEX backchannel_request_by_hash ON backchannel_request
            (hash, state, expires_at, poll_interval, client, tenant);
        -- Holds all that the limits of a user count.
        CREATE INDEX backchannel_request_by_user ON backchannel_request
            ("user", tenant, created_at, state, expires_at);
        CREATE TABLE outbox (
            id \(dialect.rowKey),
            kind \(dialect.integer) NOT NULL,
            request \(dialect.integer) NOT NULL,
            device TEXT NOT NULL,
            attempts \(dialect.integer) NOT NULL,
            due_at \(dialect.integer) NOT NULL
        )\(dialect.strict);
        CREATE TABLE outbox_dead (
            id \(dialect.rowKey),
            kind \(dialect.integer) NOT NULL,
            request \(dialect.integer) NOT NULL,
            device TEXT NOT NULL,
            reason TEXT NOT NULL,
            died_at \(dialect.integer) NOT NULL
        )\(dialect.strict);
        """
    }

    private static func auditLog(_ dialect: Dialect) -> String {
        """
        CREATE TABLE audit_log (
            id \(dialect.rowKey),
            kind TEXT NOT NULL,
            tenant TEXT NOT NULL,
            at \(dialect.integer) NOT NULL,
            "user" TEXT,
            client TEXT,
            device TEXT,
            consent TEXT,
            remote_address TEXT,
            details TEXT NOT NULL
        )\(dialect.strict);
        """
    }
}
