import Audit
import Administration
import AuthorizationCore
import Configuration
import JOSE
import Primitives
import Synchronization
import TestSupport

/// Hashes with SHA-256 and a new salt each time, so that hashes of equal passwords differ. Counts calls.
final class FakePasswords: PasswordHasher {
    private let counts = Mutex((hashed: 0, verified: 0))

    var hashed: Int { counts.withLock { $0.hashed } }
    var verified: Int { counts.withLock { $0.verified } }

    private static func encode(_ password: SecretBytes, salt: String) -> String {
        "fake$\(salt)$" + Hex.encode(Samples.hashing.sha256(Array(salt.utf8) + password.bytes))
    }

    func hash(_ form: Password.Form) async throws -> String {
        let salt = counts.withLock { counts in
            counts.hashed += 1
            return counts.hashed
        }
        return Self.encode(form.bytes, salt: "\(salt)")
    }

    func verify(_ form: Password.Form, against encoded: String) async throws -> Bool {
        counts.withLock { $0.verified += 1 }
        let parts = encoded.split(separator: "$")
        return parts.count == 3 && Self.encode(form.bytes, salt: String(parts[1])) == encoded
    }

    func needsRehash(_ encoded: String) -> Bool { false }
}

/// Signing keys that differ only in their ids.
final class FakeKeys: SigningKeyFactory, RealKeyFiles {
    struct Failure: Error {}

    private let made = Mutex(0)
    private let closed = Mutex<Set<SigningKeyID>>([])
    private let fails: Bool

    init(fails: Bool = false) { self.fails = fails }

    func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey {
        guard !fails else { throw Failure() }
        let number = made.withLock { made in
            made += 1
            return made
        }
        var key = try Keys.signer(algorithm).publicKey
        key.keyID = "key-\(number)"
        return SigningKey(
            id: SigningKeyID("key-\(number)"), tenant: tenant, algorithm: algorithm, status: status,
            sealedPrivateKey: [UInt8(truncatingIfNeeded: number)], publicKey: key, createdAt: now, changedAt: now)
    }

    /// Makes a key impossible to open.
    func close(_ key: SigningKeyID) { closed.withLock { _ = $0.insert(key) } }

    func certificate(for key: SigningKey, now: Timestamp) throws -> [UInt8] {
        try open(key)
        return Array("\(key.id)".utf8)
    }

    func makeWebPushKey(for tenant: TenantID) throws -> WebPushKey {
        WebPushKey(tenant: tenant, sealedPrivateKey: [1])
    }

    func signer(for key: WebPushKey) throws -> any Signer { try Keys.signer(.es256) }

    func signer(for key: SigningKey) throws -> any Signer {
        try open(key)
        return try Keys.signer(key.algorithm)
    }

    private func open(_ key: SigningKey) throws {
        if closed.withLock({ $0.contains(key.id) }) { throw Failure() }
    }
}

/// A store with a service to apply files.
struct AdministrationFixture {
    let made: TemporaryStore
    let store: any ConfigurationStore
    let passwords = FakePasswords()
    let apply: ApplyConfiguration

    init() async throws {
        made = try await TemporaryStore()
        store = made.store
        apply = ApplyConfiguration(
            store: store, hashing: Samples.hashing, passwords: passwords,
            sealer: Samples.sealer, keys: FakeKeys(), schemas: Samples.schemas)
    }

    /// Applies a file and returns one line for each object except keys.
    @discardableResult
    func apply(_ text: String, prune: Bool = false, at now: Timestamp = Samples.start) async throws -> [String] {
        try await apply.apply(try file(text, now: now), prune: prune, by: .account("jo"), now: now).filter {
            $0.kind != "key"
        }.map {
            let fields = $0.fields.isEmpty ? "" : " (\($0.fields.joined(separator: ", ")))"
            return "\($0.action) \($0.kind) \($0.name)\(fields)"
        }
    }

    func part(_ tenant: String = "dev") async throws -> StoredTenant? {
        try await store.tenants().first { $0.tenant.id == TenantID(tenant) }
    }

    func user(_ id: String, in tenant: String = "dev") async throws -> User? {
        try await store.change { try $0.user(UserID(id), in: TenantID(tenant))?.user }
    }

    func passwordHash(_ id: String, in tenant: String = "dev") async throws -> String? {
        try await store.change { try $0.user(UserID(id), in: TenantID(tenant))?.passwordHash }
    }
}

/// Reads a file; the only external secrets are `SECRET` and `/run/secret`.
func file(_ text: String, now: Timestamp = Samples.start) throws -> ConfigurationFile {
    try ConfigurationFile(parsing: Array(text.utf8), now: now) { source in
        switch source {
        case .text(let text): SecretBytes(utf8: text)
        case .environment("SECRET"): SecretBytes(utf8: "environment-secret-of-32-bytes-or-more")
        case .file("/run/secret"): SecretBytes(utf8: "a-file's-secret-of-32-bytes-or-more")
        case .environment, .file: nil
        }
    }
}
