package import AuthorizationCore
import JOSE
import Localization
package import OAuthWire
package import Primitives

package protocol BeginStore: PushedRequestStore {
    func create(_ transaction: StoredLogin) async throws

    /// Takes a pushed request out: a second call finds nothing. Nil also if it is another client's.
    func takePushed(_ hash: [UInt8], client: ClientID, tenant: TenantID, now: Timestamp) async throws -> String?
}

/// The authorization endpoint (RFC 6749 clause 4.1.1, OIDC Core 3.1.2): answers at once if the browser's session is
/// enough, and otherwise begins a login.
package struct BeginAuthorization: Sendable {
    let store: any BeginStore
    let transactions: LoginTransactions
    let completion: CompleteAuthorization
    let hashing: any Hashing
    let verifier: any Verifier
    let limit: LoginLimit

    /// The client's answer to a request that could not be read as a whole. Throws `AuthorizationPageFailure` if it is not
    /// known who the client is.
    package func refuse(
        _ parameters: Parameters, because problem: OAuthError, context: RequestContext
    ) throws(AuthorizationPageFailure) -> AuthorizationAnswer {
        AuthorizationAnswer(
            next: .respond(try AuthorizationTarget(parameters, configuration: context.configuration).response(problem)))
    }

    /// Throws `AuthorizationPageFailure` for faults that the client must not be told. Its other faults are in the answer.
    /// `interact` with the step `upstream` goes to the other provider without a page.
    package func begin(
        _ parameters: Parameters, browser: Browser, context: RequestContext
    ) async throws -> AuthorizationAnswer {
        let (parameters, isPushed) = try await resolved(parameters, context)
        let target = try AuthorizationTarget(parameters, configuration: context.configuration)
        let checked: CheckedAuthorizationRequest
        let expectedUser: UserID?
        do {
            checked = try CheckedAuthorizationRequest(
                parameters, from: target.client, configuration: context.configuration,
                came: isPushed ? .pushed : .byBrowser)
            expectedUser = try self.expectedUser(checked.request, context.configuration)
        } catch {
            return AuthorizationAnswer(next: .respond(target.response(error)))
        }
        var (transaction, cookie) = try await transactions.begun(
            .client(target), checked, keeping: parameters.encoded(only: AuthorizationRequest.keptNames),
            expecting: expectedUser, browser: browser, context: context)
        if transaction.step == .done {
            return AuthorizationAnswer(next: .respond(try await completion.complete(&transaction, isStored: false)))
        }
        if checked.request.prompts.contains(.none) {
            return AuthorizationAnswer(next: .respond(target.response(transaction.step.interactionNeeded)))
        }
        try limit.admit(context)
        if transaction.step == .consent { transaction.progress.session = transaction.session?.id }
        transaction.stored.progress = transaction.progress.json
        try await store.create(transaction.stored)
        return AuthorizationAnswer(next: .interact(transaction), bindingCookie: cookie)
    }

    /// A pushed request replaces everything that came with its `request_uri` (RFC 9126 clause 4, RFC 9101 clause 6.3).
    private func resolved(
        _ parameters: Parameters, _ context: RequestContext
    ) async throws -> (Parameters, isPushed: Bool) {
        guard let uri = parameters["request_uri"] else { return (parameters, false) }
        let client = ClientID(parameters["client_id"] ?? "")
        let prefix = PushAuthorizationRequest.requestURIPrefix
        guard uri.hasPrefix(prefix),
            let form = try await store.takePushed(
                hashing.digest(String(uri.dropFirst(prefix.count))), client: client, tenant: context.tenant.id,
                now: context.now),
            let pushed = try? Parameters(form: Array(form.utf8))
        else {
            throw AuthorizationPageFailure(
                .requestURI,
                localized.failure.page.usedLoginLink, detail: "request_uri of client \(client.rawValue.prefix(64))")
        }
        return (pushed, true)
    }

    /// The user that the client expects (OIDC Core 3.1.2.1, `id_token_hint`). The ID token may have expired.
    private func expectedUser(
        _ request: AuthorizationRequest, _ configuration: TenantConfiguration
    ) throws(OAuthError) -> UserID? {
        guard let text = request.idTokenHint else { return nil }
        guard let hint = try? IDTokenHint(text, configuration: configuration, verifier: verifier) else {
            throw OAuthError(.invalidRequest, "id_token_hint is not an ID token of this server")
        }
        return hint.user
    }
}
