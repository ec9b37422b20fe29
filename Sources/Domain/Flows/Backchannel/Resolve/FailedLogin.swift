import ApprovalWire
import Audit
package import AuthorizationCore
package import Primitives

/// A failed second factor on the phone. It counts for the account and the address of the browser, so that the person
/// still logs in from elsewhere (docs/decisions/0017).
package struct FailedLogin: Sendable {
    /// Reports for which the person gets a mail within the window of failed attempts.
    package static let mailLimit = 3

    package let limits: [AttemptLimit]
    package let windowStart: Timestamp
    /// Mail to the person about a report. Nil sends none.
    package let notice: SealedMail?

    /// Nil for requests of clients, and for every answer but a wrong number and a report.
    init?(
        _ checked: CheckedDecision, of request: BackchannelRequest, _ context: RequestContext, store: any ApproverStore,
        mail: MailComposer, hashing: any Hashing
    ) async throws {
        let isReport = checked.kind == .reported
        guard request.login != nil, isReport || checked.kind == .wrongNumber else { return nil }
        let attempts = AttemptLimits(context, from: request.record.display.login?.address, hashing: hashing)
        limits = attempts.of(isReport ? .reportedLogin : .loginNumber, request.user.rawValue).map(\.limit)
        windowStart = attempts.windowStart
        guard isReport, let user = try await store.approver(.id(request.user), tenant: context.tenant.id)?.user,
            let email = user.email
        else {
            notice = nil
            return
        }
        let report = mail.loginReported(
            to: email, user, address: attempts.address, client: request.client, tenant: context.tenant)
        notice = try mail.sealed(report, tenant: context.tenant, now: context.now)
    }
}
