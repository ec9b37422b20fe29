package import AuthorizationCore
package import Primitives

/// A tenant's document with its secrets.
package struct OpenedDocument: Sendable {
    package let kind: TenantDocument.Kind
    package let id: String
    package let document: JSONObject
    package let secrets: JSONObject

    init(kind: TenantDocument.Kind, id: String, document: JSONObject, secrets: JSONObject) {
        self.kind = kind
        self.id = id
        self.document = document
        self.secrets = secrets
    }

    /// Throws what `TenantDocument.secrets` does.
    package init(_ stored: TenantDocument, of tenant: TenantID, with sealer: any Sealer) throws {
        kind = stored.kind
        id = stored.id
        document = stored.document
        secrets = try stored.secrets(of: tenant, with: sealer)
    }
}
