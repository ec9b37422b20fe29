package import AuthorizationCore
package import Primitives

extension TenantDocument {
    /// What the sealed box is bound to, so that it cannot be moved to another tenant, kind or id.
    package static func sealingContext(tenant: TenantID, kind: Kind, id: String) -> String {
        "tenant-document/\(tenant)/\(kind.rawValue)/\(id)"
    }

    /// A document with secrets, sealed.
    package init(
        _ kind: Kind, id: String, document: JSONObject, secrets: JSONObject, of tenant: TenantID,
        with sealer: any Sealer
    ) throws {
        let context = Self.sealingContext(tenant: tenant, kind: kind, id: id)
        self.init(
            kind, id: id, document: document,
            sealedSecrets: secrets.isEmpty
                ? [] : try sealer.seal(JSONWriter.bytes(.object(secrets)), context: context))
    }

    /// The secrets, opened. Throws what `Sealer.open` does.
    package func secrets(of tenant: TenantID, with sealer: any Sealer) throws -> JSONObject {
        guard !sealedSecrets.isEmpty else { return [:] }
        let context = Self.sealingContext(tenant: tenant, kind: kind, id: id)
        return try JSONReader.parse(sealer.open(sealedSecrets, context: context).bytes).objectValue ?? [:]
    }
}
