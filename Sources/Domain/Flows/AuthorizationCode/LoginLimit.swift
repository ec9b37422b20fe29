import AuthorizationCore
import OAuthWire
import Primitives

/// Limits what one address may have kept of requests for a login, each of which takes some room and an hour: anybody can
/// send them. What is answered at once, as most requests of a browser that is logged in are, does not count; what a client
/// pushes always does, since its details are checked.
package final class LoginLimit: Sendable {
    private struct Key: Hashable {
        let tenant: TenantID
        let address: CountedAddress
    }

    private let limit = RateLimit<Key>()

    package init() {}

    /// Seconds to wait; nil for a request that was within the limit.
    private func wait(_ address: String, _ tenant: Tenant, _ now: Timestamp) -> Int? {
        let standing = limit.count(
            Key(tenant: tenant.id, address: CountedAddress(address)),
            limit: tenant.settings.loginsPerMinutePerAddress, now: now)
        return standing.isExceeded ? max(1, Int(standing.reset - now.seconds)) : nil
    }

    /// For a browser.
    func admit(_ address: String, tenant: Tenant, now: Timestamp) throws(AuthorizationPageFailure) {
        guard let wait = wait(address, tenant, now) else { return }
        throw .tooManyLogins(retryAfter: wait)
    }

    /// For a client that anybody can be.
    func admit(unproven asked: Authenticated<Parameters>, now: Timestamp) throws(OAuthError) {
        guard asked.client.isPublic, let address = asked.context.remoteAddress,
            let wait = wait(address, asked.tenant, now)
        else { return }
        throw .tooManyRequests(
            limit: asked.tenant.settings.loginsPerMinutePerAddress, retryAfter: wait, now: now,
            "Too many logins were begun from your network. Try again in \(wait) seconds.")
    }
}
