package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages a tenant's e-mail provider. A tenant has at most one.
package struct ManageEmailProvider: Sendable {
    private static let id = "provider"
    private static let credentials = EmailProvider.credentialsMember
    /// Everything but the secrets is stored as it is and shown, so nothing else is taken.
    private static let members = ["name", "enabled", credentials, MailSettings.senderMember, "settings"]

    let store: any ConfigurationStore
    let sealer: any Sealer

    /// The provider without its secrets.
    package func provider(of tenant: TenantID) async throws -> JSONObject {
        try await store.view(tenant) { try $0.document(.emailProvider, Self.id) }.orUnknown(.emailProvider).document
    }

    /// `document` has `name` and `credentials`, maybe `enabled`, `default_from_address` and `settings`.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        try await requireRights(context)
        return try await store.edit(for: context) { change in
            guard try change.draft.document(.emailProvider, Self.id) == nil else {
                throw AdministrationFailure.conflict(.emailProvider, same: "tenant")
            }
            let new = try Self.read(JSONObject().patched(with: document))
            try put(new, &change)
            change.record(.created, .emailProvider, Self.id, fields: new.document.members.map(\.name).sorted())
            return new.document
        }
    }

    /// Sets the whole provider, in place of the one before, also of one whose secrets cannot be opened.
    package func replace(_ document: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        try await requireRights(context)
        return try await store.edit(for: context) { change in
            let old = try change.draft.document(.emailProvider, Self.id)
            let new = try Self.read(JSONObject().patched(with: document))
            var fields = new.document.members.map(\.name)
            if let old {
                fields = new.document.differences(from: old.document)
                if (try? old.secrets(of: context.tenant, with: sealer)) != new.secrets,
                    !fields.contains(Self.credentials)
                {
                    fields.append(Self.credentials)
                }
            }
            guard !fields.isEmpty else { return new.document }
            try put(new, &change)
            change.record(old == nil ? .created : .changed, .emailProvider, Self.id, fields: fields.sorted())
            return new.document
        }
    }

    /// Replaces the members in `patch`; null deletes one. Credentials are merged unless the provider changes. A change
    /// of a secret's destination needs the secret: a new destination must not receive the old one. Secrets that cannot be
    /// opened have to be given anew.
    package func update(_ patch: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        try await requireRights(context)
        return try await store.edit(for: context) { change in
            let old = try change.draft.document(.emailProvider, Self.id)
                .orUnknown(.emailProvider)
            let opened = try? old.secrets(of: context.tenant, with: sealer)
            if opened == nil { try Self.requireSecrets(of: old, in: patch) }
            let oldSecrets = opened ?? [:]
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
            guard opened == nil || !fields.isEmpty else { return new.document }
            try put(new, &change)
            change.record(.changed, .emailProvider, Self.id, fields: fields.sorted())
            return new.document
        }
    }

    package func remove(for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            _ = try change.draft.document(.emailProvider, Self.id).orUnknown(.emailProvider)
            change.remove(.emailProvider, Self.id)
            change.record(.removed, .emailProvider, Self.id)
        }
    }

    private func requireRights(_ context: AdministrativeContext) async throws {
        try context.requireOwn(
            try await store.scopesOfEverybody(for: context), to: "choosing the server that gets every user's mails")
    }

    /// Requires all secrets of a provider whose stored ones cannot be opened.
    private static func requireSecrets(
        of old: TenantDocument, in patch: JSONObject
    ) throws(AdministrationFailure) {
        let name = (patch["name"] ?? old.document["name"])?.stringValue
        guard let provider = name.flatMap(EmailProvider.init(rawValue:)) else { return }
        for credential in provider.credentials
        where credential.isSecret && patch[credentials]?[credential.name] == nil {
            throw .invalid(
                "\(credentials).\(credential.name)", "is required, because the stored secret cannot be opened any more")
        }
    }

    private static func requireSecrets(_ secrets: JSONObject, in patch: JSONObject) throws(AdministrationFailure) {
        for (name, _) in secrets where patch[credentials]?[name] == nil {
            throw .invalid(
                "\(credentials).\(name)",
                "is required when other credentials change: the stored secret is never sent elsewhere")
        }
    }

    private func put(_ new: (document: JSONObject, secrets: JSONObject), _ change: inout ConfigurationChange) throws {
        change.draft.put(
            try TenantDocument(
                .emailProvider, id: Self.id, document: new.document, secrets: new.secrets, of: change.tenant,
                with: sealer))
    }

    private static func read(
        _ document: JSONObject
    ) throws(AdministrationFailure) -> (document: JSONObject, secrets: JSONObject) {
        try refuseOthers(document, than: members)
        do throws(DocumentProblem) {
            return try EmailProvider.separated(document)
        } catch {
            throw .invalid([error])
        }
    }
}

/// Refuses members that nobody reads.
func refuseOthers(_ document: JSONObject, than members: [String]) throws(AdministrationFailure) {
    for (name, _) in document where !members.contains(name) {
        throw .invalid(name, Spelling.unknownField(name, among: members))
    }
}

/// The managers of a tenant's mail.
package struct ManageMail: Sendable {
    package let provider: ManageEmailProvider
    package let templates: ManageEmailTemplates
}

extension Managers {
    package var mail: ManageMail {
        ManageMail(
            provider: ManageEmailProvider(store: store, sealer: sealer), templates: ManageEmailTemplates(store: store))
    }
}
