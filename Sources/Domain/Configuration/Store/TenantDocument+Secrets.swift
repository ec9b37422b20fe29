package import AuthorizationCore
package import Primitives

extension TenantDocument {
    /// Binds the sealed box to its tenant, kind and id, so that it cannot be moved.
    package static func sealingContext(tenant: TenantID, kind: Kind, id: String) -> String {
        kind == .connection
            ? UpstreamProvider.sealingContext(tenant: tenant, connection: id)
            : "tenant-document/\(tenant)/\(kind.rawValue)/\(id)"
    }

    /// Seals the secrets.
    package init(
        _ kind: Kind, id: String, document: JSONObject, secrets: JSONObject, of tenant: TenantID,
        with sealer: any Sealer
    ) throws {
        let context = Self.sealingContext(tenant: tenant, kind: kind, id: id)
        self.init(
            kind, id: id, document: document,
            sealedSecrets: secrets.isEmpty ? [] : try sealer.seal(JSONWriter.bytes(.object(secrets)), context: context))
    }

    /// Opens the secrets. Throws what `Sealer.open` does.
    package func secrets(of tenant: TenantID, with sealer: any Sealer) throws -> JSONObject {
        guard !sealedSecrets.isEmpty else { return [:] }
        let context = Self.sealingContext(tenant: tenant, kind: kind, id: id)
        return try JSONReader.parse(sealer.open(sealedSecrets, context: context).bytes).objectValue ?? [:]
    }
}
