package import Primitives

/// Requests of clients for one person, counted before one more of a client. Requests of logins are not among them.
///
/// One client alone may use up a limit. Other clients then still have their share, so that no client keeps them from the
/// person: the limit divided by the number of clients, until twice the limit is reached.
package struct StartCounts: Sendable, Equatable {
    /// Requests that count together.
    package struct Group: Sendable, Equatable {
        package let ofAll: Int
        package let ofClient: Int
        /// Clients with such requests, besides the one that asks.
        package let otherClients: Int

        package init(ofAll: Int, ofClient: Int, otherClients: Int) {
            self.ofAll = ofAll
            self.ofClient = ofClient
            self.otherClients = otherClients
        }

        /// True if the client has had its share of the limit.
        fileprivate func isUsedUp(_ limit: Int) -> Bool {
            guard ofAll >= limit else { return false }
            return ofAll - limit >= limit || ofClient >= max(1, limit / (otherClients + 1))
        }
    }

    /// Requests since `StartLimits.windowStart`.
    package let recent: Group
    /// Creation of the oldest request in `recent` of all clients, and of the client. Nil if there is none.
    package let oldest: Timestamp?
    package let oldestOfClient: Timestamp?
    /// Undecided and unexpired requests that wait briefly. Requests that wait longer than `SealedRequest.briefLife`,
    /// or on a page, count for their client alone: they could wait for days.
    package let brief: Group
    /// Undecided and unexpired requests of the client, of every channel and life.
    package let pendingOfClient: Int

    package init(
        recent: Group, oldest: Timestamp?, oldestOfClient: Timestamp?, brief: Group, pendingOfClient: Int
    ) {
        self.recent = recent
        self.oldest = oldest
        self.oldestOfClient = oldestOfClient
        self.brief = brief
        self.pendingOfClient = pendingOfClient
    }

    /// The limit that one more request would break. Nil if it may start. `isBrief` is true for a request that counts
    /// among `brief`.
    package func refusal(of isBrief: Bool, _ limits: StartLimits) -> StartOutcome? {
        if recent.ofClient >= limits.perMinute, let oldestOfClient { return .rateLimited(oldest: oldestOfClient) }
        if recent.isUsedUp(limits.perMinute), let oldest { return .rateLimited(oldest: oldest) }
        if pendingOfClient >= limits.pendingPerUser { return .tooManyPendingForUser }
        return isBrief && brief.isUsedUp(limits.pendingPerUser) ? .tooManyPendingForUser : nil
    }
}
