import AuthorizationCore
import Configuration
import CountersignServer
import Files
import HTTPModel
import ManagementAPI
import Primitives
import Terminal

extension Command {
    static var apply: Command {
        let file = Option<String?>.optionalArgument(
            "FILE", .path, "JSON file with the configuration. - reads standard input.")
        let prune = Option<Bool>.flag(
            "prune",
            "Remove APIs, roles, clients, connections and services of the file's tenants that the file does not name.")
        let dryRun = Option<Bool>.flag("dry-run", "Show the changes without making them.")
        let versionFile = Option<String?>.optional(
            "version-file", .path,
            "With --dry-run: file to write the configuration's version to. Otherwise: file with the version that it must "
                + "still have.")
        let json = Option<Bool>.flag("json", "Print the changes as a JSON array.")
        let print = Option<Bool>.flag("print", "Print the stored configuration as a file, and change nothing.")
        return Command(
            "apply", "Apply a configuration file with tenants, APIs, roles, users, clients and services.",
            discussion: """
                Applying the same file again changes nothing. If a file contains an error, nothing changes at all. A \
                running server applies the changes a second or two later.

                The data folder must have a database, which the first start of the server makes. --create makes one \
                before that start.

                A secret, such as a client_secret or a password, is a string, {"env": "NAME"} or {"file": "PATH"}. \
                Paths are relative to the file's folder.

                --print writes the configuration of all tenants, or of --tenant, without users, keys and secrets. Applied \
                again, it changes nothing.

                With --version-file, a file is applied only if nobody changed the configuration since the dry run that \
                wrote the version. Users are not part of it.

                With --server, the file has one tenant, that of the server's host, and the client needs a grant for every \
                scope of the Management API; for a dry run, scopes that read. Secrets are read here and sent with the file.
                """,
            options: [
                OptionGroup("Options", [file, prune, dryRun, versionFile, createOption, json, print, printedTenant]),
                ServerChoices.installationOptions, ServerOptions.group,
            ],
            examples: [
                "preview the changes": "countersign apply configuration.json --dry-run",
                "also note the version that they are for":
                    "countersign apply configuration.json --dry-run --version-file version",
                "make a new installation": "countersign apply configuration.json --data new-data --create",
                "keep the configuration as a file": "countersign apply --print",
                "apply it at a server elsewhere":
                    "countersign apply configuration.json --server https://id.shop.example --client-id ci",
            ]
        ) { invocation in
            if try invocation[print] {
                guard try invocation[file] == nil, try invocation[versionFile] == nil,
                    try ![prune, dryRun, createOption].contains(where: { try invocation[$0] })
                else {
                    throw UsageError("--print takes no FILE, and changes nothing", hint: "give --print alone")
                }
                return try await printConfiguration(invocation)
            }
            guard let path = try invocation[file] else {
                throw UsageError("the operand FILE is missing", hint: "- reads standard input")
            }
            guard try invocation[printedTenant] == nil else { throw UsageError("--tenant needs --print") }
            let (now, bytes) = (SystemClock().now, try readFile(path))
            let secrets = secretReader(invocation.environment, beside: path)
            do {
                let configuration = try ConfigurationFile(parsing: bytes, now: now, secret: secrets)
                for line in configuration.warnings {
                    invocation.output.warning(Text("\(path):\(line.line):\(line.column): \(line.path) \(line.message)"))
                }
                let dryRun = try invocation[dryRun]
                var options = ApplyConfiguration.Options(prune: try invocation[prune], dryRun: dryRun)
                let versionFile = try invocation[versionFile]
                if let versionFile, !dryRun { options.versions = [try version(in: versionFile)] }
                let asJSON = try invocation[json]
                func show(_ outcome: ApplyConfiguration.Outcome) throws -> Int32 {
                    let changes = outcome.changes
                    if let versionFile, dryRun { try write(outcome.version, to: versionFile) }
                    if asJSON {
                        invocation.output.json(.array(changes.map(\.json)))
                    } else {
                        Command.show(changes, dryRun: dryRun, on: invocation.output)
                    }
                    invocation.output.notes(
                        changes.compactMap { change in change.note.map { Text("\(change.tenant): \($0)") } })
                    let uncompared = changes.reduce(0) { $0 + $1.uncompared.count }
                    if uncompared > 0 {
                        invocation.output.note(
                            "Secrets that were not compared, which takes every scope: \(uncompared). --json names them."
                        )
                    }
                    return 0
                }
                if let server = try ServerOptions.chosen(invocation) {
                    let tenant = try ManagedTenant(server: server, invocation)
                    let document = ConfigurationFile.inlining(
                        try JSONReader.parse(Array(bytes.withoutByteOrderMark)), secret: secrets)
                    return try await refusing {
                        try show(try await tenant.apply(configuration, document, options))
                    }
                }
                return try await withInstallation(invocation, try invocation.opening(), trial: dryRun) { installation in
                    do {
                        return try show(
                            try await installation.configurationApplier().apply(configuration, options, now: now) {
                                AdministrativeContext(tenant: $0, actor: .commandLine(invocation), now: now)
                            })
                    } catch is ApplyConfiguration.Moved {
                        throw CommandFailure(
                            "the configuration was changed since that version",
                            hint: "look at the changes again: countersign apply FILE --dry-run --version-file FILE")
                    }
                }
            } catch let failure as ConfigurationFile.Failure {
                let name = path == "-" ? "standard input" : path
                invocation.output.notes(
                    failure.lines.map { line in
                        let place = line.path.isEmpty ? "" : "\(line.path): "
                        return Text("\(name):\(line.line):\(line.column): \(place)\(line.message)")
                    })
                invocation.output.note("Nothing was changed.")
                return 1
            }
        }
    }

    private static let printedTenant = Option<String?>.optional(
        "tenant", .string.placeholder("ID"), defaultText: "all", "With --print: id of the tenant.")

    private static func version(in file: String) throws -> String {
        let text = String(decoding: try readFile(file), as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard text.count == 1, text[0].allSatisfy(\.isHexDigit) else {
            throw CommandFailure(
                "\(file) has no version of a configuration", hint: "--dry-run with --version-file writes one")
        }
        return String(text[0])
    }

    private static func write(_ version: String, to path: String) throws {
        do {
            let file = try NewFile(path)
            try file.append(Array("\(version)\n".utf8))
            try file.keep(replacing: true)
        } catch {
            throw CommandFailure("\(error)")
        }
    }

    private static func printConfiguration(_ invocation: Invocation) async throws -> Int32 {
        if let server = try ServerOptions.chosen(invocation) {
            let file = try await refusing {
                try await ManagedTenant(server: server, invocation).get("/tenants/configuration")
            }
            invocation.output.lines(JSONWriter.lines(.object(file)).map { Text($0) })
            return 0
        }
        return try await withInstallation(invocation, reading: true) { installation in
            let all = try await installation.configuration.tenants()
            let name = try invocation[printedTenant]
            let chosen = all.filter { name == nil || $0.tenant.id.rawValue == name }
            if let name, chosen.isEmpty {
                let ids = all.map(\.tenant.id.rawValue).joined(separator: ", ")
                throw CommandFailure("there is no tenant \(name)", hint: ids.isEmpty ? nil : "the tenants are: \(ids)")
            }
            let entries = chosen.sorted { $0.tenant.id.rawValue < $1.tenant.id.rawValue }.map(\.fileEntry)
            let file: JSONValue = ["tenants": .array(entries.map(JSONValue.object))]
            invocation.output.lines(JSONWriter.lines(file).map { Text($0) })
            return 0
        }
    }

    private static func secretReader(
        _ environment: [String: String], beside path: String
    ) -> (ConfigurationFile.SecretSource) -> SecretBytes? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return { source in
            switch source {
            case .text(let text): return SecretBytes(utf8: text)
            case .environment(let name): return environment[name].flatMap { $0.isEmpty ? nil : SecretBytes(utf8: $0) }
            case .file(let name):
                guard var bytes = try? readFile(name.hasPrefix("/") ? name : folder + name) else { return nil }
                // Editors end a text with a line break, which is not part of the secret.
                let isText = String(validating: bytes, as: UTF8.self) != nil
                while isText, bytes.last == UInt8(ascii: "\n") || bytes.last == UInt8(ascii: "\r") {
                    bytes.removeLast()
                }
                return bytes.isEmpty ? nil : SecretBytes(bytes)
            }
        }
    }

    static func show(_ changes: [ApplyConfiguration.Change], dryRun: Bool, on output: Output) {
        let shown = changes.filter { $0.action != .unchanged }
        if !shown.isEmpty {
            output.table(
                Table(
                    ["CHANGE", "TENANT", "OBJECT", "FIELDS"],
                    rows: shown.map { change in
                        [
                            Text(change.action.rawValue, change.action.style), Text(change.tenant.rawValue),
                            "\(change.kind) \(change.name)", Text(change.fields.joined(separator: ", ")),
                        ]
                    }))
        }
        let unchanged = changes.count - shown.count
        let verb = dryRun ? "would change" : "changed"
        output.line("\(shown.count) \(verb), \(unchanged) unchanged")
    }
}

extension ManagedTenant {
    /// Applies a file at a server, in one change. Problems that only the server finds have lines, too.
    fileprivate func apply(
        _ file: ConfigurationFile, _ document: JSONValue, _ options: ApplyConfiguration.Options
    ) async throws -> ApplyConfiguration.Outcome {
        var request = OperationRequest(
            .put, "/tenants/configuration",
            query: [.init("prune", String(options.prune)), .init("dry_run", String(options.dryRun))], body: document)
        request.version = options.versions?.first
        do {
            let answer = try await answer(request)
            return ApplyConfiguration.Outcome(
                changes: (answer["changes"]?.arrayValue ?? []).compactMap { ApplyConfiguration.Change($0) },
                version: answer["version"]?.stringValue ?? "")
        } catch AdministrationFailure.invalid(let problems) { throw file.failure(problems) }
    }
}

extension ApplyConfiguration.Change.Action {
    fileprivate var style: Style {
        switch self {
        case .created: .green
        case .changed: .yellow
        case .removed: .red
        case .unchanged: .dim
        }
    }
}
