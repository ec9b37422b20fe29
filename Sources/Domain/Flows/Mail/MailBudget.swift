package import AuthorizationCore
package import Primitives
import Synchronization

/// Mails that a tenant may send by the operator's mail server within an hour, in all and to one mailbox, over all kinds.
/// The operator's address stands above them. Refills evenly. Soft state of one node, which a restart forgets.
package final class MailBudget: Sendable {
    package struct Limits: Sendable, Equatable {
        /// Mails within an hour: `1...1000000`.
        package var perTenant = 1000
        /// To one mailbox, for each tenant, so that no tenant uses up another's: `1...1000000`.
        package var perMailbox = 20

        package init() {}
    }

    package enum Bound: String, Sendable, CaseIterable { case tenant, mailbox }

    package struct Refusal: Sendable, Equatable {
        package let bound: Bound
        /// Time after which there is room for one mail.
        package let wait: Duration

        /// For administrators of the tenant.
        package var reason: String {
            switch bound {
            case .tenant: "the tenant has sent as many mails by the operator's mail server as it may within an hour"
            case .mailbox: "the mailbox has got as many mails by the operator's mail server as it may within an hour"
            }
        }
    }

    private struct Mailbox: Hashable {
        let tenant: TenantID
        let address: String
    }

    /// Used part of a limit.
    private struct Bucket {
        var used = 0.0
        var at: Timestamp

        /// Mails beyond the limit's last one. At or below zero there is room for one more.
        func excess(_ limit: Int, at now: Timestamp) -> Double { used(limit, at: now) + 1 - Double(limit) }

        func used(_ limit: Int, at now: Timestamp) -> Double {
            max(0, used - max(0, (now - at) / .seconds(MailBudget.period)) * Double(limit))
        }
    }

    /// Maximum mailboxes and tenants that are known. Each tenant's own limit keeps the mailboxes few.
    private struct State {
        var tenants = BoundedTable<TenantID, Bucket>(limit: 10_000)
        var mailboxes = BoundedTable<Mailbox, Bucket>(limit: 100_000)
    }

    private static let period: Int64 = 3600

    private let limits: Limits
    private let state = Mutex(State())
    private let counters = Dictionary(uniqueKeysWithValues: Bound.allCases.map { ($0, Counter()) })

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Mails that were refused so far.
    package func refusals(by bound: Bound) -> Int { counters[bound]?.count ?? 0 }

    /// Counts a mail, unless a limit is reached.
    package func take(_ address: EmailAddress, of tenant: TenantID, now: Timestamp) -> Refusal? {
        let mailbox = Mailbox(tenant: tenant, address: address.mailbox)
        let refusal = state.withLock { state -> Refusal? in
            let ofTenant = state.tenants[tenant] ?? Bucket(at: now)
            let ofMailbox = state.mailboxes[mailbox] ?? Bucket(at: now)
            // A full mailbox uses up nothing of the tenant's.
            for (bound, bucket, limit) in [
                (Bound.mailbox, ofMailbox, limits.perMailbox), (.tenant, ofTenant, limits.perTenant),
            ] {
                let excess = bucket.excess(limit, at: now)
                guard excess <= 0 else {
                    let seconds = excess * Double(Self.period) / Double(limit)
                    return Refusal(bound: bound, wait: .seconds(Int64(seconds.rounded(.up))))
                }
            }
            state.tenants[tenant] = Bucket(used: ofTenant.used(limits.perTenant, at: now) + 1, at: now)
            state.mailboxes[mailbox] = Bucket(used: ofMailbox.used(limits.perMailbox, at: now) + 1, at: now)
            return nil
        }
        if let refusal { counters[refusal.bound]?.increment() }
        return refusal
    }

    /// Undoes the count of a mail that was not sent.
    package func giveBack(_ address: EmailAddress, of tenant: TenantID) {
        state.withLock { state in
            state.tenants[tenant]?.used -= 1
            state.mailboxes[Mailbox(tenant: tenant, address: address.mailbox)]?.used -= 1
        }
    }
}
