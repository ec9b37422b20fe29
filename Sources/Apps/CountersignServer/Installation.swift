import Audit
import AuthorizationCore
import Configuration
import Files
import Glibc
import MicroHTTPServer
import OpenSSLCrypto
package import Persistence
import PostgreSQLDriver
import Primitives
import RE2Patterns
package import SQL
import SQLiteDriver
import Tracing

/// An open data folder: store, master key and certificates. Commands can open one beside a running server.
@dynamicMemberLookup
package final class Installation: Sendable {
    package let store: Store
    let vault: Vault
    let keys: SealedKeys
    /// The one log of refusals, because two would count apart.
    let refusals: RefusalLog
    let schemas = SchemaRegistry(RE2SchemaFactory())
    /// Missing files that were created, as texts for people.
    package let made: [String]
    /// The path as it was given, possibly relative to the working folder.
    package var dataFolder: String { settings.dataFolder }
    let settings: ServerSettings
    let database: any ServedDatabase
    /// Nil records no traces.
    let tracer: Tracer?
    /// Held by a server, and by a command that needs the folder to itself.
    private let lock: ServingLock?

    /// Processes that may work on the folder at the same time.
    package enum Use: Sendable {
        /// A server and other commands.
        case beside
        /// Commands.
        case serving
        /// No server.
        case withoutServer
    }

    private init(
        _ settings: ServerSettings, database: any ServedDatabase, vault: Vault, made: [String] = [],
        lock: ServingLock? = nil
    ) {
        self.settings = settings
        self.database = database
        self.vault = vault
        self.made = made
        self.lock = lock
        tracer = settings.traceEndpoint.map { _ in
            Tracer(ratio: settings.traceRatio) { SystemClock().nanoseconds }
        }
        store = Store(
            database: database, hashing: OpenSSLHashing(), rows: vault,
            traces: tracer.map { StoreTraces($0, system: settings.store.engine) })
        keys = SealedKeys(sealer: vault)
        refusals = RefusalLog(log: store)
    }

    /// Opens the folder to change it. With `creating`, makes what is missing: the folder, the database, and the master
    /// key of a new database.
    ///
    /// An existing database without its master key opens too, for work that needs no key; other work throws
    /// `MasterKeyFailure.missing`. Throws `MasterKeyFailure.another` if the key is not the database's, and
    /// `InstallationRefusal` if `DataFolder` refuses the folder, if another process uses the folder in a way that `use`
    /// excludes, or if a server of an older version uses it.
    package convenience init(
        _ settings: ServerSettings, _ opening: DataFolder.Opening = .existing, for use: Use = .beside,
        migrations: [Migration] = Schema.migrations
    ) async throws {
        let path = settings.storeName
        let server = try Self.naming(path) { try settings.openServer(isAlone: use == .withoutServer) }
        if let server, use == .withoutServer { try await Self.requireAlone(server, path) }
        let hasTables = try await server?.hasTables
        guard hasTables != false || opening == .creating else { throw InstallationRefusal.noTables(path, opening) }
        let folder = try DataFolder(settings.dataFolder, opening, isServer: use == .serving, hasTables: hasTables)
        var made = folder.isMade ? ["data folder \(DataFolder.absolute(folder.path))"] : []
        let lock: ServingLock? =
            switch use {
            case .beside: nil
            case .serving: try ServingLock(folder, refusal: InstallationRefusal.secondServer)
            case .withoutServer: try ServingLock(folder, refusal: InstallationRefusal.besideServer)
            }
        var key = try Self.masterKey(settings, forNewDatabase: folder.isNew ? folder : nil, &made)
        if folder.isNew {
            // SQLite gives its other files the owner of this one.
            if server == nil { try PrivateFile.makeEmpty(path, for: folder.owner) }
            made.append(server == nil ? "database \(path)" : "tables of the \(path)")
        }
        let database: any ServedDatabase
        if let server {
            database = server
        } else {
            var configuration = SQLiteConfiguration(path: path)
            configuration.overwritesDeleted = use == .withoutServer
            database = try Self.naming(path) { try SQLiteDatabase(configuration) }
        }
        do {
            let store = Store(database: database, hashing: OpenSSLHashing(), rows: key.vault)
            if let foreign = try await store.foreignTable() { throw ForeignSchema(path: path, object: foreign) }
            try await Self.bringUpToDate(database, folder, migrations, isLocked: lock != nil)
            if let foreign = try await store.foreignObject() { throw ForeignSchema(path: path, object: foreign) }
            key = try await key.matching(store)
            if lock != nil, let file = key.file, key.isInterruptedExchange {
                let old = try KeyAtHand.replace(file, for: folder.owner, suffix: SystemClock().now.compact)
                made.append("master key \(file), which completes an interrupted exchange; the old key is \(old)")
            }
            if key.vault.isOpen { try await key.vault.settle(store, source: key.source) }
        } catch {
            await database.close()
            throw Self.naming(path, error)
        }
        self.init(settings, database: database, vault: key.vault, made: made, lock: lock)
    }

    static func naming<Result>(_ path: String, _ open: () throws -> Result) throws -> Result {
        do { return try open() } catch { throw naming(path, error) }
    }

    private static func naming(_ path: String, _ error: any Error) -> any Error {
        (error as? SQLError).map { UnusableDatabase(place: path, reason: $0) } ?? error
    }

    /// A database with parts of somebody else.
    package struct ForeignSchema: Error, CustomStringConvertible {
        let path: String
        let object: String

        package var description: String { "\(path): \(object)" }
    }

    private static func bringUpToDate(
        _ database: any ServedDatabase, _ folder: DataFolder, _ migrations: [Migration], isLocked: Bool
    ) async throws {
        do {
            try await database.requireMigrated(migrations)
        } catch MigrationError.olderDatabase(let step) {
            // A running server cannot work with a newer schema. At the first step no server can be running.
            let mayRun = !isLocked && step != migrations.first?.name && folder.isThere
            let migrating =
                mayRun
                ? try ServingLock(folder, refusal: InstallationRefusal.besideOlderServer) : nil
            defer { withExtendedLifetime(migrating) {} }
            _ = try await database.migrate(migrations)
        }
    }

    /// Opens a database for reading, also with an account that may only read: creates and changes nothing, and needs no
    /// master key. Throws `InstallationRefusal` without a database or its tables, and `OlderDatabase` if the database needs a
    /// migration, unless `ofAnyVersion` is set.
    package convenience init(
        reading settings: ServerSettings, ofAnyVersion: Bool = false, migrations: [Migration] = Schema.migrations
    ) async throws {
        if settings.store.isFile { try DataFolder.requireDatabase(settings.dataFolder) }
        let path = settings.storeName
        let database = try Self.naming(path) { () -> any ServedDatabase in
            if let server = try settings.openServer(reading: true) { return server }
            return try SQLiteDatabase(reading: SQLiteConfiguration(path: path))
        }
        self.init(
            settings, database: database,
            vault: Vault(closedBy: .missing(file: Self.masterKeyFile(settings))))
        do {
            if !settings.store.isFile, try await !database.hasTables {
                throw InstallationRefusal.noTables(path, .existing)
            }
            if !ofAnyVersion { try await database.requireMigrated(migrations) }
        } catch {
            await database.close()
            if case MigrationError.olderDatabase = error { throw OlderDatabase(path: path, reason: error) }
            throw Self.naming(path, error)
        }
    }

    /// The same database with a master key.
    func opened(by vault: Vault) -> Installation { Installation(settings, database: database, vault: vault) }

    /// A database that needs a migration before this version can read it.
    package struct OlderDatabase: Error, CustomStringConvertible {
        let path: String
        let reason: any Error

        package var description: String {
            "\(path): \(reason). Start countersign serve, or run a command that may change the database, such as "
                + "countersign keys list; either brings it up to date"
        }
    }

    package static func databaseFile(folder: String) -> String { folder + "/countersign.db" }

    static func masterKeyFile(_ settings: ServerSettings) -> String {
        settings.masterKeyFile ?? settings.dataFolder + "/master.key"
    }

    /// Creates a key only for a new database in `folder`: a key created later could not open the sealed values.
    static func masterKey(
        _ settings: ServerSettings, forNewDatabase folder: DataFolder? = nil, _ made: inout [String]
    ) throws -> KeyAtHand {
        if let key = settings.masterKey { return KeyAtHand(vault: Vault(key), source: "that was given", file: nil) }
        let file = masterKeyFile(settings)
        if settings.masterKeyFile == nil, isMissing(file) {
            guard let folder else {
                return KeyAtHand(vault: Vault(closedBy: .missing(file: file)), source: "in \(file)", file: file)
            }
            try MasterKey.generate().createFile(file, for: folder.owner)
            made.append("master key \(file)")
        }
        do {
            return KeyAtHand(vault: Vault(try MasterKey(file: file)), source: "in \(file)", file: file)
        } catch {
            throw SettingFailure(setting: "master-key-file", reason: "\(error)")
        }
    }

    /// False if the path exists but cannot be accessed.
    private static func isMissing(_ path: String) -> Bool {
        let status = access(path, F_OK)
        let number = errno
        return status != 0 && number == ENOENT
    }

    /// The certificate file of the local authority, which clients must trust. Nil unless TLS is local.
    package var authorityFile: String? {
        settings.tls == .local ? Self.authorityFile(folder: settings.dataFolder) : nil
    }

    /// The certificate file of a data folder's local authority. The file may not exist.
    package static func authorityFile(folder: String) -> String { folder + "/tls/ca.pem" }

    /// The certificate for the hosts of all tenants.
    func tlsIdentity(for configuration: ConfigurationSnapshot) throws -> TLSIdentity? {
        switch settings.tls {
        case .off: return nil
        case .files(let certificate, let key):
            do {
                return TLSIdentity(
                    certificateChainPEM: try Self.text(of: certificate), privateKeyPEM: try Self.text(of: key))
            } catch let failure as FileFailure {
                throw settings.tlsFailure(failure.description)
            }
        case .local:
            let authority = try LocalCA(folder: settings.dataFolder + "/tls", now: SystemClock().now)
            let hosts = configuration.tenants.flatMap(\.tenant.hosts)
            let names = hosts.map { $0.split(separator: ":").first.map(String.init) ?? $0 }
            var known = ["localhost", "127.0.0.1", "::1"]
            for name in [settings.developmentHost].compactMap(\.self) + names where !known.contains(name) {
                known.append(name)
            }
            let certificate = try authority.serverCertificate(names: known, now: SystemClock().now)
            return TLSIdentity(
                certificateChainPEM: String(decoding: certificate.certificatePEM, as: UTF8.self),
                privateKeyPEM: String(decoding: certificate.privateKeyPEM.bytes, as: UTF8.self))
        }
    }

    /// Refuses a pipe or a device, for which a reader might wait forever.
    static func text(of path: String) throws -> String {
        var bytes: [UInt8] = []
        try readPieces(of: path, isRegular: true) { piece in
            bytes += piece
            return true
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Passes the file to `visit` piece by piece, until it returns false.
    static func readPieces(
        of path: String, isRegular: Bool = false, _ visit: (ArraySlice<UInt8>) throws -> Bool
    ) throws {
        // Opening a pipe for reading would wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | (isRegular ? O_NONBLOCK : 0))
        guard file >= 0 else { throw FileFailure("cannot open \(path)") }
        defer { Glibc.close(file) }
        var status = stat()
        if isRegular {
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw FileFailure("\(path) is no regular file", number: EINVAL)
            }
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure("cannot read \(path)") }
            guard count > 0, try visit(buffer[..<count]) else { return }
        }
    }

    package func close() async { await database.close() }

    /// Does `work`, and closes the folder whether or not it failed.
    package func whileOpen<Result>(_ work: () async throws -> Result) async throws -> Result {
        try await Self.ending(work) { await close() }
    }
}
