import AuthorizationCore

extension LoginTransactions {
    /// Moves on as a user who gave a second factor by `method` (RFC 8176).
    func pass(_ transaction: LoginTransaction, by method: String) async throws -> AuthorizationAnswer {
        guard var authentication = transaction.authentication else { throw AuthorizationPageFailure.noTransaction }
        var transaction = transaction
        authentication.add(method)
        transaction.prove(authentication)
        var theirs = AuthorizationProgress.Belongings(
            of: transaction.progress.owner(authentication, session: transaction.session))
        theirs.gaveSecondFactor = true
        theirs.consented = transaction.progress.belongings?.consented
        transaction.progress.belongings = theirs
        return try await proceed(transaction)
    }
}
