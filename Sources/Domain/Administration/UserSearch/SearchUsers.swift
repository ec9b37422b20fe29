package import AuthorizationCore
package import SearchQuery

/// Finds a tenant's users (Auth0 Management API v2: `GET /api/v2/users`).
package struct SearchUsers: Sendable {
    /// An unparsed request.
    package struct Request: Sendable {
        package enum Part: Sendable {
            /// `page` from 0 and `per_page`.
            case page(Int, size: Int)
            /// `from`, or nil for the start, and `take`.
            case following(String?, count: Int)
        }

        /// `q`. Nil means all.
        package var query: String?
        package var sort: String?
        package var part: Part
        /// `include_totals`
        package var countsTotal: Bool

        package init(query: String?, sort: String? = nil, part: Part = .page(0, size: 50), countsTotal: Bool = false) {
            self.query = query
            self.sort = sort
            self.part = part
            self.countsTotal = countsTotal
        }
    }

    package enum Failure: Error, Sendable, Equatable {
        case query(QuerySyntaxError)
        case sort(UserSortProblem)
        /// Invalid, or of another order.
        case cursor
        /// Outside `0...sizeLimit` (with `take`, `1...sizeLimit`), or a negative page.
        case part
    }

    /// Maximum users in an answer.
    package static let sizeLimit = 100

    private let store: any UserSearchStore
    private let limit: Duration

    package init(store: any UserSearchStore, limit: Duration = .seconds(2)) {
        self.store = store
        self.limit = limit
    }

    /// - Throws: `Failure`, or the store's error: a transient error if the search takes too long.
    package func search(_ request: Request, tenant: TenantID) async throws -> UserSearchResult {
        try await store.search(try read(request), tenant: tenant, within: limit)
    }

    private func read(_ request: Request) throws(Failure) -> UserSearch {
        var search = UserSearch(countsTotal: request.countsTotal)
        do throws(QuerySyntaxError) {
            if let query = request.query { search.query = try UserQuery(parsing: query) }
        } catch {
            throw .query(error)
        }
        do throws(UserSortProblem) {
            search.sort = if let sort = request.sort { try UserSort(parsing: sort) } else { nil }
        } catch {
            throw .sort(error)
        }
        switch request.part {
        case .page(let page, let size):
            let (first, overflows) = page.multipliedReportingOverflow(by: size)
            guard page >= 0, (0...Self.sizeLimit).contains(size), !overflows else { throw .part }
            search.part = .page(first: first, count: size)
        case .following(let opaque, let count):
            guard (1...Self.sizeLimit).contains(count) else { throw .part }
            var cursor: UserSearchCursor?
            if let opaque {
                guard let read = UserSearchCursor(opaque: opaque), read.sort == search.sort else { throw .cursor }
                cursor = read
            }
            search.part = .following(cursor, count: count)
        }
        return search
    }
}

extension Managers {
    package var userSearch: SearchUsers { SearchUsers(store: store) }
}
