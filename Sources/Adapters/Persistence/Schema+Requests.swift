extension Schema {
    /// Backchannel requests (CIBA Core 7), and decisions.
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
            audience TEXT NOT NULL,
            -- guardian-push, email or page.
            channel TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            -- Seconds between two polls (CIBA Core 7.3).
            poll_interval INTEGER NOT NULL,
            wants_receipt INTEGER NOT NULL,
            -- SHA-256 of the id of the login that asks for a second factor. Null for a client. Neither can redeem the
            -- other's request.
            login BLOB,
            -- The RequestRecord: everything that is asked. Bound to all columns above but `sequence`.
            sealed_record BLOB NOT NULL,
            -- 0 pending, 1 approved, 2 denied, 3 redeemed, 4 expired, 5 undelivered, 6 superseded
            -- (BackchannelRequest.State).
            state INTEGER NOT NULL,
            -- Device that decided. Null before, and if a session decided or the client withdrew the request.
            decided_by TEXT,
            -- Session in which the person decided on the approval page. Null before, and if a device decided.
            decided_in TEXT,
            -- The decision (BackchannelRequest.Outcome). Null before, and after the redemption.
            sealed_outcome BLOB,
            -- MAC of the client's Idempotency-Key, until the request has expired and the key is used again. Null without.
            idempotency_key BLOB,
            -- MAC over the parameters that came with the key.
            body_digest BLOB,
            -- SHA-256 of the cookie of the browser whose login asks: a newer login there supersedes the request. Null for
            -- a client.
            browser BLOB
        ) STRICT;
        CREATE UNIQUE INDEX backchannel_request_by_key ON backchannel_request (idempotency_key)
            WHERE idempotency_key IS NOT NULL;
        CREATE UNIQUE INDEX backchannel_request_by_hash ON backchannel_request (hash);
        -- The list of administrators, the newest first.
        CREATE INDEX backchannel_request_by_tenant ON backchannel_request (tenant, sequence);
        -- Holds all columns that a user's limits need.
        CREATE INDEX backchannel_request_by_user ON backchannel_request ("user", tenant, created_at, state, expires_at);

        -- A decision with its evidence, for receipts. Written by the decision. Deleted with the user, and by the sweep
        -- after `kept_until`.
        CREATE TABLE approval (
            sequence INTEGER PRIMARY KEY,
            -- Consent id.
            id TEXT NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- End of the tenant's `approval_retention` as it was at the decision, and not before the request's end.
            kept_until INTEGER NOT NULL,
            -- Number of the decision's entry of the audit log, its place and its hash, because entries are archived. Negative
            -- for an entry in the log of another installation, from which the tenant came.
            audit_entry INTEGER NOT NULL,
            audit_lane INTEGER NOT NULL,
            audit_place INTEGER NOT NULL,
            audit_hash BLOB NOT NULL,
            -- ApprovalEvidence.
            sealed_evidence BLOB NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX approval_by_user ON approval (tenant, "user", audit_entry);
        CREATE INDEX approval_by_tenant ON approval (tenant, audit_entry);
        CREATE INDEX approval_by_end ON approval (kept_until);

        -- A client's request that ended without an answer, for its person's history. Written by the sweep when a request
        -- has expired, and when the client withdraws it. Deleted with the user, and by the sweep after `kept_until`.
        CREATE TABLE unanswered_request (
            sequence INTEGER PRIMARY KEY,
            -- Consent id.
            id TEXT NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- expired or withdrawn.
            ending TEXT NOT NULL,
            ended_at INTEGER NOT NULL,
            kept_until INTEGER NOT NULL,
            -- The end's entry of the audit log, and its hash, because entries are archived. Negative as in approval.
            audit_entry INTEGER NOT NULL,
            audit_hash BLOB NOT NULL,
            -- The sealing context of the record: the columns of the request to which it is bound.
            record_context TEXT NOT NULL,
            -- The RequestRecord, as it was sealed at the start.
            sealed_record BLOB NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX unanswered_request_by_user ON unanswered_request (tenant, "user", audit_entry);
        CREATE INDEX unanswered_request_by_tenant ON unanswered_request (tenant, audit_entry);

        -- A person's rejections of a client's requests since the last allow, and the pause that follows. Written and
        -- deleted by decisions. Deleted with the user, and by the sweep once it is forgotten.
        CREATE TABLE rejection_pause (
            sequence INTEGER PRIMARY KEY,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            client TEXT NOT NULL,
            rejections INTEGER NOT NULL,
            -- Rejections of requests that the person did not ask for.
            reports INTEGER NOT NULL,
            -- Until then the client asks the person nothing.
            paused_until INTEGER NOT NULL,
            forgotten_at INTEGER NOT NULL,
            UNIQUE (tenant, "user", client),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        """
}
