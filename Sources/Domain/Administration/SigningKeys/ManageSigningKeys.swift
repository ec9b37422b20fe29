package import Audit
package import AuthorizationCore
package import Configuration
package import JOSE
package import Primitives

/// Rotates and revokes signing keys without downtime: next, current and previous keys are published, so that a token
/// can be verified before, while and after its key signs.
package struct ManageSigningKeys: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        case unknownTenant
        case unknownKey
        /// The tenant has no keys of that algorithm.
        case unusedAlgorithm(JWSAlgorithm)
        case alreadyRevoked
        /// The key signs, and was to be spared if it did.
        case isCurrent
        /// As many previous keys as allowed are published, the oldest until then.
        case tooManyPrevious(JWSAlgorithm, until: Timestamp)
    }

    /// Previous keys of one algorithm that a tenant publishes at most, by rotating.
    package static let previousLimit = 8

    private let store: any ConfigurationStore
    private let keys: any SigningKeyFactory

    package init(store: any ConfigurationStore, keys: any SigningKeyFactory) {
        self.store = store
        self.keys = keys
    }

    /// Keys of a tenant, by algorithm and age.
    package func list(_ tenant: TenantID) async throws -> [SigningKey] {
        let parts = try await store.tenants()
        guard let part = parts.first(where: { $0.tenant.id == tenant }) else { throw Failure.unknownTenant }
        return part.signingKeys.sorted { ($0.algorithm.rawValue, $0.createdAt) < ($1.algorithm.rawValue, $1.createdAt) }
    }

    /// The next key signs from now on, the current one becomes previous, and a new next one is published. Nil rotates
    /// every algorithm the tenant uses. Returns the keys that sign now. Throws `tooManyPrevious`, and what `SigningKeyFactory.signer` does where
    /// a next key cannot be opened.
    package func rotate(
        _ tenant: TenantID, algorithm: JWSAlgorithm?, by actor: AuditEvent.Actor, remoteAddress: String? = nil,
        now: Timestamp
    ) async throws -> [SigningKey] {
        let context = AdministrativeContext(tenant: tenant, actor: actor, remoteAddress: remoteAddress, now: now)
        let stored = try await list(tenant)
        let used = Set(stored.filter { $0.status == .current }.map(\.algorithm))
        if let algorithm, !used.contains(algorithm) { throw Failure.unusedAlgorithm(algorithm) }
        let algorithms = algorithm.map { [$0] } ?? used.sorted { $0.rawValue < $1.rawValue }
        let made = try algorithms.map { try keys.make($0, tenant: tenant, status: .next, now: now) }
        // What is to sign from now on must be able to: nothing is changed where it cannot be opened.
        for key in stored where key.status == .next && algorithms.contains(key.algorithm) {
            _ = try keys.signer(for: key)
        }
        return try await store.change { transaction in
            let previous = try Self.keys(of: tenant, in: transaction).filter { $0.status == .previous }
            for algorithm in algorithms {
                let ends = previous.filter { $0.algorithm == algorithm }.compactMap(\.isNeededUntil)
                if ends.count >= Self.previousLimit, let first = ends.min() {
                    throw Failure.tooManyPrevious(algorithm, until: first)
                }
            }
            return try made.map { try Self.advance($0, in: transaction, for: context, isNoted: true) }
        }
    }

    /// Drops a key from what is published, so that nothing it signed verifies any more. Where it was the current one,
    /// the next one signs from now on, unless that is to be spared; a revoked next key is replaced. Returns the key.
    package func revoke(
        _ id: SigningKeyID, tenant: TenantID, sparesCurrent: Bool = false, by actor: AuditEvent.Actor,
        remoteAddress: String? = nil, now: Timestamp
    ) async throws -> SigningKey {
        let context = AdministrativeContext(tenant: tenant, actor: actor, remoteAddress: remoteAddress, now: now)
        let known = try await list(tenant)
        guard let key = known.first(where: { $0.id == id }) else { throw Failure.unknownKey }
        guard key.status != .revoked else { throw Failure.alreadyRevoked }
        let replacement = try keys.make(key.algorithm, tenant: tenant, status: .next, now: now)
        // A next key that cannot be opened cannot sign in the place of the one that is revoked: it goes as well.
        let closed = known.first {
            key.status == .current && $0.status == .next && $0.algorithm == key.algorithm
                && (try? keys.signer(for: $0)) == nil
        }
        let spare = try closed.map { _ in try keys.make(key.algorithm, tenant: tenant, status: .next, now: now) }
        return try await store.change { transaction in
            let stored = try Self.keys(of: tenant, in: transaction)
            guard var revoked = stored.first(where: { $0.id == id }) else { throw Failure.unknownKey }
            guard revoked.status != .revoked else { throw Failure.alreadyRevoked }
            let status = revoked.status
            if sparesCurrent, status == .current { throw Failure.isCurrent }
            revoked.become(.revoked, at: now)
            switch status {
            case .current:
                // The revoked key leaves its place first: only one key of an algorithm may be current.
                try transaction.put(revoked)
                if let spare, var closed = stored.first(where: { $0.id == closed?.id && $0.status == .next }) {
                    closed.become(.revoked, at: now)
                    try transaction.put(closed)
                    try transaction.record(Self.event(.keyRevoked, closed, context))
                    try transaction.put(spare)
                }
                _ = try Self.advance(replacement, in: transaction, for: context, isNoted: false)
            case .next:
                try transaction.put(revoked)
                try transaction.put(replacement)
            case .previous, .revoked: try transaction.put(revoked)
            }
            try transaction.record(Self.event(.keyRevoked, revoked, context))
            return revoked
        }
    }

    /// Drops previous keys that are needed no more since before `end`: no token that they signed is valid. Returns them.
    package func retire(endedBefore end: Timestamp, now: Timestamp) async throws -> [SigningKey] {
        @Sendable func isOver(_ key: SigningKey) -> Bool { key.isNeededUntil.map { $0 < end } ?? false }
        guard try await store.tenants().contains(where: { $0.signingKeys.contains(where: isOver) }) else {
            return []
        }
        return try await store.change { transaction in
            var retired: [SigningKey] = []
            for var key in try transaction.tenants().flatMap(\.signingKeys) where isOver(key) {
                key.become(.revoked, at: now)
                try transaction.put(key)
                let context = AdministrativeContext(tenant: key.tenant, actor: .system, now: now)
                try transaction.record(
                    Self.event(.keyRevoked, key, context, reason: "no token that it signed is valid any more"))
                retired.append(key)
            }
            return retired
        }
    }

    /// Gives certificates to keys of an older version, once; those that cannot be opened stay without. Returns how many
    /// were given.
    package func certify(now: Timestamp) async throws -> Int {
        let bare = try await store.tenants().flatMap(\.signingKeys).filter {
            $0.certificate.isEmpty && $0.status != .revoked
        }
        let made = bare.compactMap { key -> SigningKey? in
            guard let certificate = try? keys.certificate(for: key, now: now) else { return nil }
            var key = key
            key.certificate = certificate
            return key
        }
        guard !made.isEmpty else { return 0 }
        // What the store has by now stays: another node may have been faster.
        try await store.change { transaction in for key in made { try transaction.certify(key) } }
        return made.count
    }

    /// current → previous, next → current, and `replacement` becomes next. Returns the new current key.
    private static func advance(
        _ replacement: SigningKey, in transaction: any ConfigurationTransaction, for context: AdministrativeContext,
        isNoted: Bool
    ) throws -> SigningKey {
        let stored = try keys(of: replacement.tenant, in: transaction).filter { $0.algorithm == replacement.algorithm }
        if var current = stored.first(where: { $0.status == .current }) {
            current.become(.previous, at: context.now)
            try transaction.put(current)
        }
        guard var next = stored.first(where: { $0.status == .next }) else {
            throw Failure.unusedAlgorithm(replacement.algorithm)
        }
        next.become(.current, at: context.now)
        try transaction.put(next)
        try transaction.put(replacement)
        if isNoted { try transaction.record(Self.event(.keyRotated, next, context)) }
        return next
    }

    private static func keys(of tenant: TenantID, in transaction: any ConfigurationTransaction) throws -> [SigningKey] {
        guard let part = try transaction.tenants().first(where: { $0.tenant.id == tenant }) else {
            throw Failure.unknownTenant
        }
        return part.signingKeys
    }

    private static func event(
        _ kind: AuditEvent.Kind, _ key: SigningKey, _ context: AdministrativeContext, reason: String? = nil
    ) -> AuditEvent {
        var details: JSONObject = ["kid": .string(key.id.rawValue), "alg": .string(key.algorithm.rawValue)]
        if let reason { details["reason"] = .string(reason) }
        return context.event(kind, of: AuditEvent.Object("key", key.id.rawValue), details: details)
    }
}
