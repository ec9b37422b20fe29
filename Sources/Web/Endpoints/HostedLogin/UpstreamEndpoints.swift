import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// To another provider and back.
struct UpstreamEndpoints: Sendable {
    let pages: HostedPages
    private var hosted: HostedLogin { pages.hosted }

    /// Leads the browser to the provider. The login's only one needs no name; one that is named was chosen on a page.
    @Sendable func connection(_ visit: PageRequest) async throws -> Response {
        let name = visit.parameters["connection"]
        return try await pages.opened(visit, at: .connection, reauthenticating: name != nil) { transaction in
            try await failing(visit, transaction) {
                visit.redirect(to: try await hosted.upstream.start(transaction, connection: name, now: visit.now))
            }
        }
    }

    @Sendable func callback(_ visit: PageRequest) async throws -> Response {
        guard !visit.state.isEmpty else { throw AuthorizationPageFailure.foreignBrowser }
        let transaction = try await hosted.logIn.reauthenticating(
            try await hosted.transactions.open(
                visit.state, browser: visit.browser, configuration: visit.context.configuration, now: visit.now),
            now: visit.now)
        return try await failing(visit, transaction) {
            visit.answer(
                try await hosted.upstream.finish(
                    transaction, callback: try FormFields(parsing: Array((visit.context.request.query ?? "").utf8)),
                    now: visit.now))
        }
    }

    /// What went wrong there is said here, with the way back to the login page (RFC 6749 clause 4.1.2.1 is about the
    /// client of the provider, which this server is).
    private func failing(
        _ visit: PageRequest, _ transaction: LoginTransaction, _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let failure as UpstreamLogin.Refusal {
            let status = failure.failure.isUnavailable ? 502 : 400
            pages.log(visit.context.request.id, failure.failure.detail, status)
            return visit.show(
                ErrorPage(
                    status: status,
                    title: localized.error.notLoggedIn, explanation: failure.text,
                    requestID: visit.context.request.id, retry: visit.url(.logIn, state: transaction.id)),
                for: transaction, isRepeatable: false)
        }
    }
}
