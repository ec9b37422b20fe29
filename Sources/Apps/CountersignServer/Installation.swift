import Administration
import AuthorizationCore
import Glibc
import MicroHTTPServer
import OpenSSLCrypto
package import Persistence
import Primitives
import RE2Patterns
package import SQL
import SQLiteDriver

/// A data folder, opened: the store, the master key and the certificates. Commands open one beside a running server.
package final class Installation: Sendable {
    package let store: Store
    let vault: Vault
    let keys: SealedKeys
    let schemas = SchemaRegistry(RE2SchemaFactory())
    /// What was made because it was missing, for people.
    package let made: [String]
    /// As it was given, perhaps relative to the working folder.
    package var dataFolder: String { settings.dataFolder }
    let settings: ServerSettings
    let database: SQLiteDatabase
    /// Held by a server, and by a command that needs the folder for itself.
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
        _ settings: ServerSettings, database: SQLiteDatabase, vault: Vault, made: [String] = [],
        lock: ServingLock? = nil
    ) {
        self.settings = settings
        self.database = database
        self.vault = vault
        self.made = made
        self.lock = lock
        store = Store(database: database, hashing: OpenSSLHashing())
        keys = SealedKeys(sealer: vault)
    }

    /// Makes what is missing: the folder, the database, and together with a new database its master key.
    ///
    /// An older database without its master key is opened as well, for what needs no key; the rest throws
    /// `MasterKeyFailure.missing`. Throws `MasterKeyFailure.another` where the key is not the database's, and
    /// `FolderInUse` where another process has the folder in a way that `use` excludes, or where a server of an older
    /// version has it.
    package convenience init(
        _ settings: ServerSettings, for use: Use = .beside, migrations: [Migration] = Schema.migrations
    ) async throws {
        var made: [String] = []
        if try Self.makeFolder(settings.dataFolder) { made.append("data folder \(settings.dataFolder)") }
        let path = Self.databaseFile(folder: settings.dataFolder)
        let isNew = Self.isMissing(path)
        if isNew { try Self.refuseForeignFolder(settings.dataFolder) }
        let lock: ServingLock? =
            switch use {
            case .beside: nil
            case .serving: try Self.lock(settings.dataFolder, FolderInUse.byServer)
            case .withoutServer: try Self.lock(settings.dataFolder, FolderInUse.byRunningServer)
            }
        var key = try Self.masterKey(settings, forNewDatabase: isNew, &made)
        if isNew { made.append("database \(path)") }
        var configuration = SQLiteConfiguration(path: path)
        configuration.overwritesDeleted = use == .withoutServer
        let database = try Self.naming(path) { try SQLiteDatabase(configuration) }
        do {
            try await Self.bringUpToDate(database, settings, migrations, isLocked: lock != nil)
            let store = Store(database: database, hashing: OpenSSLHashing())
            key = try await key.matching(store)
            if lock != nil, let file = key.file, key.isInterruptedExchange {
                let old = try KeyAtHand.replace(file, suffix: SystemClock().now.compact)
                made.append("master key \(file), by finishing an exchange that was interrupted; \(old) is the old one")
            }
            if key.vault.isOpen { try await key.vault.settle(store, source: key.source) }
        } catch {
            await database.close()
            throw Self.naming(path, error)
        }
        self.init(settings, database: database, vault: key.vault, made: made, lock: lock)
    }

    /// Returns whether it was not there.
    static func makeFolder(_ path: String) throws -> Bool {
        let isMade = mkdir(path, 0o700) == 0
        let number = errno
        guard isMade || number == EEXIST else {
            throw FileFailure(what: "cannot make the folder \(path)", number: number)
        }
        return isMade
    }

    private static func naming<Result>(_ path: String, _ open: () throws -> Result) throws -> Result {
        do {
            return try open()
        } catch {
            throw naming(path, error)
        }
    }

    private static func naming(_ path: String, _ error: any Error) -> any Error {
        (error as? SQLError).map { UnusableDatabase(path: path, reason: $0) } ?? error
    }

    /// A database that cannot be opened, or not be changed.
    package struct UnusableDatabase: Error, CustomStringConvertible {
        let path: String
        let reason: SQLError

        package var description: String {
            let advice =
                switch reason {
                case .corrupt: ". Put a backup in its place: docs/operations.md, Backups"
                case .readOnly, .other: ". May this account write the file and its folder?"
                default: ""
                }
            return "\(path): \(reason)\(advice)"
        }
    }

    private static func bringUpToDate(
        _ database: SQLiteDatabase, _ settings: ServerSettings, _ migrations: [Migration], isLocked: Bool
    ) async throws {
        do {
            try await database.requireMigrated(migrations)
        } catch MigrationError.olderDatabase(let step) {
            // A server that runs on an older schema would fail at what is new. A database without the first step has none.
            let mayRun = !isLocked && step != migrations.first?.name
            let migrating = mayRun ? try lock(settings.dataFolder, FolderInUse.byOlderServer) : nil
            defer { withExtendedLifetime(migrating) {} }
            _ = try await database.migrate(migrations)
        }
    }

    static func lock(
        _ folder: String, _ refusal: (_ folder: String, _ holder: String) -> FolderInUse
    ) throws -> ServingLock {
        do throws(ServingLock.Failure) {
            return try ServingLock(folder: folder)
        } catch {
            switch error {
            case .held(let holder): throw refusal(folder, holder)
            case .system(let what, let number): throw FileFailure(what: what, number: number)
            }
        }
    }

    /// What root makes in another account's folder, that account's server could not open.
    static func refuseForeignFolder(_ folder: String) throws {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return }
        let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        throw ForeignFolder(folder: folder, owner: owner)
    }

    /// A folder without a database that belongs to another account than root, which is about to make one.
    package struct ForeignFolder: Error, CustomStringConvertible {
        let folder: String
        let owner: String

        package var description: String {
            "\(folder) belongs to \(owner), who could not open what root makes there; do this as \(owner), for example "
                + "with runuser -u \(owner) --"
        }
    }

    /// Opens what is there only to be read, also by an account that may do no more: nothing is made or changed, and no
    /// master key is needed. Throws `OlderDatabase` where something would have to be changed first, unless a database of
    /// any version will do.
    package convenience init(
        reading settings: ServerSettings, ofAnyVersion: Bool = false, migrations: [Migration] = Schema.migrations
    ) async throws {
        let path = Self.databaseFile(folder: settings.dataFolder)
        self.init(
            settings, database: try Self.naming(path) { try SQLiteDatabase(reading: SQLiteConfiguration(path: path)) },
            vault: Vault(closedBy: .missing(file: Self.masterKeyFile(settings))))
        do {
            if !ofAnyVersion { try await database.requireMigrated(migrations) }
        } catch {
            await database.close()
            if case MigrationError.olderDatabase = error { throw OlderDatabase(path: path, reason: error) }
            throw Self.naming(path, error)
        }
    }

    /// A database that has to be brought up to date before this version reads it.
    package struct OlderDatabase: Error, CustomStringConvertible {
        let path: String
        let reason: any Error

        package var description: String {
            "\(path): \(reason). Let countersign serve, or a command that may change it, such as countersign keys list, "
                + "open it once: that brings it up to date"
        }
    }

    /// Where a data folder has its database.
    package static func databaseFile(folder: String) -> String { folder + "/countersign.db" }

    static func masterKeyFile(_ settings: ServerSettings) -> String {
        settings.masterKeyFile ?? settings.dataFolder + "/master.key"
    }

    /// A key is made for a new database alone: under one that is made later, what is sealed could not be opened.
    static func masterKey(
        _ settings: ServerSettings, forNewDatabase isNew: Bool, _ made: inout [String]
    ) throws -> KeyAtHand {
        if let key = settings.masterKey { return KeyAtHand(vault: Vault(key), source: "that was given", file: nil) }
        let file = masterKeyFile(settings)
        if settings.masterKeyFile == nil, isMissing(file) {
            guard isNew else {
                return KeyAtHand(vault: Vault(closedBy: .missing(file: file)), source: "in \(file)", file: file)
            }
            try MasterKey.generate().createFile(file)
            made.append("master key \(file)")
        }
        do {
            return KeyAtHand(vault: Vault(try MasterKey(file: file)), source: "in \(file)", file: file)
        } catch {
            throw SettingFailure(setting: "master-key-file", reason: "\(error)")
        }
    }

    /// False for what is there and cannot be looked at.
    private static func isMissing(_ path: String) -> Bool {
        let status = access(path, F_OK)
        let number = errno
        return status != 0 && number == ENOENT
    }

    /// The file of the local authority's certificate, which clients must trust; nil unless TLS is local.
    package var authorityFile: String? {
        settings.tls == .local ? Self.authorityFile(folder: settings.dataFolder) : nil
    }

    /// Where a data folder has the certificate of its local authority, if it has one.
    package static func authorityFile(folder: String) -> String { folder + "/tls/ca.pem" }

    /// The certificate for every tenant's hosts.
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
            let certificate = try authority.serverCertificate(
                names: ["localhost", "127.0.0.1", "::1"] + names, now: SystemClock().now)
            return TLSIdentity(
                certificateChainPEM: String(decoding: certificate.certificatePEM, as: UTF8.self),
                privateKeyPEM: String(decoding: certificate.privateKeyPEM.bytes, as: UTF8.self))
        }
    }

    static func text(of path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure(what: "cannot read \(path)", number: errno) }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw FileFailure(what: "cannot read \(path)", number: errno) }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// A file that could not be used.
    package struct FileFailure: Error, Sendable, CustomStringConvertible {
        let what: String
        let number: Int32

        package var description: String { "\(what): \(String(cString: strerror(number)))" }
    }

    package func close() async { await database.close() }
}
