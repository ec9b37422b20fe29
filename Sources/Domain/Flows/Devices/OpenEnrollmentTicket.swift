package import AuthorizationCore
package import GuardianWire
package import Primitives
import Synchronization

/// Shows a phone's QR code to the holder of an enrolment ticket (Guardian: `/guardian/enroll`), as often as they like.
/// Only the phone uses the ticket up.
package struct OpenEnrollmentTicket: Sendable {
    package enum View: Sendable, Equatable {
        /// Waits for a phone.
        case open(EnrollmentURI)
        /// Enrolled the phone of this name.
        case used(phone: String)
    }

    private let store: any EnrollmentStore
    private let accounts: any AccountReader
    private let hashing: any Hashing
    private let watch: StoreWatch
    private let held = HeldPages()

    /// `hold` is how long a browser waits for one answer.
    package init(
        store: any EnrollmentStore, accounts: any AccountReader, hashing: any Hashing, decisions: DecisionHub,
        timer: any Timer, hold: Duration
    ) {
        self.store = store
        self.accounts = accounts
        self.hashing = hashing
        watch = StoreWatch(decisions: decisions, timer: timer, hold: hold)
    }

    /// `wasShown` is true if the browser was shown the unused ticket before. Other holders of a used ticket learn nothing
    /// of the phone. Throws `AuthorizationPageFailure` if the ticket does not work.
    package func view(_ ticket: String, wasShown: Bool, context: RequestContext) async throws -> View {
        let tenant = context.tenant
        let hash = hashing.digest(ticket)
        if let kept = try await store.ticket(hash, tenant: tenant.id, now: context.now),
            let user = try await accounts.account(kept.user, tenant: tenant.id)?.user, !user.blocked
        {
            return .open(EnrollmentURI(ticket: ticket, account: user.accountName, tenant: tenant))
        }
        guard wasShown,
            let device = try await store.device(enrolledBy: hash, tenant: tenant.id, now: context.now)
        else { throw AuthorizationPageFailure.unknownEnrollmentTicket }
        return .used(phone: device.name)
    }

    package enum Wait: Sendable, Equatable {
        /// The browser goes on waiting.
        case goesOn
        case ended
        /// Newer pages of the ticket wait instead.
        case displaced
    }

    /// Returns once the ticket enrols no phone any more, or after the hold.
    package func awaitUse(_ ticket: String, context: RequestContext) async throws -> Wait {
        let hash = hashing.digest(ticket)
        let begun = watch.uptime
        let page = held.begin(hash)
        defer { held.end(page, hash) }
        let goesOn = try await watch.goesOn {
            guard held.has(page, hash) else { return false }
            let now = context.now + (watch.uptime - begun)
            return try await store.ticket(hash, tenant: context.tenant.id, now: now) != nil
        }
        if !held.has(page, hash) { return .displaced }
        return goesOn ? .goesOn : .ended
    }
}

/// The held requests of each ticket. A link is one person's, so its pages may not take the places of others'.
private final class HeldPages: Sendable {
    private static let limit = 2

    private struct State {
        var last: UInt64 = 0
        /// In the order in which they began.
        var pages: [[UInt8]: [UInt64]] = [:]
    }

    private let state = Mutex(State())

    /// Displaces the oldest beyond the limit.
    func begin(_ ticket: [UInt8]) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.pages[ticket] = (state.pages[ticket] ?? []).suffix(Self.limit - 1) + [state.last]
            return state.last
        }
    }

    func has(_ page: UInt64, _ ticket: [UInt8]) -> Bool {
        state.withLock { $0.pages[ticket]?.contains(page) == true }
    }

    func end(_ page: UInt64, _ ticket: [UInt8]) {
        state.withLock { state in
            state.pages[ticket]?.removeAll { $0 == page }
            if state.pages[ticket]?.isEmpty == true { state.pages[ticket] = nil }
        }
    }
}
