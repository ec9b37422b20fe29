import Administration
import Audit
import AuthorizationCore
import Configuration
import CountersignServer
import Primitives
import Terminal

extension LogScope {
    static let allTenantsOption = Option<Bool>.flag(
        "all-tenants", "Show entries of all tenants, including deleted ones. --tenant is ignored then.")
}

extension Installation {
    /// The tenant whose entries to show. It may have been deleted, because its entries are kept.
    func logTenant(_ invocation: Invocation) async throws -> TenantID {
        if let name = try invocation[Self.tenantOption], try await self.tenantLogs.knows(TenantID(name)) {
            return TenantID(name)
        }
        return try await tenant(invocation).id
    }

    /// The result of `logTenant`, or all tenants with `--all-tenants`.
    func logScope(_ invocation: Invocation) async throws -> LogScope {
        if try invocation[LogScope.allTenantsOption] { return .allTenants }
        if try invocation[Self.tenantOption] == nil {
            let count = try await configuration.tenants().count
            guard count == 1 else {
                throw CommandFailure(
                    count == 0 ? "no tenant is configured" : "there are several tenants",
                    hint: "choose one with --tenant, which may name a deleted tenant, or use --all-tenants")
            }
        }
        return .tenant(try await logTenant(invocation))
    }

    func clientNames() async throws -> ClientNames { ClientNames(try await configuration.tenants()) }
}

struct ClientNames: Sendable {
    private struct Key: Hashable {
        let tenant: String
        let client: String
    }

    private let names: [Key: String]

    init(_ tenants: [StoredTenant]) {
        let named = tenants.flatMap { part in
            part.clients.map { (Key(tenant: part.tenant.id.rawValue, client: $0.id.rawValue), $0.name) }
        }
        names = Dictionary(named) { $1 }
    }

    fileprivate func name(of client: String, in tenant: String) -> String? {
        names[Key(tenant: tenant, client: client)]
    }
}

extension LogRecord {
    func json(_ names: ClientNames) -> JSONObject {
        json(clientName: entry.client.flatMap { names.name(of: $0, in: entry.tenant) })
    }
}
