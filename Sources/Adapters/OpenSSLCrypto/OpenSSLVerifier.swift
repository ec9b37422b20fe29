package import JOSE
import Synchronization

/// Checks signatures with OpenSSL. Copies share one cache of parsed keys.
package struct OpenSSLVerifier: Verifier {
    private let contexts: VerificationContexts

    /// - Parameter capacity: Minimum number of cached keys; at most twice as many are cached.
    package init(capacity: Int = 4096) { contexts = VerificationContexts(capacity: capacity) }

    package func verify(_ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, key: JWK) -> Bool {
        guard key.allows(algorithm), let context = contexts.context(for: key.material, algorithm) else { return false }
        return context.verify(signature, of: message)
    }

    package func isUsable(_ key: JWK) -> Bool {
        guard let handle = try? KeyHandle(key.material) else { return false }
        return handle.isSound
    }
}

/// Cache of parsed keys. Parsing costs up to a third of a verification, and more for RSA.
///
/// Two generations bound the cache. When the young one is full, it replaces the old one, which is dropped. A used key
/// moves to the young generation, so dropped keys were unused for a generation.
private final class VerificationContexts: Sendable {
    private struct Name: Hashable {
        let material: JWK.Material
        let algorithm: JWSAlgorithm
    }

    private struct Generations {
        var young: [Name: SignatureContext] = [:]
        var old: [Name: SignatureContext] = [:]
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    init(capacity: Int) { self.capacity = max(1, capacity) }

    func context(for material: JWK.Material, _ algorithm: JWSAlgorithm) -> SignatureContext? {
        let name = Name(material: material, algorithm: algorithm)
        let known = generations.withLock { generations -> SignatureContext? in
            if let context = generations.young[name] { return context }
            guard let context = generations.old[name] else { return nil }
            insert(context, name, &generations)
            return context
        }
        if let known { return known }
        // Outside the lock. It is harmless if two threads parse the same key.
        guard let key = try? KeyHandle(material), let context = try? SignatureContext(key, algorithm, .verify) else {
            return nil
        }
        generations.withLock { insert(context, name, &$0) }
        return context
    }

    private func insert(_ context: SignatureContext, _ name: Name, _ generations: inout Generations) {
        if generations.young.count >= capacity {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[name] = context
    }
}
