package import AuthorizationCore
package import JOSE
package import Primitives

/// Supplies a current and a next key for every algorithm that a tenant signs with.
package struct SigningKeySupply: Sendable {
    private let factory: any SigningKeyFactory

    package init(_ factory: any SigningKeyFactory) { self.factory = factory }

    /// Generates the missing keys. Slow, so call it before a transaction.
    package func missing(
        _ algorithms: Set<JWSAlgorithm>, among stored: [SigningKey], tenant: TenantID, now: Timestamp
    ) throws -> [SigningKey] {
        var made: [SigningKey] = []
        for algorithm in algorithms.sorted(by: { $0.rawValue < $1.rawValue }) {
            for status in [SigningKey.Status.current, .next]
            where !stored.contains(where: { $0.algorithm == algorithm && $0.status == status }) {
                made.append(try factory.make(algorithm, tenant: tenant, status: status, now: now))
            }
        }
        return made
    }

    /// Nil if the tenant has a key.
    package func missingWebPushKey(of part: StoredTenant?, tenant: TenantID) throws -> WebPushKey? {
        try part?.webPushKey == nil ? factory.makeWebPushKey(for: tenant) : nil
    }

    /// Makes the keys that an exchange of the master key gave up. A key that another node stores meanwhile stays.
    package func completeWebPushKeys(in store: any ConfigurationStore) async throws {
        for part in try await store.tenants() {
            guard let key = try missingWebPushKey(of: part, tenant: part.tenant.id) else { continue }
            _ = try await store.commit(ConfigurationCommit(part.tenant.id, [.webPushKey(key)]), ifVersion: nil)
        }
    }

    /// Stores and returns keys still missing. A tenant whose row was changed is written anew, but its keys are still
    /// there.
    package static func put(_ made: [SigningKey], in draft: inout Draft) throws -> [SigningKey] {
        guard !made.isEmpty else { return [] }
        let stored = try draft.signingKeys()
        let missing = made.filter { key in
            !stored.contains { $0.algorithm == key.algorithm && $0.status == key.status }
        }
        for key in missing { draft.put(key) }
        return missing
    }
}
