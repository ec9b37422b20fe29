package import AuthorizationCore
import OAuthWire
import Primitives

extension AuthorizationAnswer {
    /// Proofs that only the browser has which the answer was for.
    struct Receiver: Sendable {
        /// The session that the code belongs to.
        var session: SessionID?
        /// SHA-256 of the proof that the browser sent with the last form.
        var proof: [UInt8]?
    }

    /// The answer of a login, to be given again. Nil for a page.
    package var repeatable: RepeatableAnswer? {
        guard case .respond(let response) = next else { return nil }
        return RepeatableAnswer(response: response, receiver: receiver, gaveSession: sessionCookie != nil)
    }
}

/// The answer of a login that ended, without the session's cookie, which is never given twice.
package struct RepeatableAnswer: Sendable {
    let response: AuthorizationResponse
    let receiver: AuthorizationAnswer.Receiver
    let gaveSession: Bool
}

extension CompleteAuthorization {
    /// Gives an answer again, to a browser that sent the form again and so lost the answer. A new code replaces the
    /// first, so that at most one is redeemed. A new cookie replaces a session's cookie that was lost. Nil means that
    /// the client has redeemed the code, or the code ended.
    ///
    /// `isSameRequest` is true if the whole request is the one that led to the answer, with its cookies and all that was
    /// typed. Another one gets a code only with the code's session, or with the proof that the last form came with:
    /// people who used the browser before may know the binding cookie and the page's address. They get
    /// `AuthorizationPageFailure`.
    package func repeated(
        _ answer: RepeatableAnswer, isSameRequest: Bool, browser: Browser, context: RequestContext
    ) async throws -> AuthorizationAnswer? {
        guard let given = answer.response.code else { return AuthorizationAnswer(next: .respond(answer.response)) }
        let current = try await store.session(of: browser, context, hashing)?.session.id
        let hasSession = current != nil && current == answer.receiver.session
        let hasProof =
            answer.receiver.proof.map { constantTimeEquals($0, hashing.digest(browser.proofCookie ?? "")) } ?? false
        guard isSameRequest || hasSession || hasProof else { throw AuthorizationPageFailure.noTransaction }
        let code = Identifiers.handle(random)
        let cookie = answer.gaveSession && current == nil ? Identifiers.handle(random) : nil
        guard
            try await store.renewCode(
                hashing.digest(given), as: hashing.digest(code), session: cookie.map(hashing.digest),
                tenant: context.tenant.id, now: context.now)
        else { return nil }
        return AuthorizationAnswer(
            next: .respond(answer.response.with(code: code)), sessionCookie: cookie, receiver: answer.receiver)
    }
}
