package import AuthorizationCore

/// Place of a request in a tenant's list: stored requests by their start, and then those whose request is deleted, by
/// their end.
package enum RequestPlace: Sendable, Equatable {
    case start
    /// `BackchannelRequest.sequence`.
    case stored(Int64)
    /// Number of the end's entry in the audit log.
    case ended(Int64)
}

/// A request with its place.
package struct PlacedRequest: Sendable {
    package let place: RequestPlace
    /// Nil for the end of a request that is in the list as a stored one.
    package let content: Content?

    package enum Content: Sendable {
        case stored(SealedRequest)
        case ended(StoredEnding)
    }

    package init(_ place: RequestPlace, _ content: Content?) {
        self.place = place
        self.content = content
    }
}

/// Everything that the store has of one request.
package struct FoundRequest: Sendable {
    package let request: SealedRequest?
    package let ending: StoredEnding?

    package init(request: SealedRequest?, ending: StoredEnding?) {
        self.request = request
        self.ending = ending
    }
}

/// Store port for reading the requests of a tenant.
package protocol RequestLog: Sendable {
    /// Requests behind a place, the newest first. Nil reads those of all users.
    func requests(
        of user: UserID?, tenant: TenantID, behind place: RequestPlace, limit: Int
    ) async throws -> [PlacedRequest]

    /// Nil if the tenant has no such request, or keeps it no longer.
    func found(_ consent: ConsentID, tenant: TenantID) async throws -> FoundRequest?

    /// Numbers and states of the newest stored requests, to see that something changed.
    func requestStates(of tenant: TenantID, limit: Int) async throws -> [RequestMark]
}

/// A stored request and its state.
package struct RequestMark: Sendable, Equatable {
    package let sequence: Int64
    package let state: Int

    package init(sequence: Int64, state: Int) {
        self.sequence = sequence
        self.state = state
    }
}
