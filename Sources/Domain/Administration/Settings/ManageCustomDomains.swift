package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages a tenant's host names. DNS and certificates are the operator's task. The server looks nothing up. If it has
/// several tenants, only its operator assigns names, by the tenant's `custom_domains`.
package struct ManageCustomDomains: Sendable {
    private static let name = "domain"

    let store: any ConfigurationStore
    let hashing: any Hashing

    /// By name, including configured ones.
    package func list(_ tenant: TenantID) async throws -> [CustomDomain] {
        try await store.view(tenant) { try domains($0) }
    }

    package func domain(_ id: String, of tenant: TenantID) async throws -> CustomDomain {
        try Self.find(id, in: try await list(tenant))
    }

    /// `document` has `domain`, which must be unassigned, and members to store. The tenant is served under it only
    /// after verification. Until then, other tenants can claim it.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> CustomDomain {
        guard let domain = document[Self.name]?.stringValue.flatMap(CustomDomain.normalized) else {
            throw AdministrationFailure.invalid(Self.name, "must be a name of the DNS, such as login.example.com")
        }
        let id = CustomDomain.id(of: domain, hashing)
        try context.requireOwn(
            try await store.scopesOfEverybody(for: context), to: "naming a host for the links of every user")
        return try await store.edit(for: context) { change in
            let isClaimed = try change.draft.document(.customDomain, id) != nil
            guard !isClaimed, try !change.draft.everyTenant().contains(where: { $0.hosts.contains(domain) })
            else { throw AdministrationFailure.conflict(.customDomain, same: "name") }
            let kept = JSONObject().patched(with: document).patched(with: [Self.name: .string(domain)])
            change.draft.put(TenantDocument(.customDomain, id: id, document: kept))
            change.record(.created, .customDomain, id)
            return CustomDomain(id: id, domain: domain, isReady: false, document: kept)
        }
    }

    /// Replaces `patch`'s members; null deletes. The name stays.
    package func update(_ id: String, _ patch: JSONObject, for context: AdministrativeContext) async throws
        -> CustomDomain
    {
        try await store.edit(for: context) { change in
            let old = try Self.find(id, in: domains(change.draft))
            let kept = old.document.patched(with: patch.filtered { $0 != Self.name })
            change.draft.put(TenantDocument(.customDomain, id: id, document: kept))
            change.record(.customDomain, id, from: old.document, to: kept)
            return CustomDomain(id: id, domain: old.domain, isReady: old.isReady, document: kept)
        }
    }

    /// Serves the tenant under the name at once if the server has no other tenant. Otherwise returns the domain
    /// unchanged, ready once the operator assigns it.
    package func verify(_ id: String, for context: AdministrativeContext) async throws -> CustomDomain {
        try await store.edit(for: context) { change in
            let old = try Self.find(id, in: domains(change.draft))
            guard !old.isReady else { return old }
            let tenants = try change.draft.everyTenant()
            guard !tenants.contains(where: { $0.hosts.contains(old.domain) }) else {
                throw AdministrationFailure.conflict(.customDomain, same: "name")
            }
            guard tenants.count == 1, var tenant = tenants.first, tenant.id == context.tenant else { return old }
            tenant.hosts.append(old.domain)
            change.draft.put(tenant)
            change.record(.changed, .customDomain, id, fields: ["status"])
            return CustomDomain(id: id, domain: old.domain, isReady: true, document: old.document)
        }
    }

    /// Stops serving the tenant under the name.
    package func remove(_ id: String, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            let old = try Self.find(id, in: domains(change.draft))
            if old.isReady, var tenant = try change.draft.tenant() {
                tenant.hosts.removeAll { $0 == old.domain }
                change.draft.put(tenant)
            }
            change.remove(.customDomain, id)
            change.record(.removed, .customDomain, id)
        }
    }

    private func domains(_ draft: Draft) throws -> [CustomDomain] {
        let tenant = try draft.tenant().orUnknown(.tenant)
        var documents: [String: JSONObject] = [:]
        for host in tenant.hosts.dropFirst() { documents[host] = [Self.name: .string(host)] }
        for kept in try draft.documents(.customDomain) {
            if let domain = kept.document[Self.name]?.stringValue { documents[domain] = kept.document }
        }
        return documents.sorted { $0.key < $1.key }.map { domain, document in
            CustomDomain(
                id: CustomDomain.id(of: domain, hashing), domain: domain,
                isReady: tenant.hosts.dropFirst().contains(domain), document: document)
        }
    }

    private static func find(_ id: String, in domains: [CustomDomain]) throws(AdministrationFailure) -> CustomDomain {
        try domains.first { $0.id == id }.orUnknown(.customDomain)
    }
}

extension Managers {
    package var customDomains: ManageCustomDomains { ManageCustomDomains(store: store, hashing: hashing) }
}
