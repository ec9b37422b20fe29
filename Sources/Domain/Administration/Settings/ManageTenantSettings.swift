public import AuthorizationCore
public import Primitives

/// A tenant's settings under the names that Auth0 gives them, beside those that it has not. What is known to nobody
/// here is kept and shown again.
public struct ManageTenantSettings: Sendable {
    /// Bytes that settings which are only kept may have, as JSON.
    public static let keptLimit = 65_536

    private let store: any ConfigurationStore

    public init(store: any ConfigurationStore) { self.store = store }

    public func settings(of tenant: TenantID) async throws -> JSONObject {
        try await store.read { try Self.read(tenant, $0).json }
    }

    /// Replaces what `patch` names, also within objects; null gives a setting its default again (RFC 7396).
    public func update(_ patch: JSONObject, for errand: Errand) async throws -> JSONObject {
        try await store.change(for: errand) { change in
            let old = try Self.read(errand.tenant, change.transaction)
            let new = try old.patched(with: patch)
            let fields = new.json.differences(from: old.json)
            guard !fields.isEmpty else { return new.json }
            try change.transaction.put(new.tenant)
            try change.transaction.put(
                TenantDocument(.tenantSettings, id: Self.id, document: new.kept), in: errand.tenant)
            try change.record(.changed, .tenant, errand.tenant.rawValue, fields: fields)
            return new.json
        }
    }

    private static let id = "settings"

    private static func read(_ id: TenantID, _ reader: any ConfigurationReader) throws -> TenantSettingsDocument {
        guard let tenant = try reader.tenant(id) else { throw AdministrationFailure.unknown(.tenant) }
        return TenantSettingsDocument(
            tenant: tenant, kept: try reader.document(.tenantSettings, Self.id, of: id)?.document ?? [:])
    }
}
