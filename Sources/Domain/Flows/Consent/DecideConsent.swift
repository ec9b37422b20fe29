import AuthorizationCore
import OAuthWire
public import Primitives

/// The person's answer on the consent page.
public struct DecideConsent: Sendable {
    private let transactions: AuthorizationTransactions

    public init(transactions: AuthorizationTransactions) { self.transactions = transactions }

    /// Throws `InteractionFailure` where consent is not asked now.
    public func allow(_ transaction: OpenTransaction, now: Timestamp) async throws -> AuthorizationAnswer {
        guard transaction.step == .consent else { throw InteractionFailure.otherStep }
        var transaction = transaction
        transaction.progress.consented = transaction.access.scope
        return try await transactions.proceed(transaction, now: now)
    }

    /// The client gets `access_denied` (RFC 6749 clause 4.1.2.1).
    public func deny(_ transaction: OpenTransaction, now: Timestamp) async throws -> AuthorizationAnswer {
        guard transaction.step == .consent else { throw InteractionFailure.otherStep }
        let error = OAuthError(
            .accessDenied, en: "The user did not allow the request", fr: "L'utilisateur n'a pas accepté la demande")
        return AuthorizationAnswer(
            .respond(
                try await transactions.abandon(
                    transaction, error, event: transactions.event(.consentDenied, transaction, now: now))))
    }
}
