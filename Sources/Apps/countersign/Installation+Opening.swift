import AuthorizationCore
import Configuration
import CountersignServer
import Primitives
import Terminal

/// Opens the invocation's data folder while `body` runs. `reading` opens the database read-only, which needs only read
/// permission. `ofAnyVersion` then also allows older versions. A `trial` makes a missing database in a temporary folder.
func withInstallation(
    _ invocation: Invocation, _ opening: DataFolder.Opening = .existing, trial: Bool = false, reading: Bool = false,
    ofAnyVersion: Bool = false, _ body: (Installation) async throws -> Int32
) async throws -> Int32 {
    var settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
    let output = invocation.output
    if let server = ServerOptions.unused(invocation) {
        output.note("This command works on a data folder, and not on \(server), which COUNTERSIGN_SERVER names")
    }
    return try await refusing {
        var temporary: TemporaryFolder?
        defer { temporary?.remove() }
        if trial, opening == .creating, case .file = settings.store, try !DataFolder.hasDatabase(settings.dataFolder) {
            output.note("A new installation would be made in \(DataFolder.absolute(settings.dataFolder))")
            let folder = try TemporaryFolder()
            temporary = folder
            settings.dataFolder = folder.path
        }
        let installation =
            reading
            ? try await Installation(reading: settings, ofAnyVersion: ofAnyVersion)
            : try await Installation(settings, opening)
        if temporary == nil { output.notes(installation.made.map { "Created the \($0)" }) }
        return try await installation.whileOpen { try await body(installation) }
    }
}

let jsonObject = Option<Bool>.flag("json", "Print a JSON object.")
let jsonArray = Option<Bool>.flag("json", "Print a JSON array.")

/// For commands that can make an installation.
let createOption = Option<Bool>.flag("create", "Make the data folder and a database if there are none.")

extension Invocation {
    /// Permission to make an installation, by `createOption`.
    func opening() throws -> DataFolder.Opening { try self[createOption] ? .creating : .offeringCreation }
}

extension Command {
    /// A command on the server's data folder. Help shows `groups` before the other options.
    static func onDataFolder(
        _ name: String, _ summary: String, discussion: String = "", groups: [OptionGroup] = [],
        options: [any DeclaredOption], examples: Command.Examples, reading: Bool = false, ofAnyVersion: Bool = false,
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
