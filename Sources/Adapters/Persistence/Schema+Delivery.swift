extension Schema {
    /// Queue of all outgoing messages (docs/decisions/0004). Written with the change that each reports.
    static let delivery = """
        -- An entry. Written by flows, leased and settled by DeliveryWorker. Deleted after delivery, unless it tells of a
        -- request or is a mail: then it stays as long as a request does, to be read. The sweep deletes entries that failed
        -- after 30 days. Keys are never reused: a worker that delivered one entry must not delete another.
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- DeliveryQueue: notifications, web_pushes, apns, fcm, mail or logout_notices.
            queue TEXT NOT NULL,
            -- Key of the limits in flight: a device, a client, or the user of an approval mail. Empty for other mails.
            recipient TEXT NOT NULL,
            -- Lanes of a queue take turns: the tenant's, or a client's.
            lane TEXT NOT NULL GENERATED ALWAYS AS
                (CASE queue WHEN 'logout_notices' THEN tenant || ' ' || recipient ELSE tenant END) VIRTUAL,
            -- Sequence of the backchannel_request that the entry tells of. Null for every other message.
            request INTEGER,
            -- Facts for the message, in the queue's own form (DeviceNotice, LogoutNotice). Holds no secret.
            payload TEXT NOT NULL,
            -- The message, if it holds a secret. Empty otherwise, and once the entry does not wait.
            sealed BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            -- Earliest next try. Once the entry does not wait, the time of its end.
            due_at INTEGER NOT NULL,
            -- End of the message's use.
            expires_at INTEGER NOT NULL,
            -- Failed tries.
            attempts INTEGER NOT NULL,
            -- Node that leased the entry, and the end of the lease. Null without a lease.
            lease_owner TEXT,
            leased_until INTEGER,
            -- 0 waiting, 1 dead letter, 2 sent, 3 undeliverable, 4 skipped for want of credentials (DeliveryRecord.State).
            state INTEGER NOT NULL,
            -- Reason of the last failure. Null before the first.
            problem TEXT,
            -- The person, of a mail to a known user or of the request of an entry that failed. Null for others.
            "user" TEXT,
            -- Hash and client of the request of an entry that failed, which outlives the request. Null for others.
            request_hash BLOB,
            request_client TEXT,
            -- traceparent of the work that wrote the entry (TraceContext). Null if that is not recorded.
            trace TEXT
        ) STRICT;
        -- Waiting entries of a queue, lane by lane, in the order of their tries. No other entries are read.
        CREATE INDEX delivery_waiting ON delivery (queue, lane, due_at) WHERE state = 0;
        -- Dead letters, to be counted.
        CREATE INDEX delivery_dead ON delivery (queue) WHERE state = 1;
        CREATE INDEX delivery_by_request ON delivery (request) WHERE request IS NOT NULL;
        -- Failures of a tenant, which its administrators list.
        CREATE INDEX delivery_failed ON delivery (tenant, id) WHERE state IN (1, 3, 4);
        CREATE INDEX delivery_by_user ON delivery (tenant, "user") WHERE "user" IS NOT NULL;
        CREATE INDEX delivery_by_failed_request ON delivery (request_hash) WHERE request_hash IS NOT NULL;
        """

    /// SQLite decides `IN (1, 3, 4)` by a temporary table for each entry that is written or deleted, and two comparisons
    /// without one.
    static let comparedFailures = """
        DROP INDEX delivery_failed;
        -- Failures of a tenant, which its administrators list.
        CREATE INDEX delivery_failed ON delivery (tenant, id) WHERE state > 0 AND state <> 2;
        """
}
