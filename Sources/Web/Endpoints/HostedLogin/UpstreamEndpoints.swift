import Flows
import HTTPModel
import Localization
import OAuthWire
import Primitives
import Routing

/// Leads to another provider and back.
struct UpstreamEndpoints: Sendable {
    let pages: HostedPages
    private var upstream: UpstreamLogin { pages.hosted.flows.login.upstream }
    private var transactions: LoginTransactions { pages.hosted.flows.login.transactions }

    /// Leads the browser to the provider. The login's only provider needs no name. A named one was chosen on a page.
    @Sendable func connection(_ request: PageRequest) async throws -> Response {
        let name = request.parameters["connection"]
        return try await pages.opened(request, at: .connection, reauthenticating: name != nil) { transaction in
            try await failing(transaction) {
                request.redirect(to: try await upstream.start(transaction, connection: name))
            }
        }
    }

    @Sendable func callback(_ request: PageRequest) async throws -> Response {
        guard !request.state.isEmpty else { throw AuthorizationPageFailure.foreignBrowser }
        let transaction = try await transactions.reauthenticating(
            try await transactions.open(request.state, browser: request.browser, context: request.context))
        return try await failing(transaction) {
            request.answer(
                try await upstream.finish(
                    transaction, callback: try FormFields(parsing: Array((request.http.query ?? "").utf8))))
        }
    }

    private func failing(
        _ transaction: LoginTransaction, _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch let refusal as UpstreamLogin.Refusal {
            throw UpstreamPageFailure(refusal: refusal, transaction: transaction)
        }
    }
}

/// A failure of the provider, which the provider reports to this server as its client (RFC 6749 clause 4.1.2.1), not to
/// the login's client.
struct UpstreamPageFailure: ResponseError {
    let refusal: UpstreamLogin.Refusal
    let transaction: LoginTransaction

    var status: Int { refusal.failure.isUnavailable ? 502 : 400 }
    var logDetail: String? { refusal.failure.detail }

    func response(in style: ErrorStyle, to request: Request) -> Response {
        OAuthError(.accessDenied, ErrorDescription(refusal.text[.english])).response(in: style, to: request)
    }
}
