import Audit
import AuthorizationCore
package import GuardianWire
import Primitives

/// Sets up a user's first phone within a login.
package struct EnrollFirstDevice: Sendable {
    let store: any LoginStore & ApproverStore
    let sealer: any Sealer
    let enroll: EnrollDevice
    let budgets: AuditBudgets
    let watch: StoreWatch

    /// Returns once the user has a phone, or after `hold`. True means that the browser goes on waiting.
    package func awaitDevice(_ transaction: LoginTransaction, atOnce: Bool = false) async throws -> Bool {
        guard let user = transaction.user else { return false }
        return try await watch.goesOn(atOnce: atOnce) {
            try await store.approver(.id(user.id), tenant: transaction.tenant.id)?.hasPhone == false
        }
    }

    /// The URI whose QR code sets up a phone: the same one each time the page is shown. The login goes on once the user
    /// has a device: `LoginTransactions.open` then finds another step.
    package func enrollment(
        _ transaction: LoginTransaction
    ) async throws -> (uri: EnrollmentURI, transaction: LoginTransaction) {
        guard transaction.step == .enrollDevice, let user = transaction.user, let owner = transaction.owner,
            let proven = transaction.authentication
        else { throw InteractionFailure.otherStep }
        let context = "login enrolment/\(transaction.tenant.id)/\(Hex.encode(transaction.stored.hash))/\(owner.user)"
        if let sealed = transaction.progress.belongings?.sealedEnrollment,
            let text = String(validating: try sealer.open(sealed, context: context).bytes, as: UTF8.self),
            let uri = try? EnrollmentURI(parsing: text)
        {
            return (uri, transaction)
        }
        let lifetime = (transaction.stored.expiresAt - transaction.context.now).milliseconds / 1000
        guard
            let uri = try await enroll.makeTicket(
                for: user.id, account: user.accountName, tenant: transaction.tenant, lifetime: Int(lifetime),
                loggingIn: proven,
                event: transaction.context.event(
                    .enrollmentTicketCreated, charge: try budgets.draw(on: .user(user.id), transaction.context),
                    user: user.id))
        else { throw AuthorizationPageFailure.noTransaction }
        var transaction = transaction
        let sealed = try sealer.seal(Array(uri.text.utf8), context: context)
        transaction.progress.change(of: owner) { $0.sealedEnrollment = sealed }
        try await store.keep(&transaction)
        return (uri, transaction)
    }
}
