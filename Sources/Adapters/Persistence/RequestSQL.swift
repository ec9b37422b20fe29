/// Conditions on `backchannel_request` that several statements share. States are constants and not parameters, so that
/// the planner sees them. Their numbers are those of `BackchannelRequest.State`.
enum RequestSQL {
    static let isPending: StaticString = "state = 0"
    static let isApproved: StaticString = "state = 1"
    static let becomesDenied: StaticString = "state = 2"
    static let becomesRedeemed: StaticString = "state = 3"
    static let becomesUndelivered: StaticString = "state = 5"
    static let becomesSuperseded: StaticString = "state = 6"
    /// The column in a statement that finds requests by their hash or person. As a calculated value it fits no index: otherwise
    /// planners would read all requests of the tenant, for an equal value or for the order.
    static let tenantBesideIndex: StaticString = "tenant || ''"
    /// Request of a client. A login's request has the hash of its transaction in `login`.
    static let isOfClient: StaticString = "login IS NULL"
    /// Request that goes to phones and waits briefly, as `SealedRequest.isBrief` has it.
    static let isBrief: StaticString = "channel = 'guardian-push' AND expires_at - created_at <= 300000"
    /// Takes a parameter: null for a client's request, the transaction's hash for a login's.
    static let isOfLogin: StaticString = "login IS NOT DISTINCT FROM"
}
