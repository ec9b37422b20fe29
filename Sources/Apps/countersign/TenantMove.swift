import AuthorizationCore
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var export: Command {
        let file = Option<String?>.optional(
            "output", .path, defaultText: "standard output", "New file for the tenant, of mode 0600.")
        let keyFile = Option<String?>.optional(
            "key-file", .path, defaultText: "the output's name and .key",
            "File of mode 0600 with the key of the sealed values, which is made if it does not exist.")
        return onDataFolder(
            "export", "Write a tenant to a file, to import it in another installation. The server may keep running.",
            discussion: """
                The file has one JSON object per line: a header, the rows, and an end with a hash. Sealed values are \
                sealed again under a key of the file's own, without which the file is not imported. Move both apart.

                Users, factors, phones, passkeys, clients, APIs, roles, connections, settings, keys, sessions, \
                consents, refresh tokens, decisions and histories go along. Pending requests, logins, codes, links \
                and mails, limits of failed attempts, and the audit log do not.
                """,
            options: [Installation.tenantOption, file, keyFile, jsonObject],
            examples: [
                "write the tenant shop": "countersign export --tenant shop --output shop.ndjson",
                "compress it": "countersign export --tenant shop --key-file shop.key | gzip > shop.ndjson.gz",
            ]
        ) { installation, invocation in
            let tenant = try await installation.tenant(invocation).id
            let (name, output) = (try invocation[file], invocation.output)
            guard let key = try invocation[keyFile] ?? name.map({ $0 + ".key" }) else {
                throw UsageError("without --output, --key-file must name a file for the key")
            }
            let asJSON = try invocation[jsonObject]
            guard name != nil || !asJSON else { throw UsageError("--json needs --output") }
            let lines: @Sendable ([UInt8]) -> Void = { [stream = output.standard] in
                stream.write(String(decoding: $0, as: UTF8.self))
            }
            let target: Installation.ExportTarget = if let name { .file(name) } else { .stream(lines) }
            let moved = try await refusing {
                try await output.progress("Exporting the tenant \(tenant)") { _ in
                    try await installation.exportTenant(
                        tenant, to: target, keyFile: key, by: .commandLine(invocation), now: SystemClock().now)
                }
            }
            if asJSON { output.json(moved.json) }
            if let name, !asJSON {
                output.line("\("The tenant \(tenant) is exported", .green) to \(name).")
                output.table(moved.table)
            }
            output.notes([
                "Keep the key in \(key) apart from the file: both together have the tenant's keys and secrets."
            ])
            return 0
        }
    }

    static var `import`: Command {
        let file = Option<String>.argument("FILE", .path, "File that countersign export has written.")
        let keyFile = Option<String?>.optional(
            "key-file", .path, defaultText: "FILE.key", "File of mode 0600 with the file's key.")
        let trial = Option<Bool>.flag(
            "dry-run", "Check everything, also against this installation, and change nothing.")
        return Command(
            "import",
            "Read a tenant that another installation exported. No server may use a database in the data folder.",
            discussion: """
                auth0 and keycloak read the exports of these products instead, beside a running server.

                The file is checked as a whole before anything changes. All of it is written in one change, sealed \
                under this installation's master key. A tenant or a host that is already here is refused.

                The audit log of the other installation stays there.
                """,
            options: [
                OptionGroup("Options", [file, keyFile, trial, createOption, jsonObject]),
                ServerChoices.installationOptions,
            ],
            examples: [
                "check a file first": "countersign import shop.ndjson --dry-run",
                "import it to a new installation": "countersign import shop.ndjson --data new-data --create",
            ]
        ) { invocation in
            let settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
            let (name, isTrial) = (try invocation[file], try invocation[trial])
            let (key, output) = (try invocation[keyFile] ?? name + ".key", invocation.output)
            // A trial makes no installation.
            let opening = isTrial ? .existing : try invocation.opening()
            let moved = try await refusing {
                try await output.progress("Importing the tenant") { _ in
                    try await Installation.importTenant(
                        name, keyFile: key, into: settings, opening, isTrial: isTrial, by: .commandLine(invocation),
                        now: SystemClock().now)
                }
            }
            if try invocation[jsonObject] {
                output.json(moved.json)
            } else {
                let done: Text = isTrial ? "can be imported" : "is imported"
                output.line("The tenant \(moved.tenant.rawValue) \(done).")
                output.table(moved.table)
            }
            if !isTrial {
                output.notes([
                    "Next:", "  point the tenant's hosts here, and delete the tenant in the other installation",
                    "  delete \(name) and \(key)",
                ])
            }
            return 0
        }.with(subcommands: [importAuth0, importKeycloak])
    }
}

extension MovedTenant {
    private var sorted: [(name: String, count: Int)] {
        rows.sorted { $0.key < $1.key }.map { (name: $0.key, count: $0.value) }
    }

    fileprivate var table: Table {
        Table(["KIND", "ROWS"], rows: sorted.map { [Text($0.name), Text("\($0.count)")] })
    }

    fileprivate var json: JSONValue {
        var counts: JSONObject = [:]
        for (name, count) in sorted { counts[name] = .number(JSONNumber(count)) }
        return ["tenant": .string(tenant.rawValue), "rows": .object(counts), "key_file": .string(keyFile)]
    }
}
