package import AuthorizationCore
package import Configuration
package import Primitives
import X509

/// Manages a tenant's credentials at push services.
package struct ManagePushProviders: Sendable {
    let store: any ConfigurationStore
    let sealer: any Sealer
    let keys: any KeyFileReader

    /// Settings without secrets, and whether there are secrets. Nil means unset.
    package func settings(
        of provider: PushProvider, in tenant: TenantID
    ) async throws -> (document: JSONObject, hasSecrets: Bool)? {
        try await store.view(tenant) { try $0.document(.pushProvider, provider.rawValue) }
            .map { ($0.document, !$0.sealedSecrets.isEmpty) }
    }

    /// Replaces the members in `document`, or all; null deletes one. Returns the settings without secrets. Stored secrets
    /// that cannot be opened count as absent, and have to be given anew.
    package func set(
        _ provider: PushProvider, _ document: JSONObject, replacesAll: Bool, for context: AdministrativeContext
    ) async throws -> JSONObject {
        try await store.edit(for: context) { change in
            let seen = try change.draft.document(.pushProvider, provider.rawValue)
            let opened = try? seen?.secrets(of: context.tenant, with: sealer) ?? [:]
            if opened == nil, !replacesAll { try Self.requireSecret(of: provider, in: document) }
            let oldSecrets = opened ?? [:]
            let shown = (replacesAll ? [:] : seen?.document ?? [:])
                .patched(with: document.filtered { !provider.secrets.contains($0) })
            let secrets = (replacesAll ? [:] : oldSecrets)
                .patched(with: document.filtered { provider.secrets.contains($0) })
            let fields = (shown.differences(from: seen?.document ?? [:]) + secrets.differences(from: oldSecrets))
                .sorted()
            guard seen == nil || opened == nil || !fields.isEmpty else { return shown }
            do throws(DocumentProblem) {
                // Now, not when the first notification is sent.
                try PushServices.check(provider, shown, secrets, newSince: oldSecrets, keys: keys, now: context.now)
            } catch {
                throw AdministrationFailure.invalid([error])
            }
            change.draft.put(
                try TenantDocument(
                    .pushProvider, id: provider.rawValue, document: shown, secrets: secrets, of: context.tenant,
                    with: sealer))
            change.record(seen == nil ? .created : .changed, .pushProvider, provider.rawValue, fields: fields)
            return shown
        }
    }

    private static func requireSecret(of provider: PushProvider, in document: JSONObject) throws {
        let names = provider.secrets.sorted()
        guard !names.contains(where: { document[$0]?.isNull == false }) else { return }
        throw AdministrationFailure.invalid(
            names.joined(separator: " or "), "is required, because the stored secret cannot be opened any more")
    }

    /// Deletes the settings. Throws for settings that are not there.
    package func remove(_ provider: PushProvider, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            _ = try change.draft.document(.pushProvider, provider.rawValue).orUnknown(.pushProvider)
            change.remove(.pushProvider, provider.rawValue)
            change.record(.removed, .pushProvider, provider.rawValue)
        }
    }
}

extension JSONObject {
    func filtered(_ isWanted: (String) -> Bool) -> JSONObject {
        var filtered = JSONObject()
        for (name, value) in self where isWanted(name) { filtered[name] = value }
        return filtered
    }
}

extension Managers {
    package var pushProviders: ManagePushProviders { ManagePushProviders(store: store, sealer: sealer, keys: keys) }
}
