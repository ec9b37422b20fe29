package import ApprovalWire
package import Audit
package import AuthorizationCore

/// A person's decision as it counts after the comparison of the numbers. It may come from a phone or from a session.
package struct CheckedDecision: Sendable {
    package let decision: BackchannelRequest.Decision
    /// Kind of the decision's audit entry.
    package let kind: AuditEvent.Kind
    /// Cause of a rejection for the person's history.
    package var cause: ApprovalEvidence.Cause? {
        switch kind {
        case .reported: .reported
        case .wrongNumber: .wrongNumber
        default: nil
        }
    }
    /// Effect on the client's later requests to the person.
    package let pause: PauseChange

    /// Nil means that a number is missing: the request stays as it is.
    /// - Parameters:
    ///   - reason: Reason of a rejection.
    ///   - isReported: True if the person did not ask for the request.
    ///   - match: Result for an answer that allows. A rejection needs no number.
    package init?(
        accepted: Bool, reason: String?, isReported: Bool, match: NumberMatch, of request: BackchannelRequest,
        settings: TenantSettings
    ) {
        switch (accepted, match) {
        case (true, .missing): return nil
        case (true, .right): (decision, kind) = (.allow, .approved)
        case (true, .wrong): (decision, kind) = (.reject(reason: nil), .wrongNumber)
        case (false, _): (decision, kind) = (.reject(reason: reason), isReported ? .reported : .rejected)
        }
        if request.login != nil {
            pause = .none
        } else if kind == .approved {
            pause = .forgotten(requestedAt: request.createdAt)
        } else {
            pause = .counted(isReport: kind == .reported, PauseRules(settings))
        }
    }
}
