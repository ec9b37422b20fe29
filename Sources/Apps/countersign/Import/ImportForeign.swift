import AuthorizationCore
import Configuration
import CountersignServer
import Files
import ForeignExports
import Primitives
import Terminal

extension Command {
    static var importAuth0: Command {
        let folder = Option<String>.argument(
            "FOLDER", .path.placeholder("FOLDER"), "Folder that a0deploy export --format=directory has written.")
        let clients = Option<String?>.optional(
            "clients", .path, defaultText: "ids by the names, and new secrets",
            "Auth0's list of applications with ids and secrets, as auth0 apps list --reveal-secrets --json prints it.")
        let keywords = Option<String?>.optional(
            "keywords", .path, "The deploy CLI's config.json, with AUTH0_KEYWORD_REPLACE_MAPPINGS for marks.")
        let users = Option<[String]>.repeated(
            "users", .path, "File with users, as an export job or GET /api/v2/users of Auth0 has them.")
        let hashes = Option<[String]>.repeated(
            "hashes", .path, "File with the hashes of passwords, as Auth0's support sends it, decrypted.")
        return ForeignImport.command(
            "auth0", "Import the configuration of an Auth0 tenant: clients, APIs, roles, connections, mails, settings.",
            discussion: """
                The report says what came, what differs here, and what is absent, member by member. Users of --users and \
                --hashes are written to --users-file, for countersign user import. docs/moving.md has the steps in their \
                order.
                """,
            options: [folder, clients, keywords, users, hashes, ForeignImport.usersFile],
            examples: [
                "see the report first, of a new tenant":
                    "countersign import auth0 auth0-export --tenant acme --host id.acme.example --dry-run",
                "import with the ids and secrets of the applications":
                    "countersign import auth0 auth0-export --clients apps.json --tenant acme --host id.acme.example",
                "write the users with their hashes, for user import":
                    "countersign import auth0 auth0-export --users users.ndjson --hashes hashes.ndjson "
                    + "--users-file customers.json",
            ]
        ) { invocation, target in
            func files(_ option: Option<[String]>) throws -> [ForeignFile] {
                try invocation[option].map {
                    ForeignFile(path: $0, bytes: try readExport($0, limit: ForeignImport.realmLimit))
                }
            }
            let list = try invocation[clients].map {
                ForeignFile(path: $0, bytes: try readExport($0, limit: ForeignImport.listLimit))
            }
            let marks = try invocation[keywords].map {
                try Auth0Keywords(ForeignFile(path: $0, bytes: try readExport($0, limit: ForeignImport.listLimit)))
            }
            let name = try invocation[folder]
            let people = Auth0Users(users: try files(users), hashes: try files(hashes))
            do {
                return try Auth0Export(
                    try ExportFolder(name).files, clients: list, keywords: marks ?? Auth0Keywords(), into: target
                ).configuration(users: people)
            } catch let failure as ForeignFailure where failure.file == Auth0Export.folder {
                throw ForeignFailure(file: name, path: failure.path, failure.message)
            }
        }
    }

    static var importKeycloak: Command {
        let realm = Option<String>.argument("REALM.json", .path, "File that kc.sh export has written.")
        let users = Option<[String]>.arguments("USERS.json", .path, "Files with its users, if they are apart.")
        return ForeignImport.command(
            "keycloak", "Import a realm of Keycloak: clients, roles, identity providers, settings and users.",
            discussion: """
                The report says what came, what differs here, and what is absent, member by member. Users are written \
                to --users-file, with their passwords' hashes, for countersign user import. docs/moving.md has the \
                steps in their order.
                """,
            options: [realm, users, ForeignImport.usersFile],
            examples: [
                "see the report first, of a new tenant":
                    "countersign import keycloak shop-realm.json --tenant acme --host id.acme.example --dry-run",
                "import into the only tenant, with the users":
                    "countersign import keycloak shop-realm.json shop-users-0.json --users-file people.json",
            ]
        ) { invocation, _ in
            func file(_ path: String) throws -> ForeignFile {
                ForeignFile(path: path, bytes: try readExport(path, limit: ForeignImport.realmLimit))
            }
            return try KeycloakRealm(
                try file(try invocation[realm]), users: try invocation[users].map(file)
            ).configuration()
        }
    }
}

/// The common part of imports from other products.
enum ForeignImport {
    /// Greatest size of a list of clients, and of a realm or its users.
    static let listLimit = 16 * 1_048_576
    static let realmLimit = 256 * 1_048_576

    private static let host = Option<String?>.optional(
        "host", .string.placeholder("HOST"), "Host of a tenant to be made, such as id.acme.example.")
    static let usersFile = Option<String?>.optional(
        "users-file", .path, "New file, of mode 0600, for the users and their passwords' hashes.")
    private static let reportFile = Option<String?>.optional(
        "report", .path, "Also write the report to a file, as JSON.")
    private static let withoutMail = Option<Bool>.flag(
        "without-mail", "Leave out the mail server, for a trial from which no mail goes to the people.")
    private static let trial = Option<Bool>.flag("dry-run", "Show the report and the changes, and make none.")

    static func command(
        _ name: String, _ summary: String, discussion: String, options: [any DeclaredOption],
        examples: Command.Examples,
        read: @escaping @Sendable (Invocation, MoveTarget) throws -> ForeignConfiguration
    ) -> Command {
        Command(
            name, summary, discussion: discussion,
            options: [
                OptionGroup(
                    "Options",
                    options + [
                        Installation.tenantOption, host, withoutMail, trial, reportFile, createOption, jsonObject,
                    ]),
                ServerChoices.installationOptions,
            ],
            examples: examples
        ) { invocation in
            let isTrial = try invocation[trial]
            return try await withInstallation(invocation, try invocation.opening(), trial: isTrial) { installation in
                let move = try await settled(installation, invocation, read)
                return try await run(
                    move, on: installation, invocation, users: try invocation[usersFile], isTrial: isTrial)
            }
        }
    }

    private static func settled(
        _ installation: Installation, _ invocation: Invocation,
        _ read: (Invocation, MoveTarget) throws -> ForeignConfiguration
    ) async throws -> SettledMove {
        let target = try await target(installation, invocation)
        do {
            return try SettledMove(
                try read(invocation, target), into: target, withMail: try !invocation[withoutMail],
                now: SystemClock().now
            ) {
                String(decoding: installation.newClientSecret.bytes, as: UTF8.self)
            }
        } catch let failure as ForeignFailure {
            throw CommandFailure("\(failure)", hint: "nothing was changed")
        }
    }

    /// The tenant that the options name: one that is here, or with `--host` one to be made.
    private static func target(
        _ installation: Installation, _ invocation: Invocation
    ) async throws -> MoveTarget {
        let tenants = try await installation.configuration.tenants()
        if let name = try invocation[host] {
            guard let id = try invocation[Installation.tenantOption] else {
                throw UsageError("--host needs --tenant, the id of the tenant to be made")
            }
            // A second import names the tenant that the first one made.
            guard let known = tenants.first(where: { $0.tenant.id.rawValue == id }) else {
                return MoveTarget(new: TenantID(id), host: name)
            }
            guard known.tenant.hosts.contains(Tenant.normalized(authority: name)) else {
                throw CommandFailure(
                    "the tenant \(id) has the host \(known.tenant.hosts.first ?? "")", hint: "leave out --host")
            }
            return MoveTarget(stored: known)
        }
        do {
            let tenant = try await installation.tenant(invocation)
            guard let stored = tenants.first(where: { $0.tenant.id == tenant.id }) else {
                throw CommandFailure("there is no tenant \(tenant.id)")
            }
            return MoveTarget(stored: stored)
        } catch let failure as CommandFailure {
            let advice = "--tenant ID and --host HOST make a tenant"
            throw CommandFailure(failure.message, hint: failure.hint.map { "\($0); \(advice)" } ?? advice)
        }
    }

    private static func run(
        _ move: SettledMove, on installation: Installation, _ invocation: Invocation, users: String?, isTrial: Bool
    ) async throws -> Int32 {
        let now = SystemClock().now
        let output = invocation.output
        let changes: [ApplyConfiguration.Change]
        do {
            let file = try ConfigurationFile(parsing: move.file, now: now) { source in
                if case .text(let text) = source { SecretBytes(utf8: text) } else { nil }
            }
            changes = try await installation.configurationApplier().apply(
                file, prune: false, dryRun: isTrial, by: .commandLine(invocation), now: now)
        } catch let failure as ConfigurationFile.Failure {
            output.notes(failure.lines.map { Text("\($0.path): \($0.message)") })
            output.note("Nothing was changed.")
            return 1
        }
        if let path = try invocation[reportFile] {
            try store(Array(JSONWriter.lines(move.report.json).joined(separator: "\n").utf8), path, replacing: true)
        }
        let written = isTrial ? nil : users
        if let written { try handOver(move.users, written) }
        if try invocation[jsonObject] {
            var json: JSONObject = [
                "dry_run": .bool(isTrial), "report": move.report.json, "changes": .array(changes.map(\.json)),
                "users": .number(JSONNumber(move.users.count)),
            ]
            json["users_file"] = written.map(JSONValue.string)
            output.json(.object(json))
        } else {
            output.lines(move.report.lines(width: output.wrappingWidth))
            Command.show(changes, dryRun: isTrial, on: output)
        }
        output.notes(changes.compactMap { change in change.note.map { Text("\(change.tenant): \($0)") } })
        if let server = move.mailServer {
            output.note(
                "Mail goes to real people, by \(server): invitations, links for passwords and warnings. For a trial, import "
                    + "with --without-mail, or remove it: countersign mail provider remove\(options(invocation)).")
        }
        output.notes(try next(move, written, invocation, isTrial: isTrial))
        return 0
    }

    /// The seam to the import of users: their documents, to be given to its engine.
    private static func handOver(_ users: [JSONObject], _ path: String) throws {
        try store(JSONWriter.bytes(.array(users.map(JSONValue.object))), path, replacing: false)
    }

    private static func store(_ bytes: [UInt8], _ path: String, replacing: Bool) throws {
        do {
            let file = try NewFile(path)
            try file.append(bytes)
            try file.keep(replacing: replacing)
        } catch {
            throw CommandFailure("\(error)", hint: replacing ? nil : "name a file that does not exist yet")
        }
    }

    /// Options by which another command works on the same tenant, each after a blank.
    private static func options(_ invocation: Invocation) -> String {
        invocation.words(
            of: [Installation.tenantOption.declaration] + ServerChoices.installationOptions.declarations
        ).map { " \(quoted($0))" }.joined()
    }

    private static func next(
        _ move: SettledMove, _ written: String?, _ invocation: Invocation, isTrial: Bool
    ) throws -> [Text] {
        if isTrial { return ["Nothing was changed. Run it again without --dry-run."] }
        guard !move.users.isEmpty else { return [] }
        guard let written else {
            return ["\(move.users.count) users were read and not imported: give --users-file, and import that file."]
        }
        let options = options(invocation)
        return [
            "Next:", Text("  countersign user import \(quoted(written))\(options)"),
            Text("  rm \(quoted(written))"), Text("  countersign mail provider check\(options)"),
            Text("  countersign device invite\(options) --dry-run"),
            "The users' file has the hashes of their passwords. An invitation is a mail with a link to enrol a phone.",
        ]
    }
}

extension MoveReport {
    /// Three tables. Members that came, and those that turned nothing on, are counted; `--report` and `--json` have them
    /// all. The last column is wrapped to the width.
    fileprivate func lines(width: Int?) -> [Text] {
        var lines: [Text] = []
        func add(_ title: Text, _ table: Table, _ count: Int) {
            guard count > 0 else { return }
            lines += (lines.isEmpty ? [] : [""]) + [title] + table.lines(width: width)
        }
        add(
            Text("Came", .green),
            Table(
                ["OBJECT", "HERE", "MEMBERS"],
                rows: came.map { [Text($0.subjects.words), Text($0.here), Text("\($0.members.count)")] }),
            came.count)
        add(
            Text("Differs", .yellow),
            Table(
                ["OBJECT", "MEMBER", "WAS", "HERE", "SO"],
                rows: differs.map {
                    [Text($0.subjects.words), Text($0.member), Text($0.was), Text($0.here), Text($0.follows)]
                }), differs.count)
        let lacking = absent.filter { !$0.isIdle }
        add(
            Text("Absent", .red),
            Table(
                ["OBJECT", "MEMBER", "INSTEAD"],
                rows: lacking.map { [Text($0.subjects.words), Text($0.member), Text($0.instead)] }), lacking.count)
        if absent.count > lacking.count {
            lines.append("and \(absent.count - lacking.count) members that were off or empty: --report lists them")
        }
        return lines + [""]
    }
}
