import AuthorizationCore
import Configuration
import CountersignServer
import Primitives
import Terminal

extension Command {
    /// Commands for tenants. Changes go through `apply`, so that the same rules hold.
    static var tenants: Command {
        Command(
            "tenant", "Manage tenants: issuers with their own keys, users, clients and settings.",
            examples: createTenant.examples + updateTenant.examples,
            subcommands: [listTenants, showTenant, createTenant, updateTenant, deleteTenant]
        ).hints(["add": "countersign tenant create makes one", "remove": "countersign tenant delete removes one"])
    }

    private static let id = Option<String>.argument("TENANT", .string, "The tenant's id.")
    private static let document = DocumentOptions(members: DocumentOptions.members(Tenant.fields))

    private static func work(
        _ name: String, _ summary: String, _ options: [any DeclaredOption], examples: Command.Examples,
        _ body: @escaping @Sendable (Installation, Invocation) async throws -> Void
    ) -> Command {
        onDataFolder(name, summary, options: options + [ObjectCommands.json], examples: examples) {
            try await body($0, $1)
            return 0
        }
    }

    private static func tenant(_ id: String, of installation: Installation) async throws -> Tenant {
        let tenants = try await installation.configuration.tenants().map(\.tenant)
        guard let tenant = tenants.first(where: { $0.id.rawValue == id }) else {
            throw CommandFailure(
                "there is no tenant \(id)", hint: "there are: \(tenants.map(\.id.rawValue).joined(separator: ", "))")
        }
        return tenant
    }

    private static var listTenants: Command {
        work(
            "list", "Show all tenants.", [ObjectCommands.limit],
            examples: ["all of them": "countersign tenant list"]
        ) { installation, invocation in
            let tenants = try await installation.configuration.tenants().map(\.tenant)
            let listing = ObjectCommands.Listing(
                tenants.map { tenant in
                    var shown = tenant.document
                    shown["settings"] = nil
                    return shown
                })
            try ObjectCommands.print(
                listing.cut(to: try invocation[ObjectCommands.limit] ?? .max),
                columns: ["TENANT": "id", "NAME": "name", "HOST": "host", "DOMAINS": "custom_domains"],
                invocation)
        }
    }

    private static var showTenant: Command {
        work(
            "show", "Show a tenant with its settings.", [id],
            examples: ["its settings": "countersign tenant show shop"]
        ) { installation, invocation in
            try ObjectCommands.print(try await tenant(try invocation[id], of: installation).document, invocation)
        }
    }

    private static var createTenant: Command {
        work(
            "create", "Create a tenant with signing keys.", document.declarations,
            examples: ["make one": "countersign tenant create --id club --name Club --host id.club.example"]
        ) { installation, invocation in
            let given = try document.read(invocation)
            let known = try await installation.configuration.tenants().map(\.tenant.id.rawValue)
            if let id = given["id"]?.stringValue, known.contains(id) {
                throw CommandFailure(
                    "there is a tenant \(id) already", hint: "countersign tenant update \(id) changes it")
            }
            try await put(given, installation, invocation)
        }
    }

    private static var updateTenant: Command {
        work(
            "update", "Change a tenant. Given members are replaced, settings are merged, and null removes a member.",
            [id] + document.declarations,
            examples: ["change a setting": #"countersign tenant update shop --set 'settings={"poll_interval":2}'"#]
        ) { installation, invocation in
            let stored = try await tenant(try invocation[id], of: installation)
            let old = stored.document
            var patch = try document.read(invocation)
            if let settings = patch["settings"]?.objectValue {
                for warning in TenantSettings.fields.warnings(about: settings) {
                    invocation.output.warning("settings.\(warning)")
                }
                let renamed = try TenantSettings.fields.renamed(settings)
                let merged = (old["settings"]?.objectValue ?? [:]).patched(with: renamed)
                patch["settings"] = .object(stored.settings.following(renamed, in: merged))
            }
            guard (patch["id"] ?? old["id"]) == old["id"] else {
                throw CommandFailure("a tenant's id cannot be changed")
            }
            try await put(old.patched(with: patch), installation, invocation)
        }
    }

    private static func put(_ tenant: JSONObject, _ installation: Installation, _ invocation: Invocation) async throws {
        try await installation.store(tenant, invocation)
        try ObjectCommands.print(
            try await Self.tenant(tenant["id"]?.stringValue ?? "", of: installation).document, invocation)
    }

    private static var deleteTenant: Command {
        work(
            "delete", "Delete a tenant with its users, clients and keys. The audit log keeps its entries.",
            [id, ObjectCommands.yes],
            examples: [
                "after a question": "countersign tenant delete shop",
                "without one, in a script": "countersign tenant delete shop --yes",
            ]
        ) { installation, invocation in
            let tenant = try await tenant(try invocation[id], of: installation)
            try await ObjectCommands.confirmDeletion(
                of: "the tenant \(tenant.id) with its users, clients and everything else", invocation)
            try await installation.configuration.remove(
                tenant.id,
                for: AdministrativeContext(tenant: tenant.id, actor: .commandLine(invocation), now: SystemClock().now))
            try ObjectCommands.printDeleted(tenant.id.rawValue, invocation)
        }
    }
}

extension Installation {
    /// Changes or creates a tenant by the rules of a configuration file.
    func store(_ tenant: JSONObject, _ invocation: Invocation) async throws {
        let now = SystemClock().now
        do {
            let file = try ConfigurationFile(
                parsing: JSONWriter.bytes(["tenants": [.object(tenant)]]), now: now, secret: { _ in nil })
            _ = try await configurationApplier()
                .apply(file, prune: false, by: .commandLine(invocation), now: now)
        } catch let failure as ConfigurationFile.Failure {
            throw CommandFailure(
                failure.lines.map { "\($0.path.replacing("tenants[0].", with: "")): \($0.message)" }
                    .joined(separator: "; "))
        }
    }
}
