extension Schema {
    /// Backchannel requests (CIBA Core 7).
    static let requests = """
        -- A request for a user's approval. Written by a client's start and by a login that asks for a second factor.
        -- Changed once by the decision and once by the redemption. Deleted by the sweep.
        CREATE TABLE backchannel_request (
            -- Never reused: device channels resume by it.
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            -- SHA-256 of the auth_req_id. Its first bytes are the consent id (docs/decisions/0007).
            hash BLOB NOT NULL,
            tenant TEXT NOT NULL,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- Scopes, joined by blanks.
            scope TEXT NOT NULL,
            audience TEXT NOT NULL,
            binding_message TEXT NOT NULL,
            -- JSON (RFC 9396). Null without details.
            authorization_details TEXT,
            -- guardian-push or email.
            channel TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            -- Seconds between two polls (CIBA Core 7.3).
            poll_interval INTEGER NOT NULL,
            -- 0 pending, 1 approved, 2 denied, 3 redeemed, 4 expired (BackchannelRequest.State).
            state INTEGER NOT NULL,
            decided_at INTEGER,
            -- Device that decided. Null before, and if the client withdrew the request.
            decided_by TEXT,
            -- The user's own words, for the client.
            rejection_reason TEXT,
            -- SHA-256 of the id of the login that asks for a second factor. Null for a client. Neither can redeem the
            -- other's request.
            login BLOB,
            -- MAC of the client's Idempotency-Key, until the request has expired and the key is used again. Null without.
            idempotency_key BLOB,
            -- SHA-256 of the parameters that came with the key.
            body_digest BLOB
        ) STRICT;
        CREATE UNIQUE INDEX backchannel_request_by_key ON backchannel_request (idempotency_key)
            WHERE idempotency_key IS NOT NULL;
        CREATE UNIQUE INDEX backchannel_request_by_hash ON backchannel_request (hash);
        -- Holds all columns that a user's limits need.
        CREATE INDEX backchannel_request_by_user ON backchannel_request ("user", tenant, created_at, state, expires_at);
        """
}
