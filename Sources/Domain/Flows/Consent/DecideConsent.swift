import Audit
import AuthorizationCore
import OAuthWire
package import Primitives

/// The person's answer on the consent page.
package struct DecideConsent: Sendable {
    private let transactions: LoginTransactions

    package init(transactions: LoginTransactions) { self.transactions = transactions }

    /// Stands for what the page shows: whose consent to what. Another tab may log somebody else in, or an
    /// administrator may permit more, before the form comes back.
    package func mark(of transaction: LoginTransaction) -> String {
        let shown = [transaction.user?.id.rawValue ?? "", transaction.access.audience] + transaction.access.scope
        return Base64URL.encode(transactions.hash(shown.joined(separator: "\n")))
    }

    /// `mark` is the one of the page that was shown. Throws `InteractionFailure` where consent is not asked now, or
    /// not for what was shown.
    package func allow(
        _ transaction: LoginTransaction, mark: String?, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        guard transaction.step == .consent, mark == self.mark(of: transaction), let owner = transaction.owner else {
            throw InteractionFailure.otherStep
        }
        var transaction = transaction
        transaction.progress.change(of: owner) { $0.consented = transaction.access.scope }
        return try await transactions.proceed(transaction, now: now)
    }

    /// The client gets `access_denied` (RFC 6749 clause 4.1.2.1).
    package func deny(_ transaction: LoginTransaction, now: Timestamp) async throws -> AuthorizationAnswer {
        guard transaction.step == .consent else { throw InteractionFailure.otherStep }
        let error = OAuthError(.accessDenied, "The user did not allow the request")
        return AuthorizationAnswer(
            .respond(
                try await transactions.abandon(
                    transaction, error, event: transactions.event(.consentDenied, transaction, now: now))))
    }
}
