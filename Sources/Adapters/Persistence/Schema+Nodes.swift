extension Schema {
    /// Nodes that share the store.
    static let nodes = """
        -- Work that one node does for all. Written and renewed by that node. Never deleted.
        CREATE TABLE work_lease (
            -- SharedWork.
            work TEXT NOT NULL PRIMARY KEY,
            -- Name of the node.
            owner TEXT NOT NULL,
            leased_until INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
}
