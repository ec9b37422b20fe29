import AuthorizationCore
import Primitives

/// Limits of failed attempts from one address, by the tenant's settings.
struct AttemptLimits: Sendable {
    /// The limit of an address in all, then that of the account from the address, then that of the account in all.
    typealias Limit = (block: AttemptCounter.Block, limit: AttemptLimit)

    let address: String
    let windowStart: Timestamp
    let hashing: any Hashing
    private let settings: BruteForceProtection

    /// `address` is that of the browser, which is not the context's if a phone answers.
    init(_ context: RequestContext, from address: String?, hashing: any Hashing) {
        self.address = address ?? ""
        self.hashing = hashing
        settings = context.tenant.settings.bruteForceProtection
        windowStart = context.now - .seconds(settings.window)
    }

    func ofAddress(_ secret: AttemptKey.Secret) -> AttemptLimit {
        AttemptLimit(AttemptKey(secret, from: address, hashing: hashing), settings.attemptsPerAddressInAll)
    }

    func of(_ secret: AttemptKey.Secret, _ account: String) -> [Limit] {
        let here = AttemptKey(secret, account: account, from: address, hashing: hashing)
        let anywhere = AttemptKey(secret, account: account, hashing: hashing)
        return [
            (.addressInAll, ofAddress(secret)), (.address, AttemptLimit(here, settings.attempts(at: secret))),
            (.account, AttemptLimit(anywhere, settings.attemptsPerAccount)),
        ]
    }
}
