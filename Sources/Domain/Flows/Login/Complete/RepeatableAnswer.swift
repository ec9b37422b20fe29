package import AuthorizationCore
import OAuthWire
package import Primitives

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

extension LoginTransactions {
    /// The answer once more, for a browser that sent the form which led to it again and so lost it. A code is given
    /// anew and the first is worth nothing, so that still one at most is redeemed. A session's cookie that was lost is
    /// replaced by a new one. Nil if the client has redeemed the code, or it has ended.
    ///
    /// `isSameRequest` says that the whole request is the one that led to the answer, with its cookies and all that was
    /// typed. Another one gets a code only with the code's session, or with the proof that the last form came with:
    /// the binding cookie and the page's address may be known to others who used the browser before. Throws
    /// `AuthorizationPageFailure` for those.
    package func repeated(
        _ answer: RepeatableAnswer, isSameRequest: Bool, browser: Browser, tenant: Tenant, now: Timestamp
    ) async throws -> AuthorizationAnswer? {
        guard let given = answer.response.code else { return AuthorizationAnswer(.respond(answer.response)) }
        let current = try await session(of: browser, tenant: tenant, now: now)?.id
        let hasSession = current != nil && current == answer.receiver.session
        let hasProof = answer.receiver.proof.map { constantTimeEquals($0, hash(browser.proofCookie ?? "")) } ?? false
        guard isSameRequest || hasSession || hasProof else { throw AuthorizationPageFailure.noTransaction }
        let code = Identifiers.handle(random)
        let cookie = answer.gaveSession && current == nil ? Identifiers.handle(random) : nil
        guard
            try await store.renewCode(
                hash(given), as: hash(code), session: cookie.map(hash), tenant: tenant.id, now: now)
        else { return nil }
        return AuthorizationAnswer(
            .respond(answer.response.with(code: code)), sessionCookie: cookie, receiver: answer.receiver)
    }
}
