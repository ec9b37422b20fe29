package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages the app that a tenant's pages recommend for approvals (Auth0: the prompt `mfa-push`).
package struct ManageApprovalApp: Sendable {
    let store: any ConfigurationStore

    /// The app that a page recommends gets the key of whoever follows the page.
    static let choosing = "choosing the app that every user is told to approve with"

    package func app(of tenant: TenantID) async throws -> JSONObject {
        try await store.view(tenant) { try $0.tenant() }.orUnknown(.tenant).settings.approvalApp.document
    }

    /// Changes the members of `patch`. Null deletes a member, and so does an empty text, as at Auth0.
    package func update(_ patch: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        var changes = JSONObject()
        for (name, value) in patch { changes[name] = value == "" ? .null : value }
        let rights = try await store.scopesOfEverybody(for: context)
        return try await store.edit(for: context) { [changes] change in
            try context.requireOwn(rights, to: Self.choosing)
            var tenant = try change.draft.tenant().orUnknown(.tenant)
            let old = tenant.settings.approvalApp.document
            tenant.settings.approvalApp = try DocumentFields.entity(old.patched(with: changes)) { fields in
                var app = ApprovalApp()
                ApprovalApp.fields.read(fields, into: &app)
                return app
            }
            let new = tenant.settings.approvalApp.document
            let names = new.differences(from: old)
            guard !names.isEmpty else { return new }
            change.draft.put(tenant)
            change.record(
                .changed, .tenant, context.tenant.rawValue, fields: names.map { "approval_app.\($0)" })
            return new
        }
    }
}

extension Managers {
    package var approvalApp: ManageApprovalApp { ManageApprovalApp(store: store) }
}
