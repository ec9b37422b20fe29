import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

/// Parts of a data folder that no backup holds.
private let notIncluded = [
    (
        "the master key",
        "without it nobody opens what is sealed in the backup; keep a copy of it apart from the backups"
    ),
    ("tls/", "the local authority, where tls is local"),
    ("settings", "the file of --config, and certificates"),
]

extension Command {
    static var backup: Command {
        let file = Option<String>.argument("FILE", .path, "Where the copy goes.")
        let force = Option<Bool>.flag("force", "Replace FILE if it is there.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "backup", "Copy the database to a file, also while the server runs, and verify the copy.",
            discussion: """
                The copy holds everything that was acknowledged before the command began. It delays nobody; the \
                write-ahead log grows while it is made. FILE has mode 0600, and its name only when it is whole and \
                verified: until then it is FILE.partial, which the next backup to FILE removes if this one is killed.

                The master key is not in it, and neither is the folder tls.
                """,
            options: [
                OptionGroup("Options", [file.declaration, force.declaration, json.declaration]),
                ServerChoices.installationOptions,
            ],
            examples: [
                Example("a copy beside the running server", "countersign backup copy.db"),
                Example("each night over the one before", "countersign backup --force copy.db"),
            ]
        ) { invocation in
            let (target, replacing) = (try invocation[file], try invocation[force])
            return try await withInstallation(invocation, reading: true, ofAnyVersion: true) { installation in
                let output = invocation.output
                let backup = try await refusing {
                    try await output.progress("Copying the database") { progress in
                        try await installation.backUp(to: target, replacing: replacing) { stage in
                            guard output.diagnostics.isTerminal else { return }
                            switch stage {
                            case .copying(let percent): progress.update("Copying: \(percent) %")
                            case .verifying: progress.update("Verifying the copy")
                            }
                        }
                    }
                }
                if try invocation[json] {
                    output.json(backup.json(["not_included": .array(notIncluded.map { .string($0.0) })]))
                } else {
                    output.line("\("The copy is whole and verified.", .green)")
                    output.fields(backup.fields)
                    output.notes(["Not in it:"] + notIncluded.map { "  \($0.0): \($0.1)" })
                }
                return 0
            }
        }
    }

    static var restore: Command {
        let file = Option<String>.argument("FILE", .path, "A file made by countersign backup.")
        let force = Option<Bool>.flag(
            "force", "Put it in the place of a database that is there, which is kept beside it under another name.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "restore", "Put a backup in the place of the database, while no server runs.",
            discussion: """
                The backup is copied and verified before anything is changed: its structure, the chain of its audit \
                log, and that the master key at hand is the one it was sealed under. Whenever the command ends, the \
                folder has the database of before or all of the backup.

                What was decided and given since the backup is forgotten: revoked keys and refresh tokens count again.
                """,
            options: [
                OptionGroup("Options", [file.declaration, force.declaration, json.declaration]),
                ServerChoices.installationOptions,
            ],
            examples: [
                Example("back to a backup", "countersign restore --force copy.db"),
                Example(
                    "into a new data folder",
                    "countersign restore copy.db --data new-data --master-key-file countersign-data/master.key"),
            ]
        ) { invocation in
            let settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
            let (source, replacing) = (try invocation[file], try invocation[force])
            let output = invocation.output
            let restored = try await refusing {
                try await output.progress("Restoring the database") { progress in
                    try await Installation.restore(
                        source, into: settings, replacing: replacing, now: SystemClock().now
                    ) { stage in
                        guard output.diagnostics.isTerminal else { return }
                        switch stage {
                        case .copying(let bytes): progress.update("Copying: \(bytes / 1_048_576) MiB")
                        case .verifying: progress.update("Verifying the copy")
                        case .verifyingAuditLog(let entries):
                            progress.update("Verifying the audit log: \(entries) entries")
                        }
                    }
                }
            }
            if try invocation[json] {
                output.json(
                    restored.backup.json([
                        "audit_entries": .number(JSONNumber(restored.auditEntries)),
                        "kept": restored.kept.map { .string($0) } ?? .null,
                        "older_version": .bool(restored.isOlder),
                    ]))
            } else {
                show(restored, settings.dataFolder, on: output)
            }
            return 0
        }
    }

    private static func show(_ restored: RestoredDatabase, _ folder: String, on output: Output) {
        output.line("\("The backup is in place.", .green)")
        output.fields(
            restored.backup.fields
                + (restored.kept.map { [(name: "Kept", value: Text("\($0), the database of before"))] } ?? []))
        var steps: [Text] = ["Next:"]
        if restored.isOlder { steps.append("  it is of an older version: the first start brings it up to date") }
        steps += [
            "  start the server on \(folder)",
            "  revoke again what was revoked since the backup: signing keys, refresh tokens, devices",
            "  verify the log with the newest head that you noted: countersign log verify --expect HEAD",
        ]
        if restored.kept != nil {
            steps.append("  remove the database of before when nobody needs it: it holds secrets")
        }
        output.notes(steps)
    }
}

/// Runs a command's work and says what kept it from being done.
func refusing<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
        return try await work()
    } catch let error as InstallationRefusal {
        throw CommandFailure(error.description, hint: error.hint)
    } catch let error as FolderInUse {
        throw CommandFailure(error.description, hint: error.hint)
    }
}

extension Backup {
    fileprivate var fields: [(name: String, value: Text)] {
        [
            ("File", Text(file)), ("Bytes", Text("\(bytes)")), ("Tenants", Text("\(tenants)")),
            ("Audit log", Text(auditHead?.description ?? "no entry yet")), ("Schema", Text(schema)),
        ]
    }

    fileprivate func json(_ more: JSONObject) -> JSONValue {
        var object: JSONObject = [
            "file": .string(file), "bytes": .number(JSONNumber(bytes)), "tenants": .number(JSONNumber(tenants)),
            "audit_head": auditHead.map { .string($0.description) } ?? .null, "schema": .string(schema),
        ]
        for (name, value) in more { object[name] = value }
        return .object(object)
    }
}
