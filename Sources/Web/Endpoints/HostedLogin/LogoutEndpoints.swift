import Flows
import HTTPModel
import Localization
import OAuthWire
import Pages

/// `/v2/logout`, `/oidc/logout` (OIDC RP-Initiated Logout 1.0) and the page that asks.
struct LogoutEndpoints: Sendable {
    let hosted: HostedLogin
    private var endSession: EndSession { hosted.flows.login.end }

    @Sendable func logOutAtOnce(_ request: PageRequest) async throws -> Response {
        answer(
            request,
            try await endSession.logOutAtOnce(request.parameters, browser: request.browser, context: request.context))
    }

    @Sendable func logOut(_ request: PageRequest) async throws -> Response {
        if let address = request.asAddress(EndpointPath.endSession.rawValue, keeping: Self.parameterNames) {
            return request.redirect(to: address)
        }
        return answer(
            request,
            try await endSession.logOut(
                request.parameters, confirmed: false, browser: request.browser, context: request.context))
    }

    @Sendable func sendLogout(_ request: PageRequest) async throws -> Response {
        if request.parameters[FieldName.decision] == FieldName.deny {
            return request.show(DonePage(title: localized.logout.stayed, explanation: localized.logout.nothingChanged))
        }
        return answer(
            request,
            try await endSession.logOut(
                request.parameters, confirmed: true, browser: request.browser, context: request.context))
    }

    private func answer(_ request: PageRequest, _ answer: EndSession.Answer) -> Response {
        var response =
            switch answer.outcome {
            case .redirect(let url): request.redirect(to: url)
            case .loggedOut:
                request.show(DonePage(title: localized.logout.loggedOut, explanation: localized.logout.loggedOutLead))
            case .confirm(let user): request.show(LogoutConfirmPage(form: form(request), user: user))
            }
        if case .confirm = answer.outcome { return response }
        response.fields.append("Set-Cookie", Cookie.session.removal)
        return response
    }

    private static let parameterNames = [
        "id_token_hint", "logout_hint", "client_id", "post_logout_redirect_uri", "state", "ui_locales",
    ]

    private func form(_ request: PageRequest) -> PageForm {
        request.form(
            .logOut, Self.parameterNames.compactMap { name in request.parameters[name].map { HiddenField(name, $0) } })
    }
}
