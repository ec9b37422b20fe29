package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages a tenant's e-mail provider. A tenant has at most one.
package struct ManageEmailProvider: Sendable {
    private static let id = "provider"
    private static let credentials = "credentials"
    private static let textLimit = 16_384

    private let store: any ConfigurationStore
    private let sealer: any Sealer

    package init(store: any ConfigurationStore, sealer: any Sealer) {
        self.store = store
        self.sealer = sealer
    }

    /// The provider without its secrets.
    package func provider(of tenant: TenantID) async throws -> JSONObject {
        try await store.read { try $0.document(.emailProvider, Self.id, of: tenant) }.orUnknown(.emailProvider).document
    }

    /// `document` has `name` and `credentials`, maybe `enabled`, `default_from_address` and `settings`.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        try await store.change(for: context) { change in
            guard try change.transaction.document(.emailProvider, Self.id, of: context.tenant) == nil else {
                throw AdministrationFailure.conflict(.emailProvider, same: "tenant")
            }
            let new = try Self.read(JSONObject().patched(with: document))
            try put(new, change)
            try change.record(.created, .emailProvider, Self.id, fields: new.document.members.map(\.name).sorted())
            return new.document
        }
    }

    /// Replaces the members in `patch`; null deletes one. Credentials are merged unless the provider changes. A change
    /// of a secret's destination needs the secret: a new destination must not receive the old one.
    package func update(_ patch: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        try await store.change(for: context) { change in
            let old = try change.transaction.document(.emailProvider, Self.id, of: context.tenant)
                .orUnknown(.emailProvider)
            let oldSecrets = try old.secrets(of: context.tenant, with: sealer)
            var whole = old.document
            var known = old.document[Self.credentials]?.objectValue ?? [:]
            for (name, value) in oldSecrets { known[name] = value }
            let isAnother = patch["name"].map { $0 != old.document["name"] } ?? false
            whole[Self.credentials] = isAnother ? nil : .object(known)
            let new = try Self.read(whole.merged(with: patch))
            if new.document[Self.credentials] != old.document[Self.credentials] {
                try Self.requireSecrets(new.secrets, in: patch)
            }
            var fields = new.document.differences(from: old.document)
            if new.secrets != oldSecrets, !fields.contains(Self.credentials) { fields.append(Self.credentials) }
            guard !fields.isEmpty else { return new.document }
            try put(new, change)
            try change.record(.changed, .emailProvider, Self.id, fields: fields.sorted())
            return new.document
        }
    }

    package func remove(for context: AdministrativeContext) async throws {
        try await store.change(for: context) { change in
            guard try change.transaction.remove(document: .emailProvider, Self.id, from: context.tenant) else {
                throw AdministrationFailure.unknown(.emailProvider)
            }
            try change.record(.removed, .emailProvider, Self.id)
        }
    }

    private static func requireSecrets(_ secrets: JSONObject, in patch: JSONObject) throws(AdministrationFailure) {
        for (name, _) in secrets where patch[credentials]?[name] == nil {
            throw .invalid(
                "\(credentials).\(name)",
                "is required when other credentials change: the stored secret is never sent elsewhere")
        }
    }

    private func put(_ new: (document: JSONObject, secrets: JSONObject), _ change: ConfigurationChange) throws {
        try change.transaction.put(
            TenantDocument(
                .emailProvider, id: Self.id, document: new.document, secrets: new.secrets, of: change.tenant,
                with: sealer),
            in: change.tenant)
    }

    /// Separates the credentials' secrets. Refuses credentials that the provider does not have.
    private static func read(
        _ document: JSONObject
    ) throws(AdministrationFailure) -> (document: JSONObject, secrets: JSONObject) {
        guard let provider = document["name"]?.stringValue.flatMap(EmailProvider.init(rawValue:)) else {
            let names = EmailProvider.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("name", "must be one of \(names)")
        }
        let given = document[credentials]?.objectValue ?? [:]
        for credential in provider.credentials where credential.isRequired && given[credential.name] == nil {
            throw .invalid("\(credentials).\(credential.name)", "is required for \(provider.rawValue)")
        }
        for (name, value) in given {
            guard provider.credentials.contains(where: { $0.name == name }) else {
                throw .invalid("\(credentials).\(name)", "is no credential of \(provider.rawValue)")
            }
            if name == "smtp_port" {
                guard let port = value.intValue, (1...65_535).contains(port) else {
                    throw .invalid("\(credentials).\(name)", "must be a whole number from 1 to 65535")
                }
            } else if (value.stringValue?.utf8.count).map({ (1...textLimit).contains($0) }) != true {
                throw .invalid("\(credentials).\(name)", "must be a text of 1 to \(textLimit) bytes")
            }
        }
        var shown = document
        if shown["enabled"] == nil { shown["enabled"] = true }
        let secrets = Set(provider.credentials.filter(\.isSecret).map(\.name))
        shown[credentials] = .object(given.filtered { !secrets.contains($0) })
        return (shown, given.filtered(secrets.contains))
    }
}
