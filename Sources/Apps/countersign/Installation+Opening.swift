import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Glibc
import Primitives
import Terminal

/// Behaviour of a command if there is no database.
enum Creation {
    /// Fails: creating an empty database somewhere else than the server's would only confuse.
    case refused
    /// Creates one in the data folder.
    case here
    /// Creates one in a temporary folder.
    case elsewhere
}

/// Opens the invocation's data folder while `body` runs. `reading` opens the database read-only, which needs only read
/// permission. `ofAnyVersion` then also allows older versions.
func withInstallation(
    _ invocation: Invocation, creating: Creation = .refused, reading: Bool = false, ofAnyVersion: Bool = false,
    _ body: (Installation) async throws -> Int32
) async throws -> Int32 {
    var settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
    var temporary: TemporaryFolder?
    defer { temporary?.remove() }
    if try !hasDatabase(settings.dataFolder) {
        switch creating {
        case .refused: throw missingDatabase(settings.dataFolder)
        case .here: break
        case .elsewhere:
            let folder = try TemporaryFolder()
            temporary = folder
            settings.dataFolder = folder.path
        }
    }
    let installation = try await refusing {
        reading
            ? try await Installation(reading: settings, ofAnyVersion: ofAnyVersion) : try await Installation(settings)
    }
    return try await installation.whileOpen { try await body(installation) }
}

private func hasDatabase(_ folder: String) throws(CommandFailure) -> Bool {
    let path = Installation.databaseFile(folder: folder)
    let status = access(path, F_OK)
    let number = errno
    guard status == 0 || number == ENOENT else { throw .system("cannot open \(path)", number) }
    return status == 0
}

/// Fails if the folder has no database.
func requireDatabase(in folder: String) throws(CommandFailure) {
    if try !hasDatabase(folder) { throw missingDatabase(folder) }
}

private func missingDatabase(_ folder: String) -> CommandFailure {
    CommandFailure(
        "\(folder) contains no database",
        hint: "name the server's data folder with --data, or start countersign serve with it first")
}

extension Command {
    /// A command on the server's data folder. Help shows `groups` before the other options.
    static func onDataFolder(
        _ name: String, _ summary: String, discussion: String = "", groups: [OptionGroup] = [],
        options: [OptionDeclaration], examples: [Example], reading: Bool = false, ofAnyVersion: Bool = false,
        _ work: @escaping @Sendable (Installation, Invocation) async throws -> Int32
    ) -> Command {
        Command(
            name, summary, discussion: discussion,
            options: groups + [OptionGroup("Options", options), ServerChoices.installationOptions], examples: examples
        ) { invocation in
            try await withInstallation(invocation, reading: reading, ofAnyVersion: ofAnyVersion) { installation in
                try await work(installation, invocation)
            }
        }
    }
}

extension Installation {
    static let tenantOption = Option<String?>.optional(
        "tenant", .string.placeholder("ID"), environment: "COUNTERSIGN_TENANT", defaultText: "the only one",
        "Id of the tenant.")

    /// The tenant that the invocation names, or the only tenant.
    func tenant(_ invocation: Invocation) async throws -> Tenant {
        let tenants = try await configuration.tenants().map(\.tenant)
        let ids = tenants.map(\.id.rawValue).joined(separator: ", ")
        if let name = try invocation[Self.tenantOption] {
            guard let tenant = tenants.first(where: { $0.id.rawValue == name }) else {
                throw CommandFailure(
                    "there is no tenant \(name)", hint: tenants.isEmpty ? nil : "the tenants are: \(ids)")
            }
            return tenant
        }
        guard let only = tenants.first else {
            throw CommandFailure(
                "no tenant is configured", hint: "create one with countersign apply or countersign tenant create")
        }
        guard tenants.count == 1 else {
            throw CommandFailure("there are several tenants: \(ids)", hint: "choose one with --tenant")
        }
        return only
    }
}
