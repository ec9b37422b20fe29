package import AuthorizationCore
package import Primitives

/// An object of a tenant as the store keeps it: a client, an API, a setting, a template.
package struct TenantDocument: Sendable, Equatable {
    package typealias Kind = StoredKind

    package let kind: Kind
    package let id: String
    package var document: JSONObject
    /// Credentials, sealed with `sealingContext`. Empty means none.
    package var sealedSecrets: [UInt8]
    /// SHA-256 of each valid client secret.
    package var secretHashes: [[UInt8]]

    package init(
        _ kind: Kind, id: String, document: JSONObject, sealedSecrets: [UInt8] = [], secretHashes: [[UInt8]] = []
    ) {
        self.kind = kind
        self.id = id
        self.document = document
        self.sealedSecrets = sealedSecrets
        self.secretHashes = secretHashes
    }
}
