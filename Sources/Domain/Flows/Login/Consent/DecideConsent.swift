import Audit
package import AuthorizationCore
import OAuthWire
import Primitives

/// Store port for reading a user's earlier consent. Giving the code keeps a new one.
package protocol ConsentReader: Sendable {
    func consent(of user: UserID, to client: ClientID, audience: String, tenant: TenantID) async throws
        -> ConsentGrant?
}

/// Takes the person's answer on the consent page.
package struct DecideConsent: Sendable {
    let transactions: LoginTransactions
    let hashing: any Hashing

    /// Identifies the page's question (user and access). Before the form returns, another tab may log in another user, or
    /// an administrator may permit more.
    package func mark(of transaction: LoginTransaction) -> String {
        let shown = [transaction.user?.id.rawValue ?? "", transaction.access.audience] + transaction.access.scope
        return Base64URL.encode(hashing.digest(shown.joined(separator: "\n")))
    }

    /// `mark` is the one of the page that was shown. Throws `InteractionFailure` if the login asks for no consent now, or
    /// for another.
    package func allow(_ transaction: LoginTransaction, mark: String?) async throws -> AuthorizationAnswer {
        guard transaction.step == .consent, mark == self.mark(of: transaction), let owner = transaction.owner else {
            throw InteractionFailure.otherStep
        }
        var transaction = transaction
        transaction.progress.change(of: owner) { $0.consented = transaction.access.scope }
        return try await transactions.proceed(transaction)
    }

    /// Answers the client with `access_denied` (RFC 6749 clause 4.1.2.1).
    package func deny(_ transaction: LoginTransaction) async throws -> AuthorizationAnswer {
        guard transaction.step == .consent else { throw InteractionFailure.otherStep }
        let error = OAuthError(.accessDenied, "The user did not allow the request")
        let event = transaction.event(.consentDenied, charge: .once(.login))
        return AuthorizationAnswer(next: .respond(try await transactions.abandon(transaction, error, event: event)))
    }
}
