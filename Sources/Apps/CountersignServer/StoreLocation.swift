package import PostgreSQLDriver
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
}

extension ServerSettings {
    /// Name of the database in messages.
    var storeName: String {
        switch store {
        case .file: Installation.databaseFile(folder: dataFolder)
        case .postgreSQL(let address): "\(address)"
        }
    }

    /// The server's database. Nil for a file.
    func openServer(reading: Bool = false) throws -> PostgreSQLDatabase? {
        guard case .postgreSQL(let address) = store else { return nil }
        var configuration = PostgreSQLConfiguration(address)
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

extension InstallationRefusal {
    static let onServer = InstallationRefusal(
        "the tables are in a database of PostgreSQL, which has tools of its own",
        hint: "use pg_dump and pg_restore, or pgBackRest; docs/operations.md says how under PostgreSQL")
}
