import AuthorizationCore
package import Localization
import OAuthWire
package import Primitives

/// Logs people in through another provider, within a login transaction.
package struct UpstreamLogin: Sendable {
    /// Nobody was logged in, and what the person is told of it.
    package struct Refusal: Error, Sendable {
        package let failure: UpstreamFailure
        package let text: LocalizedText
    }

    private let starting: StartUpstreamLogin
    private let finishing: FinishUpstreamLogin
    private let logIn: PasswordLogin

    package init(start: StartUpstreamLogin, finish: FinishUpstreamLogin, logIn: PasswordLogin) {
        starting = start
        finishing = finish
        self.logIn = logIn
    }

    /// Where the browser goes. `name` is the connection's; where the login has only one, it may be nil. Throws
    /// `Refusal`, and `InteractionFailure` where the login is at another step or has no such connection.
    package func start(_ transaction: LoginTransaction, connection name: String?, now: Timestamp) async throws -> String
    {
        let upstreams = transaction.choices.upstreams
        guard let connection = name.map({ name in upstreams.first { $0.name == name } }) ?? upstreams.first,
            name != nil || upstreams.count == 1
        else { throw InteractionFailure.otherStep }
        let request = transaction.request
        let started: (location: String, attempt: UpstreamAttempt)
        do {
            started = try await starting.start(
                connection, of: transaction.tenant, transaction: transaction.id,
                wishes: StartUpstreamLogin.Wishes(
                    loginHint: request.loginHint, prompts: request.prompts, maxAge: request.maxAge,
                    uiLocales: request.uiLocales),
                now: now)
        } catch {
            throw Refusal(failure: error, text: error.text(provider: connection.displayName))
        }
        _ = try await logIn.keepUpstreamAttempt(started.attempt.json, in: transaction)
        return started.location
    }

    /// Goes on as whom the provider sent back. `callback` are the parameters that the browser brought. The attempt is
    /// over, whatever comes of it. Throws as `start` does.
    package func finish(
        _ transaction: LoginTransaction, callback: FormFields, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        let (json, transaction) = try await logIn.takeUpstreamAttempt(from: transaction)
        guard let attempt = UpstreamAttempt(json) else { throw InteractionFailure.otherStep }
        let outcome: UpstreamOutcome
        do {
            outcome = try await finishing.finish(
                attempt, callback: callback, configuration: transaction.configuration, client: transaction.client.id,
                remoteAddress: transaction.browser.remoteAddress, now: now)
        } catch let failure as UpstreamFailure {
            let provider = transaction.choices.upstreams.first { $0.name == attempt.connection }
            throw Refusal(failure: failure, text: failure.text(provider: provider?.displayName ?? attempt.connection))
        }
        return try await logIn.logIn(
            transaction, upstream: outcome.account, connection: outcome.connection, at: outcome.authenticatedAt,
            now: now)
    }
}
