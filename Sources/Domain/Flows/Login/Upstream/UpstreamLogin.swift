package import Localization
import Audit
import AuthorizationCore
import OAuthWire
package import Primitives

/// Logs people in through another provider, within a login transaction.
package struct UpstreamLogin: Sendable {
    /// Nobody was logged in.
    package struct Refusal: Error, Sendable {
        package let failure: UpstreamFailure
        /// Text for the person.
        package let text: LocalizedText
    }

    let store: any LoginStore
    let transactions: LoginTransactions
    let starting: StartUpstreamLogin
    let finishing: FinishUpstreamLogin
    let refusals: RefusalLog

    /// Returns the browser's next address. `name` is the connection's, and may be nil if the login has only one. Throws
    /// `Refusal`, and `InteractionFailure` if the login is at another step or has no such connection.
    package func start(_ transaction: LoginTransaction, connection name: String?) async throws -> String {
        let upstreams = transaction.choices.upstreams
        guard let connection = name.map({ name in upstreams.first { $0.name == name } }) ?? upstreams.first,
            name != nil || upstreams.count == 1
        else { throw InteractionFailure.otherStep }
        let request = transaction.request
        let started: (location: String, attempt: UpstreamAttempt)
        do {
            started = try await starting.start(
                connection, transaction: transaction.id,
                demands: StartUpstreamLogin.Demands(
                    loginHint: request.loginHint, prompts: request.prompts,
                    maxAge: request.maxAge ?? connection.upstream.flatMap(transaction.recency),
                    uiLocales: request.uiLocales),
                context: transaction.context)
        } catch {
            throw Refusal(failure: error, text: error.text(provider: connection.displayName))
        }
        _ = try await keepAttempt(started.attempt.json, in: transaction)
        return started.location
    }

    /// Goes on as the user whom the provider proved. `callback` are the parameters that the browser brought. The attempt
    /// ends in any case. Throws as `start` does.
    package func finish(_ transaction: LoginTransaction, callback: FormFields) async throws -> AuthorizationAnswer {
        let (json, transaction) = try await takeAttempt(from: transaction)
        guard let attempt = UpstreamAttempt(json) else { throw InteractionFailure.otherStep }
        let outcome: UpstreamOutcome
        do {
            outcome = try await finishing.finish(
                attempt, callback: callback, client: transaction.clientID, context: transaction.context)
        } catch let failure as UpstreamFailure {
            let provider = transaction.choices.upstreams.first { $0.name == attempt.connection }
            throw Refusal(failure: failure, text: failure.text(provider: provider?.displayName ?? attempt.connection))
        }
        return try await logIn(
            transaction, as: outcome.account, connection: outcome.connection, at: outcome.authenticatedAt)
    }

    /// Keeps the connector's state until the browser returns from another provider, in place of an earlier attempt's.
    func keepAttempt(_ attempt: JSONValue, in transaction: LoginTransaction) async throws -> LoginTransaction {
        guard transaction.step.provesUser else { throw InteractionFailure.otherStep }
        var transaction = transaction
        transaction.progress.upstreamAttempt = attempt
        try await store.keep(&transaction)
        return transaction
    }

    /// Takes an attempt out: of two callbacks at once, one gets it. Throws `InteractionFailure` if there is none.
    func takeAttempt(
        from transaction: LoginTransaction
    ) async throws -> (attempt: JSONValue, transaction: LoginTransaction) {
        guard transaction.step.provesUser, let attempt = transaction.progress.upstreamAttempt else {
            throw InteractionFailure.otherStep
        }
        var transaction = transaction
        transaction.progress.upstreamAttempt = nil
        try await store.keep(&transaction)
        return (attempt, transaction)
    }

    /// Goes on as a user whom an upstream provider proved. `time` is the provider's `auth_time`, if it tells one. The
    /// caller checked that the provider's answer belongs to this transaction and browser, and that `time` is recent
    /// enough for the client.
    func logIn(
        _ transaction: LoginTransaction, as account: Account, connection: String, at time: Timestamp?
    ) async throws -> AuthorizationAnswer {
        let user = account.user
        guard transaction.step.provesUser, transaction.choices.upstreams.contains(where: { $0.name == connection })
        else { throw InteractionFailure.otherStep }
        guard !user.blocked else {
            try await refusals.record(
                transaction.refusal(.loginFailed, user: user.id, details: ["reason": "user is blocked"]),
                of: user.id.rawValue)
            throw InteractionFailure.userBlocked
        }
        return try await transactions.proceed(
            transaction,
            as: Authentication(
                user: user.id, at: time ?? transaction.context.now, isTimeKnown: time != nil,
                methods: [Authentication.federated], connection: connection, accessEndings: account.accessEndings))
    }
}

extension LoginTransaction {
    /// Longest age of the login in seconds that a page of this server asks of a provider which reports times. A login at
    /// another provider counts from the return.
    fileprivate func recency(at provider: UpstreamProvider) -> Int? {
        provider.reportsTime ? goal.page?.recency(tenant.settings)?.login : nil
    }
}
