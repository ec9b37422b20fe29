extension Schema {
    /// Users and their rows. Deleting a user deletes all of them.
    static let accounts = """
        -- A user. Written by sign-up, logins, `apply`, the commands and the Management API. Every request reads it, so
        -- it is small: search-only columns are in user_profile.
        CREATE TABLE "user" (
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            id TEXT NOT NULL,
            -- Connection that the user was created in.
            connection TEXT NOT NULL DEFAULT 'Username-Password-Authentication',
            username TEXT,
            email TEXT,
            email_verified INTEGER NOT NULL,
            -- Time at which the address became verified, or was verified again. Null while it is not.
            email_verified_at INTEGER,
            -- Time and status (RFC 3463) of a mail server's refusal of the address. Null without one.
            email_bounced_at INTEGER,
            email_bounce TEXT,
            name TEXT,
            given_name TEXT,
            family_name TEXT,
            nickname TEXT,
            picture TEXT,
            phone_number TEXT,
            phone_verified INTEGER NOT NULL DEFAULT 0,
            language TEXT,
            blocked INTEGER NOT NULL,
            -- Role ids, joined by blanks. user_role has them by role.
            roles TEXT NOT NULL,
            -- JSON list of [API, scope]. Empty without permissions.
            permissions TEXT NOT NULL DEFAULT '',
            -- Argon2id. Null without a password.
            password_hash TEXT,
            -- Hash that `apply` set last. If the file is applied again, the user's own change must stay.
            applied_password_hash TEXT,
            -- Number of times that the user's access was ended. Proof from before the last is void.
            access_endings INTEGER NOT NULL DEFAULT 0,
            -- Time at which a factor was last removed, such as a lost phone. Second factors given before count no more.
            -- Null if none was.
            factor_removed_at INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, id)
        ) STRICT, WITHOUT ROWID;
        -- Addresses from other providers are not unique: two of a provider's users may share one, and both log in.
        CREATE UNIQUE INDEX user_by_email ON "user" (tenant, email)
            WHERE connection = 'Username-Password-Authentication' AND email IS NOT NULL;
        CREATE UNIQUE INDEX user_by_username ON "user" (tenant, connection, username) WHERE username IS NOT NULL;

        -- Users by role. Written with the user.
        CREATE TABLE user_role (
            tenant TEXT NOT NULL,
            role TEXT NOT NULL,
            "user" TEXT NOT NULL,
            PRIMARY KEY (tenant, role, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX user_role_by_user ON user_role (tenant, "user");

        -- An account at another provider that logs the user in. Written by its first login and by an operator who links
        -- accounts. Deleted by unlinking and when an unconfirmed address is confirmed.
        CREATE TABLE identity (
            tenant TEXT NOT NULL,
            provider TEXT NOT NULL,
            provider_id TEXT NOT NULL,
            "user" TEXT NOT NULL,
            PRIMARY KEY (tenant, provider, provider_id),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX identity_by_user ON identity (tenant, "user");
        CREATE INDEX identity_by_provider_id ON identity (tenant, provider_id);

        -- A phone that answers requests. Written by enrolment. Deleted by the phone, the user or an operator.
        CREATE TABLE device (
            id TEXT NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- Chosen by the app. Enrolling it again replaces the row.
            identifier TEXT NOT NULL,
            name TEXT NOT NULL,
            -- JSON Web Key that the phone signs with.
            public_key TEXT NOT NULL,
            -- APNS, GCM or WEBPUSH, with the phone's token. Both are null if the phone has only the device channel, and the
            -- token alone if the service no longer knows it.
            push_service TEXT,
            push_token TEXT,
            -- Time at which the phone last sent them. A push service may find a token invalid before that.
            push_registered_at INTEGER NOT NULL,
            -- Time and reason of the service's refusal. Null without one.
            push_ended_at INTEGER,
            push_problem TEXT,
            token_hash BLOB NOT NULL,
            enrolled_at INTEGER NOT NULL,
            -- 1 if a login showed the ticket. That proves less than an operator's ticket.
            enrolled_at_login INTEGER NOT NULL DEFAULT 1,
            -- Bits of the phone's capabilities (DeviceCapability).
            capabilities INTEGER NOT NULL DEFAULT 0,
            -- Hash of the secret with which the phone says once that its key is gone. Null after that.
            farewell_hash BLOB,
            -- Time at which the phone said so. Null while it has its key, and again once it proved the key.
            key_lost_at INTEGER,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX device_by_user ON device (tenant, "user", identifier);
        -- Phones of push services, which each start and withdrawal looks for, those with ended credentials included.
        CREATE INDEX device_by_push_service ON device (id, push_service) WHERE push_service IS NOT NULL;
        -- Holds all columns that a start needs: a device's row lies on a page of its own for most users.
        CREATE INDEX device_of_approver ON device (tenant, "user", capabilities, key_lost_at);

        -- A passkey of a user. Written by a phone and by the account page. Deleted by the account page, an operator, and
        -- with the phone that made it.
        CREATE TABLE passkey (
            tenant TEXT NOT NULL,
            -- Chosen by the authenticator.
            id BLOB NOT NULL,
            "user" TEXT NOT NULL,
            -- Random name of the user for authenticators, the same in all passkeys of the user.
            handle BLOB NOT NULL,
            -- JSON Web Key.
            public_key TEXT NOT NULL,
            -- Host that the authenticator bound it to.
            host TEXT NOT NULL,
            -- Signatures that the authenticator counted. 0 if it counts none.
            sign_count INTEGER NOT NULL,
            -- Phone that made it. Null for the account page.
            device TEXT REFERENCES device (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            -- 1 if it logs the user in.
            logs_in INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX passkey_by_user ON passkey (tenant, "user");
        CREATE INDEX passkey_by_device ON passkey (device) WHERE device IS NOT NULL;

        -- Secret of a phone's one-time passwords (RFC 6238). Written and deleted with the phone.
        CREATE TABLE one_time_password (
            device TEXT NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
            tenant TEXT NOT NULL,
            sealed_secret BLOB NOT NULL,
            -- Last used 30-second step, so that no code is used twice. -1 before the first.
            last_step INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- A recovery code, which takes the place of a second factor once. Written by the person, all at once in place of
        -- the earlier ones. Deleted by its use, and with the user's last phone by an operator.
        CREATE TABLE recovery_code (
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            hash BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            PRIMARY KEY (tenant, "user", hash),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        -- Preferences of a user for all of their phones. Written by a phone. A user without a row has none.
        CREATE TABLE phone_preference (
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- Quiet hours, in minutes since midnight of each phone's time zone.
            quiet_from INTEGER NOT NULL,
            quiet_to INTEGER NOT NULL,
            PRIMARY KEY (tenant, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        -- An app's key that an operator registered for a user (Management API, device credentials). Only that API reads
        -- it.
        CREATE TABLE device_credential (
            tenant TEXT NOT NULL,
            id TEXT NOT NULL,
            "user" TEXT NOT NULL,
            client TEXT,
            device_id TEXT NOT NULL,
            device_name TEXT NOT NULL,
            value TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX device_credential_by_user ON device_credential (tenant, "user", device_id);

        -- A ticket that enrols one phone. Stays after its use, so that the page that showed it can say so on every node.
        -- Deleted by the sweep after expiry.
        CREATE TABLE enrollment_ticket (
            hash BLOB NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            -- The user's access_endings at the login that showed the ticket. Null for an operator's ticket.
            access_endings INTEGER,
            -- 1 if it enrols a first phone and no other.
            first_only INTEGER NOT NULL DEFAULT 0,
            -- Phone of the same user that asked for the ticket. Removing that phone ends the ticket. Null for others.
            asked_by TEXT,
            -- Short code that stands for the ticket: its first characters, which are its place, a MAC of the whole, its
            -- end, and the tries that were spent on it. Null without one. A later code replaces it.
            code_place TEXT,
            code_hash BLOB,
            code_expires_at INTEGER,
            code_tries INTEGER NOT NULL DEFAULT 0,
            -- Id of the device that used the ticket. Null for an unused one. Removing the device does not reset it.
            used_by TEXT,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        -- A place has one code, so that each guess is counted against the code that it may hit.
        CREATE UNIQUE INDEX enrollment_ticket_by_code ON enrollment_ticket (tenant, code_place)
            WHERE code_place IS NOT NULL;
        CREATE INDEX enrollment_ticket_by_user ON enrollment_ticket (tenant, "user");

        -- A link that sets a new password. A later one for the same user replaces it. Deleted by its use and, after
        -- expiry, by the sweep.
        CREATE TABLE password_ticket (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- The user's address at creation. The ticket is void once the address changes.
            email TEXT,
            -- 1 if the ticket went only to that address. Its use then confirms the address.
            proves_email INTEGER NOT NULL DEFAULT 1,
            result_url TEXT,
            -- Client of the login from which the user asked for the ticket.
            client TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            UNIQUE (tenant, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;

        -- A link that confirms an address. A later one for the same user replaces it. Deleted by its use and, after
        -- expiry, by the sweep.
        CREATE TABLE email_ticket (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- Address to confirm. The ticket is void once the user's address changes.
            email TEXT NOT NULL,
            result_url TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            UNIQUE (tenant, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;

        -- Failed passwords or codes of an account, of an account from one network, or of a network
        -- (docs/decisions/0017). Written by each failure. Deleted by success, an operator and the sweep.
        CREATE TABLE password_failure (
            sequence INTEGER PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- SHA-256 of the subject.
            key BLOB NOT NULL,
            count INTEGER NOT NULL,
            began_at INTEGER NOT NULL,
            forgotten_at INTEGER NOT NULL,
            -- Key of the account's total count, and the peer's address. Null in the total count.
            account BLOB,
            address TEXT,
            UNIQUE (tenant, key)
        ) STRICT;
        CREATE INDEX password_failure_by_account ON password_failure (tenant, account) WHERE account IS NOT NULL;
        """

    /// Authenticator apps, which are no phones.
    static let authenticators = """
        -- Secret of an authenticator app (RFC 6238) that came from another server or an administrator. Written by an import,
        -- the Management API, and by logins and links that move people from an old server. Deleted by the account page, an
        -- operator, and a new password that proves the address.
        CREATE TABLE authenticator (
            tenant TEXT NOT NULL,
            id TEXT NOT NULL,
            "user" TEXT NOT NULL,
            name TEXT,
            -- The secret with algorithm, digits and period.
            sealed_secret BLOB NOT NULL,
            -- Last used step of its period, so that no code is used twice. -1 before the first.
            last_step INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            -- 1 if an administrator gave it to this user. 0: it goes when a link proves an address that was not verified.
            of_administrator INTEGER NOT NULL,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX authenticator_by_user ON authenticator (tenant, "user");
        """
}
