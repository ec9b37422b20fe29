import Audit
package import AuthorizationCore
package import Configuration
package import JOSE
package import Primitives

/// Rotates and revokes signing keys without downtime. Next, current and previous keys are published, so tokens verify
/// before, during and after their key's use.
package struct ManageSigningKeys: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        case unknownTenant
        case unknownKey
        /// The tenant has no keys of this algorithm.
        case unusedAlgorithm(JWSAlgorithm)
        case alreadyRevoked
        /// The key signs and had to be spared.
        case isCurrent
        /// Too many published previous keys, the oldest until `until`.
        case tooManyPrevious(JWSAlgorithm, until: Timestamp)
    }

    /// Maximum previous keys of one algorithm that rotation leaves published.
    package static let previousLimit = 8

    let store: any ConfigurationStore
    let keys: any SigningKeyFactory

    /// Sorted by algorithm and age.
    package func list(_ tenant: TenantID) async throws -> [SigningKey] {
        try await store.view(tenant) { try Self.keys($0) }.sorted {
            ($0.algorithm.rawValue, $0.createdAt) < ($1.algorithm.rawValue, $1.createdAt)
        }
    }

    /// Makes the next key current and the current key previous, and publishes a new next key. Nil rotates every
    /// algorithm in use. Returns the new current keys. Throws `tooManyPrevious`, or the error of
    /// `SigningKeyFactory.signer` if a next key cannot be opened.
    package func rotate(_ algorithm: JWSAlgorithm?, for context: AdministrativeContext) async throws -> [SigningKey] {
        let (tenant, now) = (context.tenant, context.now)
        let stored = try await list(tenant)
        let used = Set(stored.filter { $0.status == .current }.map(\.algorithm))
        if let algorithm, !used.contains(algorithm) { throw Failure.unusedAlgorithm(algorithm) }
        let algorithms = algorithm.map { [$0] } ?? used.sorted { $0.rawValue < $1.rawValue }
        let made = try algorithms.map { try keys.make($0, tenant: tenant, status: .next, now: now) }
        // Changes nothing if a next key cannot be opened.
        for key in stored where key.status == .next && algorithms.contains(key.algorithm) {
            _ = try keys.signer(for: key)
        }
        return try await store.edit(for: context) { change in
            let previous = try Self.keys(change.draft).filter { $0.status == .previous }
            for algorithm in algorithms {
                let ends = previous.filter { $0.algorithm == algorithm }.compactMap(\.isNeededUntil)
                if ends.count >= Self.previousLimit, let first = ends.min() {
                    throw Failure.tooManyPrevious(algorithm, until: first)
                }
            }
            return try made.map { try Self.advance($0, in: &change, isNoted: true) }
        }
    }

    /// Unpublishes a key, so that its signatures no longer verify. If it was current, the next key signs at once,
    /// unless `sparesCurrent`. A revoked next key is replaced. A changed row does not say what its key was, so then every
    /// algorithm in use gets what it lacks. Returns the key.
    package func revoke(
        _ id: SigningKeyID, sparesCurrent: Bool = false, for context: AdministrativeContext
    ) async throws -> SigningKey {
        let (tenant, now) = (context.tenant, context.now)
        let known = try await list(tenant)
        guard let key = known.first(where: { $0.id == id }) else { throw Failure.unknownKey }
        guard key.status != .revoked else { throw Failure.alreadyRevoked }
        // Keys are dear to make, so a refused revocation makes none.
        if sparesCurrent, key.status == .current { throw Failure.isCurrent }
        guard key.isIntact else {
            return try await revokeChanged(key, among: known, sparesCurrent: sparesCurrent, context)
        }
        let replacement = try keys.make(key.algorithm, tenant: tenant, status: .next, now: now)
        // If the next key was changed or cannot be opened, it cannot replace the revoked key and is revoked, too.
        let closed = known.first {
            key.status == .current && $0.status == .next && $0.algorithm == key.algorithm
                && (!$0.isIntact || (try? keys.signer(for: $0)) == nil)
        }
        let spare = try closed.map { _ in try keys.make(key.algorithm, tenant: tenant, status: .next, now: now) }
        return try await store.edit(for: context) { change in
            let stored = try Self.keys(change.draft)
            guard var revoked = stored.first(where: { $0.id == id }) else { throw Failure.unknownKey }
            guard revoked.status != .revoked else { throw Failure.alreadyRevoked }
            let status = revoked.status
            if sparesCurrent, status == .current { throw Failure.isCurrent }
            revoked.become(.revoked, at: now)
            switch status {
            case .current:
                // Stored first, because only one key of an algorithm may be current.
                change.draft.put(revoked)
                if let spare, var closed = stored.first(where: { $0.id == closed?.id && $0.status == .next }) {
                    closed.become(.revoked, at: now)
                    change.draft.put(closed)
                    change.record(Self.event(.keyRevoked, closed, context))
                    change.draft.put(spare)
                }
                _ = try Self.advance(replacement, in: &change, isNoted: false)
            case .next:
                change.draft.put(revoked)
                change.draft.put(replacement)
            case .previous, .revoked: change.draft.put(revoked)
            }
            change.record(Self.event(.keyRevoked, revoked, context))
            return revoked
        }
    }

    private func revokeChanged(
        _ key: SigningKey, among known: [SigningKey], sparesCurrent: Bool, _ context: AdministrativeContext
    ) async throws -> SigningKey {
        let (tenant, now) = (context.tenant, context.now)
        let used = Set(known.filter { $0.isIntact && $0.status != .revoked }.map(\.algorithm)).union([.rs256])
        let spares = try SigningKeySupply(keys).missing(used, among: [], tenant: tenant, now: now)
        return try await store.edit(for: context) { change in
            let stored = try Self.keys(change.draft)
            guard var revoked = stored.first(where: { $0.id == key.id }) else { throw Failure.unknownKey }
            guard revoked.status != .revoked else { throw Failure.alreadyRevoked }
            if sparesCurrent, revoked.status == .current { throw Failure.isCurrent }
            revoked.become(.revoked, at: now)
            change.draft.put(revoked)
            let left = try Self.keys(change.draft)
            for spare in spares where spare.status == .next {
                let own = left.filter { $0.algorithm == spare.algorithm }
                guard !own.contains(where: { $0.status == .current }),
                    own.contains(where: { $0.status == .next && $0.isIntact })
                else { continue }
                _ = try Self.advance(spare, in: &change, isNoted: false)
            }
            _ = try SigningKeySupply.put(spares, in: &change.draft)
            change.record(Self.event(.keyRevoked, revoked, context))
            return revoked
        }
    }

    /// Revokes previous keys not needed since `end`: all their tokens have expired. Returns the keys.
    package func retire(endedBefore end: Timestamp, now: Timestamp) async throws -> [SigningKey] {
        @Sendable func isOver(_ key: SigningKey) -> Bool { key.isNeededUntil.map { $0 < end } ?? false }
        var retired: [SigningKey] = []
        for part in try await store.tenants() where part.signingKeys.contains(where: isOver) {
            let context = AdministrativeContext(tenant: part.tenant.id, actor: .system, now: now)
            retired += try await store.edit(for: context) { change in
                try change.draft.signingKeys().filter(isOver).map { key in
                    var key = key
                    key.become(.revoked, at: now)
                    change.draft.put(key)
                    change.record(
                        Self.event(.keyRevoked, key, context, reason: "no token that it signed is valid any more"))
                    return key
                }
            }
        }
        return retired
    }

    /// Issues certificates for keys of earlier versions, once. Skips keys that cannot be opened. Returns the number
    /// issued.
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
        // Keeps certificates that another node stored meanwhile.
        for (tenant, keys) in Dictionary(grouping: made, by: \.tenant) {
            _ = try await store.commit(
                ConfigurationCommit(tenant, keys.map { .certificate($0) }), ifVersion: nil)
        }
        return made.count
    }

    /// current → previous, next → current, `replacement` → next. Returns the new current key.
    private static func advance(
        _ replacement: SigningKey, in change: inout ConfigurationChange, isNoted: Bool
    ) throws -> SigningKey {
        let now = change.context.now
        let stored = try keys(change.draft).filter { $0.algorithm == replacement.algorithm }
        if var current = stored.first(where: { $0.status == .current }) {
            current.become(.previous, at: now)
            change.draft.put(current)
        }
        guard var next = stored.first(where: { $0.status == .next && $0.isIntact }) else {
            throw Failure.unusedAlgorithm(replacement.algorithm)
        }
        next.become(.current, at: now)
        change.draft.put(next)
        change.draft.put(replacement)
        if isNoted { change.record(event(.keyRotated, next, change.context)) }
        return next
    }

    private static func keys(_ draft: Draft) throws -> [SigningKey] {
        guard try draft.tenant() != nil else { throw Failure.unknownTenant }
        return try draft.signingKeys()
    }

    private static func event(
        _ kind: AuditEvent.Kind, _ key: SigningKey, _ context: AdministrativeContext, reason: String? = nil
    ) -> AuditEvent {
        var details: JSONObject = ["kid": .string(key.id.rawValue), "alg": .string(key.algorithm.rawValue)]
        if let reason { details["reason"] = .string(reason) }
        return context.event(kind, of: AuditEvent.Object("key", key.id.rawValue), details: details)
    }
}

extension Managers {
    package var signingKeys: ManageSigningKeys { ManageSigningKeys(store: store, keys: keys) }
}
