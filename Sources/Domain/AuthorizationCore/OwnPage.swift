package import OAuthWire
import Primitives

/// A page of this server that people log in to. No client asks for such a login, and it ends without a code.
package enum OwnPage: Sendable, Hashable {
    /// The page to decide a request on.
    case approval(ConsentID)
    /// A page of the person's own account. `isForChange` is true for a change of what the person logs in with, and of
    /// what cannot be undone.
    case account(AccountPath, isForChange: Bool)
    /// A page of the tenant's administrators. `isForChange` is true for every change but those that harm nobody.
    case dashboard(DashboardPath, isForChange: Bool)

    /// A kind of pages, by the id that stands in the place of a client's in the requests that their logins send to
    /// phones. No client may have it.
    package enum Kind: String, Sendable, CaseIterable {
        case approval = "approval-page"
        case account = "account-page"
        case dashboard = "dashboard-page"

        /// Nil for the id of a client.
        package init?(_ client: ClientID) { self.init(rawValue: client.rawValue) }

        package var client: ClientID { ClientID(rawValue) }
    }

    package var kind: Kind {
        switch self {
        case .approval: .approval
        case .account: .account
        case .dashboard: .dashboard
        }
    }

    /// Longest ages of the proofs that a page asks for, beside the tenant's rules for logins.
    package struct Recency: Sendable, Equatable {
        /// Seconds since the login of a person without a second factor.
        package let login: Int
        /// Seconds since the second factor of a person who has one.
        package let secondFactor: Int
    }

    /// Nil if a session of any age is enough.
    package func recency(_ settings: TenantSettings) -> Recency? {
        switch self {
        case .approval, .account(_, isForChange: false), .dashboard(_, isForChange: false): nil
        case .account(_, isForChange: true), .dashboard(_, isForChange: true):
            Recency(login: settings.recentLoginLifetime, secondFactor: settings.recentLoginLifetime)
        }
    }

    /// URL of the page below an issuer, which ends in a slash.
    package func url(below issuer: String) -> String {
        switch self {
        case .approval(let request): HostedPath.approval(of: request.rawValue, below: issuer)
        case .account(let path, _): path.url(below: issuer)
        case .dashboard(let path, _): path.url(below: issuer)
        }
    }
}

extension OwnPage: RawRepresentable {
    private static let changes = "account-change:"
    private static let account = "account:"
    private static let dashboardChanges = "dashboard-change:"
    private static let dashboard = "dashboard:"
    private static let approval = "approval:"

    /// The stored form: the kind, a colon, and the page.
    package var rawValue: String {
        switch self {
        case .approval(let request): Self.approval + request.rawValue
        case .account(let path, let isForChange): (isForChange ? Self.changes : Self.account) + path.rawValue
        case .dashboard(let path, let isForChange):
            (isForChange ? Self.dashboardChanges : Self.dashboard) + path.rawValue
        }
    }

    package init?(rawValue: String) {
        func path<Path: RawRepresentable<String>>(_ prefix: String, _: Path.Type) -> Path? {
            rawValue.hasPrefix(prefix) ? Path(rawValue: String(rawValue.dropFirst(prefix.count))) : nil
        }
        if rawValue.hasPrefix(Self.approval) {
            self = .approval(ConsentID(String(rawValue.dropFirst(Self.approval.count))))
        } else if let path = path(Self.account, AccountPath.self) {
            self = .account(path, isForChange: false)
        } else if let path = path(Self.changes, AccountPath.self) {
            self = .account(path, isForChange: true)
        } else if let path = path(Self.dashboard, DashboardPath.self) {
            self = .dashboard(path, isForChange: false)
        } else if let path = path(Self.dashboardChanges, DashboardPath.self) {
            self = .dashboard(path, isForChange: true)
        } else {
            return nil
        }
    }
}
