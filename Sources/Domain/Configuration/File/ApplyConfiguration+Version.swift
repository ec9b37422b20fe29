package import AuthorizationCore
import Primitives

extension ApplyConfiguration {
    /// Extent and condition of an application.
    package struct Options: Sendable {
        package var prune: Bool
        package var dryRun: Bool
        /// False for the dry run of somebody who may not know secrets: none is then compared with the stored one.
        package var comparesSecrets = true
        /// Versions of which the stored configuration must have one. Nil takes any.
        package var versions: Set<String>?

        package init(prune: Bool = false, dryRun: Bool = false) {
            self.prune = prune
            self.dryRun = dryRun
        }
    }

    package struct Outcome: Sendable {
        package let changes: [Change]
        /// Version that the configuration has now.
        package let version: String

        package init(changes: [Change], version: String) {
            self.changes = changes
            self.version = version
        }
    }

    /// The stored configuration has another version than the ones demanded. Nothing was changed.
    package struct Moved: Error {}

    /// Version of the tenants' configuration: another one after each change of what a file has, secrets included, except
    /// users, whom each login changes.
    package func version(of tenants: [TenantID]) async throws -> String {
        try await store.read { try version(of: tenants, $0) }
    }

    func version(of tenants: [TenantID], _ reader: any UserReader) throws -> String {
        let read = try tenants.flatMap { try reader.objects(StoredTenant.parts, of: $0) }
        return Hex.encode(hashing.sha256(read.flatMap(\.versionedText)).prefix(16))
    }

    /// The version before a change, within the change's transaction.
    func checkedVersion(of tenants: [TenantID], _ options: Options, _ reader: any UserReader) throws -> String {
        let version = try version(of: tenants, reader)
        if let expected = options.versions, !expected.contains(version) { throw Moved() }
        return version
    }
}

extension ConfigurationObjects {
    /// Each part with its length, so that no two configurations have the same text. The sealed key makes it unknown to
    /// everybody who has no access to the store: nobody can try secrets by comparing versions.
    fileprivate var versionedText: [UInt8] {
        var parts = [Array(id.rawValue.utf8), webPushKey?.sealedPrivateKey ?? []]
        parts.append(tenant.map { JSONWriter.bytes(.object($0.document)) } ?? [])
        for stored in documents {
            parts += [
                Array(stored.kind.rawValue.utf8), Array(stored.id.utf8), JSONWriter.bytes(.object(stored.document)),
                stored.sealedSecrets,
            ]
            parts += stored.secretHashes
        }
        return parts.flatMap { Array("\($0.count):".utf8) + $0 }
    }
}
