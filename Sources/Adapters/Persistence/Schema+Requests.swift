import SQL

extension Schema {
    /// The index held all that a poll reads, which was worth it while polls read it. Now most are answered from memory
    /// (docs/decisions/0008), and a decision need not alter what it does not find a request by.
    static func requestsByHash(_ dialect: Dialect) -> String {
        """
        DROP INDEX backchannel_request_by_hash;
        -- Its prefix is the consent id.
        CREATE UNIQUE INDEX backchannel_request_by_hash ON backchannel_request (hash);
        """
    }
}
