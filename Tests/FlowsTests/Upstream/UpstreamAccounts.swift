import Audit
import AuthorizationCore
import Flows
import Primitives
import Synchronization

/// Accounts of upstream logins, in memory.
final class UpstreamAccounts: UpstreamStore {
    struct State: Sendable {
        var accounts: [Account] = []
        var links: [UpstreamIdentity: UserID] = [:]
        var events: [AuditEvent.Kind] = []
    }

    let state = Mutex(State())

    func account(email: EmailAddress, tenant: TenantID) async throws -> Account? {
        state.withLock { $0.accounts.first { $0.user.email == email && $0.user.id.rawValue.hasPrefix("auth0|") } }
    }

    func account(username: String, tenant: TenantID) async throws -> Account? {
        state.withLock { $0.accounts.first { $0.user.username == username && $0.user.id.rawValue.hasPrefix("auth0|") } }
    }

    func account(_ user: UserID, tenant: TenantID) async throws -> Account? {
        state.withLock { $0.accounts.first { $0.user.id == user } }
    }

    func account(of identity: UpstreamIdentity, tenant: TenantID) async throws -> Account? {
        state.withLock { state in
            let id = state.links[identity] ?? identity.userID
            return state.accounts.first { $0.user.id == id }
        }
    }

    func keep(_ user: User, identity: UpstreamIdentity, tenant: TenantID, event: AuditEvent) async throws {
        state.withLock { state in
            state.accounts.removeAll { $0.user.id == user.id }
            state.accounts.append(Account(user: user, passwordHash: nil))
            state.events.append(event.kind)
        }
    }

    func link(_ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, event: AuditEvent) async throws -> Bool {
        state.withLock { state in
            guard state.links[identity] == nil else { return false }
            state.links[identity] = user
            state.events.append(event.kind)
            return true
        }
    }
}
