package import AuthorizationCore
package import Configuration
import Localization
package import Primitives

/// Manages a tenant's settings under Auth0's names. Unknown settings are stored and shown again.
package struct ManageTenantSettings: Sendable {
    /// Maximum bytes of unknown settings, as JSON.
    package static let keptLimit = 65_536

    /// Maximum of objects in a file that the API returns.
    private static let fileLimit = 10_000

    let store: any ConfigurationStore
    let ceilings: TenantCeilings

    package func settings(of tenant: TenantID) async throws -> JSONObject {
        try await store.view(tenant) { try Self.read($0).json }
    }

    /// The tenant as a file of `apply`, without users, keys and secrets.
    package func file(of tenant: TenantID) async throws -> JSONObject {
        let objects = try await store.objects(StoredTenant.parts, of: tenant).first
        guard (objects?.documents.count ?? 0) <= Self.fileLimit else {
            throw AdministrationFailure.unsupported(
                "The tenant has more than \(Self.fileLimit) objects; run countersign apply --print on the server")
        }
        let stored = try objects.flatMap { try StoredTenant($0) }.orUnknown(.tenant)
        return ["tenants": [.object(stored.fileEntry)]]
    }

    /// Replaces the members in `patch`, also within objects; null restores a default (RFC 7396).
    package func update(_ patch: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        let links = patch["link_verified_emails"] == true
        let choosesApp = patch["approval_app"] != nil
        let rights = links || choosesApp ? try await store.scopesOfEverybody(for: context) : []
        return try await store.edit(for: context) { change in
            if links { try context.requireOwn(rights, to: "having providers say which user an address belongs to") }
            if choosesApp { try context.requireOwn(rights, to: ManageApprovalApp.choosing) }
            let old = try Self.read(change.draft)
            let new = try old.patched(with: patch)
            try Self.check(new, patch: patch, change.draft)
            try checkCeilings(new.tenant.settings.document, over: old.tenant.settings.document, context)
            let fields = new.json.differences(from: old.json)
            guard !fields.isEmpty else { return new.json }
            change.draft.put(new.tenant)
            change.draft.put(TenantDocument(.tenantSettings, id: Self.id, document: new.kept))
            change.record(.changed, .tenant, context.tenant.rawValue, fields: fields)
            return new.json
        }
    }

    /// Checks the patch's references: defaults that do not exist break requests. An empty text refers to nothing.
    private static func check(_ new: TenantSettingsDocument, patch: JSONObject, _ draft: Draft) throws {
        let problems = Problems()
        if patch["default_audience"] != nil, let audience = new.tenant.settings.defaultAudience,
            !new.tenant.isUserinfoAudience(audience), audience != new.tenant.managementAudience,
            try draft.find(ResourceServer.self, audience) == nil
        {
            problems.add("default_audience", "\(audience) is no API of this tenant")
        }
        if let name = patch["default_directory"]?.stringValue, !name.isEmpty,
            try !draft.connectionsOrDefault().contains(where: { $0.name == name })
        {
            problems.add("default_directory", "\(name) is no connection of this tenant")
        }
        for (index, locale) in (patch["enabled_locales"]?.arrayValue ?? []).enumerated()
        where Language(tag: locale.stringValue ?? "") == nil {
            let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
            problems.add("enabled_locales[\(index)]", "is no language of the hosted pages, which have \(known)")
        }
        guard problems.list.isEmpty else { throw AdministrationFailure.invalid(problems.list) }
    }

    /// Refuses to raise a setting above the operator's ceiling. A higher value that the operator set may stay, and may be
    /// lowered.
    func checkCeilings(
        _ new: JSONObject, over old: JSONObject, at path: String = "", _ context: AdministrativeContext
    ) throws {
        if context.isOperator { return }
        let problems = Problems()
        for field in TenantSettings.fields.all {
            guard let ceiling = field.protection.ceiling.map({ ceilings[keyPath: $0] }),
                let value = new[field.name]?.intValue, value > max(ceiling, old[field.name]?.intValue ?? 0)
            else { continue }
            problems.add(path + field.name, "may be at most \(ceiling); the server's operator may set more")
        }
        guard problems.list.isEmpty else { throw AdministrationFailure.invalid(problems.list) }
    }

    private static let id = "settings"

    private static func read(_ draft: Draft) throws -> TenantSettingsDocument {
        TenantSettingsDocument(
            tenant: try draft.tenant().orUnknown(.tenant),
            kept: try draft.document(.tenantSettings, Self.id)?.document ?? [:])
    }
}

extension Managers {
    package var tenantSettings: ManageTenantSettings { ManageTenantSettings(store: store, ceilings: ceilings) }
}
