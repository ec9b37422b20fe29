import AuthorizationCore
import Flows
import Primitives
import SQL

/// Pauses of clients whose requests a user rejected. Read and written in the transactions of starts and decisions.
extension Store {
    /// Makes or changes the row, so that rejections at once follow each other.
    private static let history = StaticStatement(
        """
        INSERT INTO rejection_pause (tenant, "user", client, rejections, reports, paused_until, forgotten_at)
        VALUES ($1, $2, $3, 0, 0, 0, 0)
        ON CONFLICT (tenant, "user", client) DO UPDATE SET reports = rejection_pause.reports
        RETURNING rejections, reports, paused_until, forgotten_at
        """)
    private static let forget = StaticStatement(
        #"DELETE FROM rejection_pause WHERE tenant = $1 AND "user" = $2 AND client = $3 AND forgotten_at < $4"#)
    private static let keep = StaticStatement(
        """
        INSERT INTO rejection_pause (tenant, "user", client, rejections, reports, paused_until, forgotten_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (tenant, "user", client) DO UPDATE SET rejections = excluded.rejections,
            reports = excluded.reports, paused_until = excluded.paused_until, forgotten_at = excluded.forgotten_at
        """)

    func change(_ resolution: Resolution, of user: UserID, _ connection: any Connection) throws {
        let (tenant, client) = (resolution.tenant, resolution.client)
        switch resolution.pause {
        case .none: return
        case .failedLogin(let failed):
            let counts = try Self.count(
                failed.limits, tenant: tenant, now: resolution.now, windowStart: failed.windowStart, connection)
            // The last count is of the account from everywhere, which is not reached if an address is over its limit.
            if let notice = failed.notice, counts.count == failed.limits.count,
                counts.last.map({ $0 <= FailedLogin.mailLimit }) == true
            {
                try insert(notice, connection)
            }
        case .forgotten(let requestedAt):
            // The last rejection was `memory` before.
            try connection.execute(Self.forget(tenant, user, client, requestedAt + PauseRules.memory))
        case .counted(let isReport, let rules):
            let earlier =
                try connection.first(Self.history(tenant, user, client)) { row in
                    let rejections = try row.int(0)
                    return rejections == 0
                        ? nil
                        : RejectionHistory(
                            rejections: rejections, reports: try row.int(1), pausedUntil: try row.timestamp(2),
                            forgottenAt: try row.timestamp(3))
                } ?? nil
            let next = rules.history(after: earlier, isReport: isReport, now: resolution.now)
            try connection.execute(
                Self.keep(tenant, user, client, next.rejections, next.reports, next.pausedUntil, next.forgottenAt))
        }
    }
}
