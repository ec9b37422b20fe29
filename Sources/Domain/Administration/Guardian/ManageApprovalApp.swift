package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages the app that a tenant's pages recommend for approvals (Auth0: the prompt `mfa-push`).
package struct ManageApprovalApp: Sendable {
    let store: any ConfigurationStore

    package func app(of tenant: TenantID) async throws -> JSONObject {
        try await store.view(tenant) { try $0.tenant() }.orUnknown(.tenant).settings.approvalApp.document
    }

    /// Changes the members of `patch`. Null deletes a member, and so does an empty text, as at Auth0.
    package func update(_ patch: JSONObject, for context: AdministrativeContext) async throws -> JSONObject {
        var changes = JSONObject()
        for (name, value) in patch { changes[name] = value == "" ? .null : value }
        return try await store.edit(for: context) { [changes] change in
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
