package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages a tenant's e-mail templates.
package struct ManageEmailTemplates: Sendable {
    package typealias Template = MailTemplate.Kind

    /// Limit in characters.
    package static let bodyLimit = 65_536

    private static let members = [
        "template", "body", "from", "subject", "syntax", "enabled", "resultUrl", "urlLifetimeInSeconds",
        "includeEmailInRedirect",
    ]

    let store: any ConfigurationStore

    package func template(_ template: Template, of tenant: TenantID) async throws -> JSONObject {
        try await store.view(tenant) { try $0.document(.emailTemplate, template.rawValue) }
            .orUnknown(.emailTemplate).document
    }

    /// In the order of their names.
    package func list(_ tenant: TenantID) async throws -> [JSONObject] {
        try await store.view(tenant) { try $0.documents(.emailTemplate) }.map(\.document)
    }

    package func remove(_ template: Template, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            _ = try change.draft.document(.emailTemplate, template.rawValue).orUnknown(.emailTemplate)
            change.remove(.emailTemplate, template.rawValue)
            change.record(.removed, .emailTemplate, template.rawValue)
        }
    }

    package func create(_ template: Template, _ document: JSONObject, for context: AdministrativeContext) async throws
        -> JSONObject
    {
        let rights = try await rights(template, context)
        return try await store.edit(for: context) { change in
            guard try change.draft.document(.emailTemplate, template.rawValue) == nil else {
                throw AdministrationFailure.conflict(.emailTemplate, same: "name")
            }
            return try Self.put(template, JSONObject().patched(with: document), over: nil, rights, &change)
        }
    }

    /// Replaces the whole template or creates it.
    package func replace(_ template: Template, _ document: JSONObject, for context: AdministrativeContext) async throws
        -> JSONObject
    {
        let rights = try await rights(template, context)
        return try await store.edit(for: context) { change in
            let old = try change.draft.document(.emailTemplate, template.rawValue)
            return try Self.put(template, JSONObject().patched(with: document), over: old?.document, rights, &change)
        }
    }

    /// Replaces `patch`'s members; null deletes.
    package func update(_ template: Template, _ patch: JSONObject, for context: AdministrativeContext) async throws
        -> JSONObject
    {
        let rights = try await rights(template, context)
        return try await store.edit(for: context) { change in
            let old = try change.draft.document(.emailTemplate, template.rawValue)
                .orUnknown(.emailTemplate)
            return try Self.put(template, old.document.patched(with: patch), over: old.document, rights, &change)
        }
    }

    /// Scopes for a mail with a link by which one can act as the user: those for such links, and those of all users.
    private func rights(_ template: Template, _ context: AdministrativeContext) async throws -> Set<String> {
        if template.scopes.isEmpty { return [] }
        return try await store.scopesOfEverybody(for: context).union(template.scopes)
    }

    private static func put(
        _ template: Template, _ document: JSONObject, over old: JSONObject?, _ rights: Set<String>,
        _ change: inout ConfigurationChange
    ) throws -> JSONObject {
        let new = document.patched(with: ["template": .string(template.rawValue)])
        try change.context.requireOwn(rights, to: "changing a mail with a link by which one can act as the user")
        try refuseOthers(new, than: members)
        do throws(DocumentProblem) {
            _ = try MailTemplate(template, new)
        } catch {
            throw AdministrationFailure.invalid([error])
        }
        change.draft.put(TenantDocument(.emailTemplate, id: template.rawValue, document: new))
        if let old {
            change.record(.emailTemplate, template.rawValue, from: old, to: new)
        } else {
            change.record(.created, .emailTemplate, template.rawValue, fields: new.members.map(\.name).sorted())
        }
        return new
    }
}
