import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages
import Primitives

/// `/v2/logout`, `/oidc/logout` (OIDC RP-Initiated Logout 1.0) and the page that asks.
struct LogoutEndpoints: Sendable {
    let hosted: HostedLogin

    @Sendable func logOutAtOnce(_ visit: PageRequest) async throws -> Response {
        answer(
            visit,
            try await hosted.endSession.logOutAtOnce(
                visit.parameters, browser: visit.browser, configuration: visit.context.configuration, now: visit.now))
    }

    @Sendable func logOut(_ visit: PageRequest) async throws -> Response {
        if let address = visit.asAddress("/oidc/logout", keeping: Self.parameterNames) {
            return visit.redirect(to: address)
        }
        return answer(
            visit,
            try await hosted.endSession.logOut(
                visit.parameters, confirmed: false, browser: visit.browser, configuration: visit.context.configuration,
                now: visit.now))
    }

    @Sendable func sendLogout(_ visit: PageRequest) async throws -> Response {
        if visit.parameters[FieldName.decision] == FieldName.deny {
            return visit.show(
                DonePage(title: localized.logout.stayed, explanation: localized.logout.nothingChanged))
        }
        return answer(
            visit,
            try await hosted.endSession.logOut(
                visit.parameters, confirmed: true, browser: visit.browser, configuration: visit.context.configuration,
                now: visit.now))
    }

    private func answer(_ visit: PageRequest, _ answer: EndSession.Answer) -> Response {
        var response =
            switch answer.outcome {
            case .redirect(let url): visit.redirect(to: url)
            case .loggedOut: visit.show(LoggedOutPage())
            case .confirm(let user): visit.show(LogoutConfirmPage(form: form(visit), user: user))
            }
        if case .confirm = answer.outcome { return response }
        response.fields.append("Set-Cookie", Cookie.session.removal)
        return response
    }

    private static let parameterNames = [
        "id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
    ]

    /// The form repeats the request.
    private func form(_ visit: PageRequest) -> PageForm {
        visit.form(
            .logOut, Self.parameterNames.compactMap { name in visit.parameters[name].map { HiddenField(name, $0) } })
    }
}
