extension Schema {
    /// Queue of all outgoing messages (docs/decisions/0004). Written with the change that each reports.
    static let delivery = """
        -- An entry. Written by flows, leased and settled by DeliveryWorker. Deleted after delivery. The sweep deletes a
        -- dead letter after 30 days. Keys are never reused: a worker that delivered one entry must not delete another.
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- notifications, web_pushes, mail or logout_notices (DeliveryQueue).
            queue TEXT NOT NULL,
            -- Key of the limits in flight: a device or a client. Empty for mail.
            recipient TEXT NOT NULL,
            -- Facts for the message, in the queue's own form (DeviceNotice, LogoutNotice). Holds no secret.
            payload TEXT NOT NULL,
            -- The message, if it holds a secret. Empty otherwise, and in a dead letter.
            sealed BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            -- Earliest next try. In a dead letter, the time of its death.
            due_at INTEGER NOT NULL,
            -- End of the message's use.
            expires_at INTEGER NOT NULL,
            -- Failed tries.
            attempts INTEGER NOT NULL,
            -- Node that leased the entry, and the end of the lease. Null without a lease.
            lease_owner TEXT,
            leased_until INTEGER,
            -- 0 waiting, 1 dead letter (DeliverySQL).
            state INTEGER NOT NULL,
            -- Reason of the last failure. Null before the first.
            problem TEXT
        ) STRICT;
        -- Waiting entries of a queue in the order of their tries. Other queues and dead letters are not read.
        CREATE INDEX delivery_waiting ON delivery (queue, due_at) WHERE state = 0;
        -- Dead letters, to be counted.
        CREATE INDEX delivery_dead ON delivery (queue) WHERE state = 1;
        """
}
