package import Audit
package import AuthorizationCore
import Configuration
import Files
import Flows
import Glibc
import OpenSSLCrypto
import Persistence
package import Primitives
import SQL

/// A tenant that was written to a file, or read from one.
package struct MovedTenant: Sendable {
    package let tenant: TenantID
    /// Number of rows by table.
    package let rows: [String: Int]
    /// File with the key of the values that are sealed in the file.
    package let keyFile: String
}

extension Installation {
    /// Destination of an exported tenant.
    package enum ExportTarget: Sendable {
        /// A new file of mode 0600, which gets its name once it is whole.
        case file(String)
        /// Lines as they come. The last one shows that all are there.
        case stream(@Sendable ([UInt8]) -> Void)
    }

    /// Writes a tenant with all that goes along (`MovedTable`), on one snapshot. The server may keep running.
    /// - Parameter keyFile: key of the file's sealed values. It is made if it does not exist.
    /// - Throws: `InstallationRefusal`, `MasterKeyFailure`, or an error of a file or the store.
    package func exportTenant(
        _ tenant: TenantID, to target: ExportTarget, keyFile: String, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> MovedTenant {
        let tokenKey = try await derivedKeys().refreshTokens.key(of: tenant)
        if case .file(let name) = target, access(name, F_OK) == 0 { throw InstallationRefusal.taken(name) }
        let key = try PrivateFile.exists(keyFile) ? MasterKey(file: keyFile) : Self.makeKey(keyFile)
        let sealer = AESGCMSealer(masterKey: key)
        var file: NewFile?
        let write: @Sendable ([UInt8]) throws -> Void
        switch target {
        case .file(let name):
            let partial = try Self.partial(name)
            file = partial
            write = { try partial.append($0) }
        case .stream(let stream): write = stream
        }
        let writer = try TenantFile.Writer(
            TenantFile.Header(schema: Self.schema, tenant: tenant, at: now.iso8601), sealer, to: write)
        try await Self.refusingMoves {
            try await store.exportTenant(tenant, from: vault, to: sealer, tokenKey: tokenKey) { table, row in
                // A lost connection would begin the snapshot anew.
                guard table != "tenant" || writer.rows.isEmpty else {
                    throw InstallationRefusal("the connection to the database was lost", hint: "export again")
                }
                try writer.row(table, row)
            }
        }
        try writer.end()
        if case .file(let name) = target, let file { try Self.keep(file, orRefuse: .taken(name)) }
        try await store.record([
            AdministrativeContext(tenant: tenant, actor: actor, now: now)
                .event(.changed, of: AuditEvent.Object("tenant", "export"), details: [:])
        ])
        return MovedTenant(tenant: tenant, rows: writer.rows, keyFile: keyFile)
    }

    /// Reads a tenant from a file into an installation that does not have it: everything, or nothing. No server may use
    /// a database in the data folder, which has one writer, because the change may take long.
    /// - Parameter isTrial: checks everything and changes nothing.
    /// - Throws: `InstallationRefusal`, `MasterKeyFailure`, or an error of a file or the store.
    package static func importTenant(
        _ name: String, keyFile: String, into settings: ServerSettings, _ opening: DataFolder.Opening, isTrial: Bool,
        by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> MovedTenant {
        let file = try TenantFile.Checked(name, key: try MasterKey(file: keyFile), in: keyFile)
        guard file.schema == schema else {
            throw InstallationRefusal(
                "\(name) was exported by another version of this program (its schema is \(file.schema))",
                hint: "export and import with the same version: bring the older installation up to date first")
        }
        let installation = try await Installation(
            settings, opening, for: settings.store.isFile ? .withoutServer : .beside)
        return try await installation.whileOpen {
            _ = try installation.vault.masterKey
            try await refusingMoves {
                try await installation.store.importTenant(
                    file.tenant, from: file.key, to: installation.vault, isTrial: isTrial,
                    event: AdministrativeContext(tenant: file.tenant, actor: actor, now: now)
                        .event(.changed, of: AuditEvent.Object("tenant", "import"), details: [:])
                ) { try file.visit($0) }
            }
            return MovedTenant(tenant: file.tenant, rows: file.rows, keyFile: keyFile)
        }
    }

    /// Name of the schema's last step.
    private static var schema: String { Schema.migrations.last?.name ?? "" }

    private static func makeKey(_ file: String) throws -> MasterKey {
        let key = MasterKey.generate()
        try key.createFile(file)
        return key
    }

    private static func refusingMoves(_ work: () async throws -> Void) async throws {
        do { try await work() } catch let failure as TenantMoveFailure {
            throw InstallationRefusal("\(failure); nothing was changed", hint: failure.hint)
        } catch let box as ClosedBox {
            throw InstallationRefusal(
                "\(box.description); nothing was written", hint: "replace it first; docs/operations.md says how")
        }
    }
}

extension TenantMoveFailure {
    fileprivate var hint: String? {
        switch self {
        case .noTenant: "countersign tenant list shows them"
        case .tenantExists: "a tenant is never merged with another one: delete it first, if it is an earlier import"
        case .hostTaken: "remove the host there, or from the tenant before its export"
        case .changedRow: "docs/operations.md says how to go on under Changed rows"
        case .taken: "find it, and delete it if it came by an earlier import"
        case .unknownRow: "export again with this version of the program"
        }
    }
}

extension InstallationRefusal {
    fileprivate static func taken(_ file: String) -> InstallationRefusal {
        InstallationRefusal("\(file) already exists", hint: "name another file; an export replaces none")
    }
}
