import OpenSSLCrypto
package import PostgreSQLDriver
import Primitives
import SQL
import SQLiteDriver

/// Place of an installation's tables.
package enum StoreLocation: Sendable {
    /// `countersign.db` in the data folder.
    case file
    case postgreSQL(PostgreSQLAddress)

    /// Reads `file` or a connection URI of libpq.
    package init(parsing text: String) throws(PostgreSQLAddress.Failure) {
        self = text == "file" ? .file : .postgreSQL(try PostgreSQLAddress(parsing: text))
    }

    /// The text that ``init(parsing:)`` takes, without the user and the password of a server.
    package var name: String {
        switch self {
        case .file: "file"
        case .postgreSQL(let address): "\(address)"
        }
    }

    var isFile: Bool { if case .file = self { true } else { false } }

    /// True if the address itself has a password.
    package var hasPassword: Bool { if case .postgreSQL(let address) = self { address.hasPassword } else { false } }

    /// Name of the engine in logs and traces.
    var engine: String { isFile ? "sqlite" : "postgresql" }
}

extension Database {
    /// False for an empty database, which is no installation yet.
    var hasTables: Bool {
        get async throws { try await !query(dialect.tables) { try $0.text(0) }.isEmpty }
    }
}

extension ServerSettings {
    /// Engine and place of the store for a log's line. Without user and password.
    package var storeFacts: (engine: String, place: String) {
        switch store {
        case .file: (store.engine, DataFolder.absolute(storeName))
        case .postgreSQL(let address): (store.engine, address.place)
        }
    }

    /// Name of the database in messages.
    var storeName: String {
        switch store {
        case .file: Installation.databaseFile(folder: dataFolder)
        case .postgreSQL(let address): "\(address)"
        }
    }

    /// The server's database. Nil for a file.
    /// - Parameter isAlone: True for a use that no node may run beside (``Installation/requireAlone(_:_:)``).
    func openServer(reading: Bool = false, isAlone: Bool = false) throws -> PostgreSQLDatabase? {
        guard case .postgreSQL(let address) = store else { return nil }
        var configuration = PostgreSQLConfiguration(isAlone ? address.alone : address)
        configuration.isReadOnly = reading
        return try PostgreSQLDatabase(configuration)
    }
}

extension Installation {
    /// The file, for work that only fits one.
    /// - Throws: `InstallationRefusal` for a database of a server.
    func file() throws -> SQLiteDatabase {
        guard let file = database as? SQLiteDatabase else { throw InstallationRefusal.onServer }
        return file
    }
}

extension PostgreSQLAddress {
    /// The same database with a name of its own, by which its connections are told from those of others.
    var alone: PostgreSQLAddress { application("countersign \(Hex.encode(SystemRandom().bytes(4)))") }
}

extension Installation {
    /// Refuses a database that nodes or commands are connected to. They may be on other machines, where no file tells.
    /// - Parameter server: opened with an address that is `alone`.
    static func requireAlone(_ server: PostgreSQLDatabase, _ place: String) async throws {
        let others = try await server.first(PostgreSQLDialect().otherLanes) { try $0.int(0) } ?? 0
        guard others == 0 else {
            throw InstallationRefusal(
                "\(place) is in use: \(others) connections of nodes or commands may change it",
                hint: "stop every node of it first; a connection that was idle ends within 10 minutes")
        }
    }
}

extension InstallationRefusal {
    static let onServer = InstallationRefusal(
        "the tables are in a database of PostgreSQL, which has tools of its own",
        hint: "use pg_dump and pg_restore, or pgBackRest; docs/postgresql.md says how")

    /// - Parameter place: The database of a server, without tables.
    static func noTables(_ place: String, _ opening: DataFolder.Opening) -> InstallationRefusal {
        let making =
            opening == .offeringCreation
            ? "make an installation in it with --create"
            : "start countersign serve with it first, which makes the tables"
        return InstallationRefusal(
            "\(place) has no tables of an installation",
            hint: "name the installation's database with --store or --config, or \(making)")
    }
}
