import Files
import Glibc

/// The folder of an installation, and the account to which its files belong. Every command opens or makes an
/// installation through this type. So no command makes a folder unasked, or leaves a file that the server cannot open.
///
/// Commands of other accounts than the owner are refused. Root may run commands, and gives the owner what they make.
package struct DataFolder: Sendable {
    /// Behaviour without a database.
    package enum Opening: Sendable {
        /// Refuses the folder.
        case existing
        /// Refuses the folder, and names the option that makes a database.
        case offeringCreation
        /// Makes the folder and a database.
        case creating
    }

    /// The path as it was given, possibly relative to the working folder.
    let path: String
    let owner: FileOwner
    /// True if the folder had no database.
    let isNew: Bool
    /// True if the folder was made.
    let isMade: Bool
    /// False for a command on the database of a server, which needs no folder and makes none.
    let isThere: Bool

    /// Opens a folder to change it.
    /// - Parameters:
    ///   - isServer: True for a server, which root may not run for another account.
    ///   - hasTables: Whether the database of another machine has tables. Nil for one in the folder.
    /// - Throws: `InstallationRefusal` or an error of a file.
    init(_ path: String, _ opening: Opening, isServer: Bool = false, hasTables: Bool? = nil) throws {
        self.path = path
        let hasDatabase = try hasTables ?? Self.hasDatabase(path)
        guard hasDatabase || opening == .creating else { throw Self.missing(path, opening) }
        isNew = !hasDatabase
        // A node that joins others has no folder yet.
        isMade =
            hasDatabase && hasTables == nil || opening != .creating ? false : try Self.make(path, isServer: isServer)
        isThere = hasTables == nil || isMade || Self.isPresent(path)
        guard isThere else {
            owner = .process
            return
        }
        owner = try FileOwner(of: path)
        let isOwn = owner.user == geteuid()
        guard isOwn || geteuid() == Account.root && !isServer else {
            let (owner, own) = (Account(owner.user), Account(geteuid()))
            throw InstallationRefusal(
                "the data folder \(Self.absolute(path)) belongs to \(owner.name), but this runs as \(own.name)",
                hint: owner.wayIn)
        }
    }

    /// Refuses a folder without a database, for work that changes nothing.
    static func requireDatabase(_ path: String) throws {
        guard try hasDatabase(path) else { throw missing(path, .existing) }
    }

    /// - Throws: `InstallationRefusal` if this account cannot look into the folder, or the database is a link: its folder's
    ///   owner could lead root elsewhere with it.
    package static func hasDatabase(_ path: String) throws -> Bool {
        let file = Installation.databaseFile(folder: path)
        var found = stat()
        let status = lstat(file, &found)
        let number = errno
        if status == 0 {
            guard found.st_mode & S_IFMT == S_IFREG else {
                throw InstallationRefusal(
                    "\(absolute(file)) is a link or no file", hint: "name the folder that has the database itself")
            }
            return true
        }
        guard number != ENOENT else { return false }
        let failure = FileFailure("cannot look into \(absolute(path))", number: number)
        throw InstallationRefusal(failure.description, hint: wayIn(path, after: failure))
    }

    /// Advice to run a command as the folder's owner, if that account may do what this one may not.
    static func wayIn(_ path: String, after failure: FileFailure) -> String? {
        guard failure.number == EACCES, let owner = try? FileOwner(of: path), owner.user != geteuid() else {
            return nil
        }
        return Account(owner.user).wayIn
    }

    private static func isPresent(_ path: String) -> Bool {
        let status = access(path, F_OK)
        let number = errno
        // One that cannot be looked at is there.
        return status == 0 || number != ENOENT
    }

    private static func missing(_ path: String, _ opening: Opening) -> InstallationRefusal {
        let making =
            opening == .offeringCreation
            ? "make a database there with --create" : "start countersign serve with it first"
        return InstallationRefusal(
            "\(absolute(path)) contains no database",
            hint: "name the server's data folder with --data or --config, or \(making)")
    }

    /// Returns true if the folder was made. It belongs to a server, or to the owner of the folder that contains it.
    private static func make(_ path: String, isServer: Bool) throws -> Bool {
        guard mkdir(path, 0o700) == 0 else {
            let number = errno
            guard number == EEXIST else {
                throw FileFailure("cannot create the folder \(path)", number: number)
            }
            return false
        }
        var folder = path
        while folder.hasSuffix("/") { folder.removeLast() }
        if !isServer { try FileOwner(ofFolderOf: folder).take(folder) }
        return true
    }

    /// The path from the root, for people who may not know the working folder.
    package static func absolute(_ folder: String) -> String {
        guard !folder.hasPrefix("/"), let working = getcwd(nil, 0) else { return folder }
        defer { free(working) }
        return "\(String(cString: working))/\(folder)"
    }
}
