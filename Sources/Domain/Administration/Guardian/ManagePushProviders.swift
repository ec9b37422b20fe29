package import AuthorizationCore
package import Configuration
package import Primitives
package import X509

/// Manages a tenant's credentials at push services.
package struct ManagePushProviders: Sendable {
    private let store: any ConfigurationStore
    private let sealer: any Sealer
    private let keys: any KeyFileReader

    package init(store: any ConfigurationStore, sealer: any Sealer, keys: any KeyFileReader) {
        self.store = store
        self.sealer = sealer
        self.keys = keys
    }

    /// Settings without secrets, and whether there are secrets. Nil means unset.
    package func settings(
        of provider: PushProvider, in tenant: TenantID
    ) async throws -> (document: JSONObject, hasSecrets: Bool)? {
        try await store.read { try $0.document(.pushProvider, provider.rawValue, of: tenant) }
            .map { ($0.document, !$0.sealedSecrets.isEmpty) }
    }

    /// Replaces the members in `document`, or all; null deletes one. Returns the settings without secrets. Stored secrets
    /// that cannot be opened count as absent, and have to be given anew.
    package func set(
        _ provider: PushProvider, _ document: JSONObject, replacesAll: Bool, for context: AdministrativeContext
    ) async throws -> JSONObject {
        for _ in 0..<Self.tries {
            let seen = try await store.read {
                try $0.document(.pushProvider, provider.rawValue, of: context.tenant)
            }
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
            let isDone = try await store.change(for: context) { change in
                guard try change.transaction.document(.pushProvider, provider.rawValue, of: context.tenant) == seen
                else { return false }
                try change.transaction.put(
                    TenantDocument(
                        .pushProvider, id: provider.rawValue, document: shown, secrets: secrets, of: context.tenant,
                        with: sealer),
                    in: context.tenant)
                try change.record(seen == nil ? .created : .changed, .pushProvider, provider.rawValue, fields: fields)
                return true
            }
            if isDone { return shown }
        }
        throw AdministrationFailure.unsupported("The settings are being changed by others; try again")
    }

    private static func requireSecret(of provider: PushProvider, in document: JSONObject) throws {
        let names = provider.secrets.sorted()
        guard !names.contains(where: { document[$0]?.isNull == false }) else { return }
        throw AdministrationFailure.invalid(
            names.joined(separator: " or "), "is required, because the stored secret cannot be opened any more")
    }

    /// Tries until nobody else changed the settings meanwhile: opening a key file takes too long for a transaction.
    private static let tries = 5

    /// Deletes the settings. Throws for settings that are not there.
    package func remove(_ provider: PushProvider, for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            guard try change.transaction.remove(document: .pushProvider, provider.rawValue, from: context.tenant) else {
                throw AdministrationFailure.unknown(.pushProvider)
            }
            try change.record(.removed, .pushProvider, provider.rawValue)
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
