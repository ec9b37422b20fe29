package import AuthorizationCore
package import Primitives

/// Effect of a decision on the client's later requests to the same person. The store applies it in the transaction of
/// the decision.
package enum PauseChange: Sendable {
    /// The request is of a login, which no client's pause delays.
    case none
    /// A wrong number or a report answered the request of a login.
    case failedLogin(FailedLogin)
    /// An allow of a request that was started at `requestedAt` ends every pause and history that is older. A request
    /// that was waiting beside the rejected one must not undo the rejection.
    case forgotten(requestedAt: Timestamp)
    case counted(isReport: Bool, PauseRules)
}

/// Rejections of one client's requests by one person, since the last allow.
package struct RejectionHistory: Sendable, Equatable {
    package var rejections: Int
    /// Rejections of requests that the person did not ask for, which `rejections` includes.
    package var reports: Int
    package var pausedUntil: Timestamp
    /// Time from which the history counts no more.
    package var forgottenAt: Timestamp

    package init(rejections: Int, reports: Int, pausedUntil: Timestamp, forgottenAt: Timestamp) {
        self.rejections = rejections
        self.reports = reports
        self.pausedUntil = pausedUntil
        self.forgottenAt = forgottenAt
    }
}

/// Growing pauses after rejections, against a client that asks until the person gives in.
package struct PauseRules: Sendable, Equatable {
    package static let longestRejectionPause = Duration.seconds(3600)
    package static let longestReportPause = Duration.seconds(86_400)
    /// Time after the last rejection for which the history counts. No pause is longer.
    package static let memory = Duration.seconds(86_400)

    private let rejectionsBeforePause: Int
    private let rejectionPause: Duration
    private let reportPause: Duration

    package init(_ settings: TenantSettings) {
        rejectionsBeforePause = settings.rejectionsBeforePause
        rejectionPause = .seconds(settings.rejectionPause)
        reportPause = .seconds(settings.reportPause)
    }

    /// The history after one more rejection. A pause that runs already is not shortened.
    package func history(after earlier: RejectionHistory?, isReport: Bool, now: Timestamp) -> RejectionHistory {
        let known = earlier.flatMap { $0.forgottenAt > now ? $0 : nil }
        let rejections = (known?.rejections ?? 0) + 1
        let reports = (known?.reports ?? 0) + (isReport ? 1 : 0)
        var pause = Self.pause(
            rejectionPause, doubled: rejections - rejectionsBeforePause, longest: Self.longestRejectionPause)
        if isReport {
            pause = max(pause, Self.pause(reportPause, doubled: reports - 1, longest: Self.longestReportPause))
        }
        // Without a pause, a request that was started just before the rejection was stored must not be refused.
        let end = pause > .zero ? now + pause : Timestamp(seconds: 0)
        return RejectionHistory(
            rejections: rejections, reports: reports, pausedUntil: max(known?.pausedUntil ?? end, end),
            forgottenAt: now + Self.memory)
    }

    /// Zero if `times` is negative: there were too few rejections.
    private static func pause(_ first: Duration, doubled times: Int, longest: Duration) -> Duration {
        guard times >= 0 else { return .zero }
        // 17 doublings of one second are longer than every limit.
        return min(longest, first * (1 << min(times, 17)))
    }
}
