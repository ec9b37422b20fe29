import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Glibc
import Primitives
import Terminal

/// What a command does where there is no database.
enum Creation {
    /// Making an empty one elsewhere than the server's would only puzzle.
    case refused
    case here
    /// In a folder that is gone again afterwards.
    case elsewhere
}

/// Opens the data folder an invocation means while `body` runs. With `reading`, nothing can be changed, and nobody needs
/// to be allowed more than to read the database, which may then be `ofAnyVersion`.
func withInstallation(
    _ invocation: Invocation, creating: Creation = .refused, reading: Bool = false, ofAnyVersion: Bool = false,
    _ body: (Installation) async throws -> Int32
) async throws -> Int32 {
    var settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
    let path = Installation.databaseFile(folder: settings.dataFolder)
    let status = access(path, F_OK)
    let number = errno
    if status != 0 {
        guard number == ENOENT else { throw CommandFailure.system("cannot open \(path)", number) }
        switch creating {
        case .refused: try requireDatabase(in: settings.dataFolder)
        case .here: break
        case .elsewhere:
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            settings.dataFolder = folder.path
            return try await with(try await Installation(settings), body)
        }
    }
    let installation: Installation
    do {
        installation =
            reading
            ? try await Installation(reading: settings, ofAnyVersion: ofAnyVersion) : try await Installation(settings)
    } catch let error as FolderInUse {
        throw CommandFailure(error.description, hint: error.hint)
    }
    return try await with(installation, body)
}

/// For commands that make no database.
func requireDatabase(in folder: String) throws(CommandFailure) {
    let path = Installation.databaseFile(folder: folder)
    let status = access(path, F_OK)
    let number = errno
    guard status != 0 else { return }
    guard number == ENOENT else { throw .system("cannot open \(path)", number) }
    throw CommandFailure(
        "\(folder) holds no database",
        hint: "name the server's data folder with --data, or start countersign serve in it first")
}

private func with(_ installation: Installation, _ body: (Installation) async throws -> Int32) async throws -> Int32 {
    do {
        let status = try await body(installation)
        await installation.close()
        return status
    } catch {
        await installation.close()
        throw error
    }
}

extension Installation {
    static let tenantOption = Option<String?>.optional(
        "tenant", .string.placeholder("ID"), environment: "COUNTERSIGN_TENANT", defaultText: "the only one",
        "The tenant meant.")

    /// The tenant an invocation names, or the only one there is.
    func tenant(_ invocation: Invocation) async throws -> Tenant {
        let tenants = try await configuration.tenants().map(\.tenant)
        let ids = tenants.map(\.id.rawValue).joined(separator: ", ")
        if let name = try invocation[Self.tenantOption] {
            guard let tenant = tenants.first(where: { $0.id.rawValue == name }) else {
                throw CommandFailure("there is no tenant \(name)", hint: tenants.isEmpty ? nil : "there are: \(ids)")
            }
            return tenant
        }
        guard let only = tenants.first else {
            throw CommandFailure("no tenant is configured", hint: "countersign apply FILE makes tenants")
        }
        guard tenants.count == 1 else {
            throw CommandFailure("there are several tenants: \(ids)", hint: "choose one with --tenant")
        }
        return only
    }
}
