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

    /// Stores and returns keys still missing.
    package static func put(
        _ made: [SigningKey], beside stored: [SigningKey], in transaction: any ConfigurationTransaction
    ) throws -> [SigningKey] {
        let missing = made.filter { key in
            !stored.contains { $0.algorithm == key.algorithm && $0.status == key.status }
        }
        for key in missing { try transaction.put(key) }
        return missing
    }
}
