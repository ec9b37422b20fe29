import Audit
import Configuration
import CountersignServer
import Primitives
import Terminal

/// Parts of a data folder that a backup does not contain.
private let notIncluded = [
    (
        "the master key",
        "without it, the sealed values in the backup cannot be opened; keep a copy of it apart from the backups"
    ),
    ("tls/", "the local authority, if tls is local"),
    ("settings", "the file given with --config, and certificates"),
]

extension Command {
    static var backup: Command {
        let file = Option<String>.argument("FILE", .path, "File for the copy.")
        let force = Option<Bool>.flag("force", "Replace FILE if it exists.")
        return onDataFolder(
            "backup", "Copy the database to a file and verify the copy. The server may keep running.",
            discussion: """
                The copy contains everything that was acknowledged before the command started. Other work is not \
                delayed, but the write-ahead log grows during the copy. FILE has mode 0600. Until it is complete and \
                verified, its name is FILE.partial. If the command is killed, the next backup to FILE removes that \
                file.

                The copy contains neither the master key nor the folder tls.
                """,
            options: [file, force, jsonObject],
            examples: [
                "copy the database of a running server": "countersign backup copy.db",
                "replace the previous copy": "countersign backup --force copy.db",
            ], reading: true, ofAnyVersion: true
        ) { installation, invocation in
            let (target, replacing) = (try invocation[file], try invocation[force])
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
            if try invocation[jsonObject] {
                output.json(backup.json(["not_included": .array(notIncluded.map { .string($0.0) })]))
            } else {
                output.line("\("The copy is complete and verified.", .green)")
                output.fields(backup.fields)
                output.notes(["Not included:"] + notIncluded.map { "  \($0.0): \($0.1)" })
            }
            return 0
        }
    }

    static var restore: Command {
        let file = Option<String>.argument("FILE", .path, "File created by countersign backup.")
        let force = Option<Bool>.flag("force", "Replace an existing database, which is kept under another name.")
        return Command(
            "restore", "Replace the database with a backup. No server may be running.",
            discussion: """
                The backup is copied and verified before anything changes: its structure, the hash chain of its audit \
                log, and the master key. If the command is interrupted, the folder contains either the previous \
                database or the whole backup.

                Everything after the backup is lost. For example, keys and refresh tokens revoked since then are valid \
                again.
                """,
            options: [
                OptionGroup("Options", [file, force, createOption, jsonObject]),
                ServerChoices.installationOptions,
            ],
            examples: [
                "restore a backup over the current database": "countersign restore --force copy.db",
                "restore it to a new data folder":
                    "countersign restore copy.db --data new-data --create --master-key-file countersign-data/master.key",
            ]
        ) { invocation in
            let settings = try ServerChoices(invocation, settings: Setting.storage.settings).settings
            let (source, replacing) = (try invocation[file], try invocation[force])
            let opening = try invocation.opening()
            let output = invocation.output
            let restored = try await refusing {
                try await output.progress("Restoring the database") { progress in
                    try await Installation.restore(
                        source, into: settings, opening, replacing: replacing, now: SystemClock().now
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
            if try invocation[jsonObject] {
                output.json(
                    restored.backup.json([
                        "audit_entries": .number(JSONNumber(restored.auditEntries)),
                        "kept": restored.kept.map { .string($0) } ?? .null,
                        "master_key_file": restored.masterKeyFile.map { .string($0) } ?? .null,
                        "older_version": .bool(restored.isOlder),
                    ]))
            } else {
                show(restored, settings, on: output)
            }
            return 0
        }
    }

    private static func show(_ restored: RestoredDatabase, _ settings: ServerSettings, on output: Output) {
        output.line("\("The backup is in place.", .green)")
        output.fields(
            restored.backup.fields
                + (restored.kept.map { [(name: "Kept", value: Text("\($0), the previous database"))] } ?? []))
        // The folder may have no key of its own.
        let key =
            restored.masterKeyFile == nil
            ? " and the same \(masterKeyVariable)" : settings.masterKeyFile.map { " --master-key-file \($0)" } ?? ""
        var steps: [Text] = ["Next:"]
        if restored.isOlder { steps.append("  the backup has an older version; the first start brings it up to date") }
        steps += [
            "  start the server with --data \(settings.dataFolder)\(key)",
            "  revoke again everything revoked since the backup: signing keys, refresh tokens, devices",
            "  verify the log with the newest head that you noted: countersign log verify --expect HEAD",
        ]
        if restored.kept != nil {
            steps.append("  remove the previous database when nobody needs it; it contains secrets")
        }
        output.notes(steps)
    }
}

/// Runs a command's work and turns refusals into failures with a hint.
func refusing<Result>(_ work: () async throws -> Result) async throws -> Result {
    do {
        return try await work()
    } catch let error as InstallationRefusal {
        throw CommandFailure(error.description, hint: error.hint)
    } catch let failure as AdministrationFailure {
        throw CommandFailure(failure)
    }
}

extension Backup {
    fileprivate var fields: [(name: String, value: Text)] {
        [
            ("File", Text(file)), ("Bytes", Text("\(bytes)")), ("Tenants", Text("\(tenants)")),
            ("Audit log", Text(auditHeads == AuditHeads() ? "no entry yet" : auditHeads.description)),
            ("Schema", Text(schema)),
        ]
    }

    fileprivate func json(_ more: JSONObject) -> JSONValue {
        var object: JSONObject = [
            "file": .string(file), "bytes": .number(JSONNumber(bytes)), "tenants": .number(JSONNumber(tenants)),
            "audit_head": auditHeads == AuditHeads() ? .null : .string(auditHeads.description),
            "schema": .string(schema),
        ]
        for (name, value) in more { object[name] = value }
        return .object(object)
    }
}
