package import AuthorizationCore
import OAuthWire
import Primitives

/// Limits the logins that one address may begin, since anybody can begin one and the store keeps it for an hour. A
/// request that is answered at once, as most are of a browser with a session, draws on the user's budget instead. A
/// request that a client pushes always counts, because its details are checked. So does each visit to the page of a link
/// with a ticket, which reads the store.
package final class LoginLimit: Sendable {
    private struct Key: Hashable {
        let tenant: TenantID
        let address: CountedAddress
    }

    private struct Requester: Hashable {
        let tenant: TenantID
        let client: ClientID
    }

    static let pushFactor = 10

    private let limit = RateLimit<Key>()
    private let pushed = RateLimit<Requester>()

    package init() {}

    /// Seconds to wait. Nil means that the request is within the limit.
    private func wait(_ context: RequestContext) -> Int? {
        let status = limit.count(
            Key(tenant: context.tenant.id, address: CountedAddress(context.remoteAddress ?? "")),
            limit: context.tenant.settings.loginsPerMinutePerAddress, now: context.now)
        return status.isExceeded ? max(1, Int(status.reset - context.now.seconds)) : nil
    }

    /// Counts a browser's request.
    func admit(_ context: RequestContext) throws(AuthorizationPageFailure) {
        guard let wait = wait(context) else { return }
        throw .tooManyLogins(retryAfter: wait)
    }

    /// Counts a visit to the page of a link.
    package func admitVisit(_ context: RequestContext) throws(AuthorizationPageFailure) {
        guard let wait = wait(context) else { return }
        throw .tooManyVisits(retryAfter: wait)
    }

    /// Counts a request that a client pushes: by its address if it proves nothing and so can be anybody, and otherwise by
    /// its name, ten times as often as its own tokens: each is a visit of a person.
    func admit(_ client: Client, _ context: RequestContext) throws(OAuthError) {
        guard client.isPublic else {
            let perMinute = context.tenant.settings.clientTokensPerMinute * Self.pushFactor
            let usage = pushed.count(
                Requester(tenant: context.tenant.id, client: client.id), limit: perMinute, now: context.now)
            guard usage.isExceeded else { return }
            throw .tooManyRequests(
                limit: perMinute, retryAfter: usage.wait, now: context.now,
                "The client pushed more than \(perMinute) requests within a minute. Try again in \(usage.wait) seconds."
            )
        }
        guard let wait = wait(context) else { return }
        throw .tooManyRequests(
            limit: context.tenant.settings.loginsPerMinutePerAddress, retryAfter: wait, now: context.now,
            "Too many logins were begun from your network. Try again in \(wait) seconds.")
    }
}
