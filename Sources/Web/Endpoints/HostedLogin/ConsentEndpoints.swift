import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Pages
import Primitives
import Routing

/// Asks the person whether the client may have what it asks for.
struct ConsentEndpoints: Sendable {
    let pages: HostedPages
    private var hosted: HostedLogin { pages.hosted }
    /// The field that says what the page showed.
    private static let mark = "shown"

    @Sendable func consent(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .consent) { transaction in
            let api = transaction.configuration.resourceServers[transaction.access.audience]
            return visit.show(
                ConsentPage(
                    form: visit.form(
                        .consent, state: transaction.id,
                        [HiddenField(Self.mark, hosted.consent.mark(of: transaction))]),
                    client: transaction.client.name,
                    api: api?.name, account: visit.account(transaction),
                    scopes: transaction.access.scope.map { token in
                        ConsentPage.Scope(
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

    @Sendable func sendConsent(_ visit: PageRequest) async throws -> Response {
        try await pages.opened(visit, at: .consent) { transaction in
            visit.answer(
                visit.parameters[FieldName.decision] == FieldName.allow
                    ? try await hosted.consent.allow(
                        transaction, mark: visit.parameters[Self.mark], now: visit.now)
                    : try await hosted.consent.deny(transaction, now: visit.now))
        }
    }

    /// What a person can compare with the application they came from; a private scheme has no host to show.
    private static func host(of redirectURI: String) -> String? {
        guard redirectURI.hasPrefix("https://") else { return nil }
        return String(redirectURI.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" })
    }
}
