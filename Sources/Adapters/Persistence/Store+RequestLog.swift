package import AuthorizationCore
package import Flows
import SQL

extension Store: RequestLog {
    private static let requestsOfTenant = StaticStatement(
        "SELECT", SealedRequest.columns,
        "FROM backchannel_request WHERE sequence < $2 AND tenant = $1 ORDER BY sequence DESC LIMIT $3")
    private static let requestsOfUser = StaticStatement(
        "SELECT", SealedRequest.columns,
        #"FROM backchannel_request WHERE "user" = $4 AND"#, RequestSQL.tenantBesideIndex,
        "= $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3"
    )
    private static let states = StaticStatement(
        "SELECT sequence, state FROM backchannel_request WHERE sequence < $2 AND tenant = $1",
        "ORDER BY sequence DESC LIMIT $3")
    private static let approvalsOfTenant = StaticStatement(
        approvalColumns, "WHERE approval.tenant = $1 AND audit_entry < $2 ORDER BY audit_entry DESC LIMIT $3")
    private static let unansweredOfTenant = StaticStatement(
        unansweredColumns,
        "WHERE unanswered_request.tenant = $1 AND audit_entry < $2 ORDER BY audit_entry DESC LIMIT $3")
    private static let unanswered = StaticStatement(
        unansweredColumns, "WHERE unanswered_request.id = $1 AND unanswered_request.tenant = $2")
    private static let isStored = StaticStatement(
        "SELECT 1 FROM backchannel_request WHERE hash >= $1 AND hash <= $2 AND", RequestSQL.tenantBesideIndex, "= $3")

    package func requests(
        of user: UserID?, tenant: TenantID, behind place: RequestPlace, limit: Int
    ) async throws -> [PlacedRequest] {
        try await database.read { connection in
            var found: [PlacedRequest] = []
            var number = Int64.max
            switch place {
            case .ended(let last): number = last
            case .start: found = try Self.stored(user, tenant, .max, limit, connection)
            case .stored(let last): found = try Self.stored(user, tenant, last, limit, connection)
            }
            let rest = limit - found.count
            guard rest > 0 else { return found }
            for ending in try Self.endings(user, tenant, number, rest, connection) {
                let consent = ending.consent
                let isStored =
                    try Self.bounds(consent).map {
                        try connection.exists(Self.isStored($0.low, $0.high, tenant))
                    } ?? false
                found.append(PlacedRequest(.ended(ending.number), isStored ? nil : .ended(ending)))
            }
            return found
        }
    }

    private static func stored(
        _ user: UserID?, _ tenant: TenantID, _ last: Int64, _ limit: Int, _ connection: any Connection
    ) throws -> [PlacedRequest] {
        let statement = user.map { requestsOfUser(tenant, last, limit, $0) } ?? requestsOfTenant(tenant, last, limit)
        return try connection.query(statement) { row in
            let request = try SealedRequest(row)
            return PlacedRequest(.stored(request.sequence), .stored(request))
        }
    }

    private static func endings(
        _ user: UserID?, _ tenant: TenantID, _ number: Int64, _ limit: Int, _ connection: any Connection
    ) throws -> [StoredEnding] {
        let approvals =
            user.map { approvalsOfUser(tenant, $0, number, limit) } ?? approvalsOfTenant(tenant, number, limit)
        let others =
            user.map { unansweredOfUser(tenant, $0, number, limit) } ?? unansweredOfTenant(tenant, number, limit)
        let endings =
            try connection.query(approvals) { StoredEnding.decided(try stored($0, of: tenant)) }
            + connection.query(others) { StoredEnding.unanswered(try UnansweredRequest($0)) }
        return Array(endings.sorted { $0.number > $1.number }.prefix(limit))
    }

    package func found(_ consent: ConsentID, tenant: TenantID) async throws -> FoundRequest? {
        let request = try await request(of: consent, tenant: tenant)
        var ending = try await approval(consent, tenant: tenant).map { StoredEnding.decided($0.approval) }
        if ending == nil {
            ending = try await database.first(Self.unanswered(consent, tenant)) {
                StoredEnding.unanswered(try UnansweredRequest($0))
            }
        }
        guard request != nil || ending != nil else { return nil }
        return FoundRequest(request: request, ending: ending)
    }

    package func requestStates(of tenant: TenantID, limit: Int) async throws -> [RequestMark] {
        try await database.query(Self.states(tenant, Int64.max, limit)) { row in
            RequestMark(sequence: try row.int64(0), state: try row.int(1))
        }
    }
}

extension StoredEnding {
    fileprivate var consent: ConsentID {
        switch self {
        case .decided(let approval): approval.consent
        case .unanswered(let request): request.consent
        }
    }
}
