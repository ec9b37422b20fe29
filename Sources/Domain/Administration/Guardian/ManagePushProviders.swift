package import AuthorizationCore
package import Configuration
package import Primitives
import X509

/// Manages a tenant's credentials at push services.
package struct ManagePushProviders: Sendable {
    package enum Provider: String, Sendable, CaseIterable {
        case apns, fcm, fcmv1, sns

        /// Secret members: stored sealed and never shown.
        package var secrets: Set<String> {
            switch self {
            case .apns: ["p12"]
            case .fcm: ["server_key"]
            case .fcmv1: ["server_credentials"]
            case .sns: ["aws_secret_access_key"]
            }
        }
    }

    private let store: any ConfigurationStore
    private let sealer: any Sealer

    package init(store: any ConfigurationStore, sealer: any Sealer) {
        self.store = store
        self.sealer = sealer
    }

    /// Settings without secrets, and whether there are secrets. Nil means unset.
    package func settings(
        of provider: Provider, in tenant: TenantID
    ) async throws -> (document: JSONObject, hasSecrets: Bool)? {
        try await store.read { try $0.document(.pushProvider, provider.rawValue, of: tenant) }
            .map { ($0.document, !$0.sealedSecrets.isEmpty) }
    }

    /// Replaces the members in `document`, or all; null deletes one. Returns the settings without secrets.
    package func set(
        _ provider: Provider, _ document: JSONObject, replacesAll: Bool, for context: AdministrativeContext
    ) async throws -> JSONObject {
        try Self.check(document, provider)
        return try await store.change(for: context) { change in
            let old = try change.transaction.document(.pushProvider, provider.rawValue, of: context.tenant)
            let oldSecrets = try old?.secrets(of: context.tenant, with: sealer) ?? [:]
            let shown = (replacesAll ? [:] : old?.document ?? [:])
                .patched(with: document.filtered { !provider.secrets.contains($0) })
            let secrets = (replacesAll ? [:] : oldSecrets)
                .patched(with: document.filtered { provider.secrets.contains($0) })
            let fields = (shown.differences(from: old?.document ?? [:]) + secrets.differences(from: oldSecrets))
                .sorted()
            guard old == nil || !fields.isEmpty else { return shown }
            try change.transaction.put(
                TenantDocument(
                    .pushProvider, id: provider.rawValue, document: shown, secrets: secrets, of: context.tenant,
                    with: sealer),
                in: context.tenant)
            try change.record(old == nil ? .created : .changed, .pushProvider, provider.rawValue, fields: fields)
            return shown
        }
    }

    /// Checks the secrets' format now, not when the first notification is sent.
    private static func check(_ document: JSONObject, _ provider: Provider) throws(AdministrationFailure) {
        if let text = document["p12"]?.stringValue, Base64.decode(text).map(PKCS12File.isOne) != true {
            throw .invalid("p12", "must be a PKCS #12 file in Base64")
        }
        if let text = document["server_credentials"]?.stringValue {
            let account = (try? JSONReader.parse(Array(text.utf8)))?.objectValue
            for name in ["project_id", "client_email", "private_key"] where account?[name]?.stringValue == nil {
                throw .invalid("server_credentials", "must be the JSON of a service account, with \(name)")
            }
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
