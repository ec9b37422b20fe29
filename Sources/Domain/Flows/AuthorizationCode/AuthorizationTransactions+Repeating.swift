public import AuthorizationCore
import OAuthWire
public import Primitives

extension AuthorizationTransactions {
    /// The answer once more, for a browser that sent the form which led to it again and so lost it. A code is given
    /// anew and the first is worth nothing, so that still one at most is redeemed. Nil where the client has redeemed
    /// it, or it has ended.
    public func repeated(
        _ answer: AuthorizationAnswer, browser: Browser, tenant: Tenant, now: Timestamp
    ) async throws -> AuthorizationAnswer? {
        guard case .respond(var response) = answer.next else { return nil }
        if let given = response.code {
            let code = Identifiers.handle(random)
            guard try await store.renewCode(hash(given), as: hash(code), tenant: tenant.id, now: now) else {
                return nil
            }
            response = response.with(code: code)
        }
        // A browser whose cookie is worth something got the first answer, or a later one.
        let cookie = try await session(of: browser, tenant: tenant, now: now) == nil ? answer.sessionCookie : nil
        return AuthorizationAnswer(.respond(response), sessionCookie: cookie)
    }
}
