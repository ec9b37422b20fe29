extension Schema {
    /// The queue of everything that leaves the server (docs/decisions/0004): written by the change that it tells of.
    static let delivery = """
        -- An entry. Written by flows, taken and settled by DeliveryWorker. Deleted when it was delivered; a dead letter
        -- is deleted by the sweep 30 days after it died. Keys are never used twice: a worker that delivered one entry
        -- must not remove another.
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- notifications, mail or logout_notices (DeliveryQueue).
            queue TEXT NOT NULL,
            -- The key that limits in flight count by: a device or a client. Empty for mail.
            recipient TEXT NOT NULL,
            -- Facts of which the message is made, in the queue's own form (DeviceNotice, LogoutNotice). Holds no secret.
            payload TEXT NOT NULL,
            -- The message, if it holds a secret. Empty otherwise, and in a dead letter.
            sealed BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            -- The next try, not before. In a dead letter, when it died.
            due_at INTEGER NOT NULL,
            -- The message is of no use afterwards.
            expires_at INTEGER NOT NULL,
            -- Tries that failed.
            attempts INTEGER NOT NULL,
            -- The node that has the entry in hand, and until when no other may take it. Null if none has.
            lease_owner TEXT,
            leased_until INTEGER,
            -- 0 waiting, 1 dead letter (DeliveryState).
            state INTEGER NOT NULL,
            -- Why the last try failed. Null before the first failure.
            problem TEXT
        ) STRICT;
        -- A queue's waiting entries in the order in which they are tried: those of one queue do not stand before those of
        -- another, and dead letters before none.
        CREATE INDEX delivery_waiting ON delivery (queue, due_at) WHERE state = 0;
        """
}
