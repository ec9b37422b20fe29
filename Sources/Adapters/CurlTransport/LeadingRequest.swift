/// Order in which requests to one server start: one leads while no connection is proven, and the others wait for it.
///
/// A new connection may take one stream alone, as Apple's push service demands until a request succeeds. libcurl 7.88
/// sends everything that waits for a connection before it has read how many streams the server takes, and opens a
/// connection for each stream that the server then refuses.
package struct LeadingRequest<ID: Equatable> {
    private enum Connection {
        case unproven
        /// A request over it succeeded, and none has failed since.
        case proven
        /// Its protocol has no streams. Each request gets a connection of its own, so none has to lead.
        case unshared
    }

    private var connection = Connection.unproven
    private var waiting: [ID] = []
    /// Request that the others wait for.
    package private(set) var leader: ID?

    package init() {}

    /// False if requests are known to get connections of their own.
    package var sharesConnection: Bool { connection != .unshared }

    /// True if a new value would be the same.
    package var isUnused: Bool { connection == .unproven && leader == nil && waiting.isEmpty }

    package mutating func add(_ request: ID) { waiting.append(request) }

    /// Requests that start now. The first one leads over a proven connection too, until it is known that libcurl uses
    /// that connection and opens no other.
    package mutating func next() -> [ID] {
        guard leader == nil, let first = waiting.first else { return [] }
        if connection == .unshared { return release() }
        waiting.removeFirst()
        leader = first
        return [first]
    }

    /// Notes that the leader was sent over a connection that was open before. Returns the requests that start now.
    package mutating func leaderReusedConnection() -> [ID] {
        guard connection == .proven else { return [] }
        leader = nil
        return release()
    }

    /// Notes the leader's answer. Returns the requests that start now. Without a success, another one leads.
    package mutating func leaderWasAnswered(isSuccess: Bool, sharesConnection: Bool) -> [ID] {
        leader = nil
        guard sharesConnection else {
            connection = .unshared
            return release()
        }
        connection = isSuccess ? .proven : .unproven
        return isSuccess ? release() : []
    }

    /// Notes that a request failed, perhaps with its connection.
    package mutating func failed(_ request: ID) {
        connection = .unproven
        if leader == request { leader = nil }
    }

    /// Forgets a request that ended or was cancelled. A leader's connection stays unproven then.
    package mutating func removed(_ request: ID) {
        if leader == request {
            leader = nil
            connection = .unproven
        } else if let index = waiting.firstIndex(of: request) {
            waiting.remove(at: index)
        }
    }

    private mutating func release() -> [ID] {
        defer { waiting = [] }
        return waiting
    }
}
