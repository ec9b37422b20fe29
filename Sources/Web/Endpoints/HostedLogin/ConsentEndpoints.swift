import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Pages

/// The consent page: the person allows or denies the access that the client asks for.
struct ConsentEndpoints: Sendable {
    let pages: HostedPages
    private var consent: DecideConsent { pages.hosted.flows.login.consent }
    /// Field that identifies the page's question.
    private static let mark = "shown"

    @Sendable func show(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .consent) { transaction in
            let api = transaction.configuration.resourceServers[transaction.access.audience]
            return request.show(
                ConsentPage(
                    form: request.form(
                        .consent, state: transaction.id, [HiddenField(Self.mark, consent.mark(of: transaction))]),
                    client: transaction.goalName,
                    api: api?.name, account: request.account(transaction),
                    scopes: transaction.access.scope.map { token in
                        ShownScope(
                            token,
                            description: api?.scopes.first { $0.value == token }.flatMap {
                                $0.description.isEmpty ? nil : $0.description
                            })
                    },
                    details: transaction.request.authorizationDetails,
                    destination: Self.host(of: transaction.redirectURI)),
                for: transaction)
        }
    }

    @Sendable func send(_ request: PageRequest) async throws -> Response {
        try await pages.opened(request, at: .consent) { transaction in
            request.answer(
                request.parameters[FieldName.decision] == FieldName.allow
                    ? try await consent.allow(transaction, mark: request.parameters[Self.mark])
                    : try await consent.deny(transaction))
        }
    }

    /// The host, for comparison with the application's. Nil for a private scheme, which has none.
    private static func host(of redirectURI: String) -> String? {
        guard redirectURI.hasPrefix("https://") else { return nil }
        return String(redirectURI.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" })
    }
}
