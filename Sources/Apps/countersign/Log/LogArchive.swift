import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logArchive: Command {
        let before = Option<LogMoment>.required(
            "before", .logMoment, "Which entries: those older than a time, such as 90d, or than a date.")
        let file = Option<String>.argument("FILE", .path, "Where they go; a file that is there is never replaced.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "archive", "Move old entries to a file, behind a signed head from which the rest is proven.",
            discussion: """
                FILE has mode 0600 and a JSON object a line: a header, and an entry of all tenants each. It is whole, \
                verified and on the disk before the first entry is removed from the database, which takes no other way \
                to remove one. Entries of the last day stay.

                From then on countersign log verify begins after the archive, whose end was signed by a key of this \
                installation. Note the key's thumbprint that this command prints elsewhere. With all archives, \
                countersign log verify --archive FILE ... proves the whole.
                """,
            options: [
                OptionGroup("Options", [file.declaration, before.declaration, json.declaration]),
                ServerChoices.installationOptions,
            ],
            examples: [
                Example("what is older than a year", "countersign log archive --before 365d audit-2025.ndjson"),
                Example("what was before a date", "countersign log archive --before 2026-01-01 audit-2025.ndjson"),
            ]
        ) { invocation in
            let (moment, target) = (try invocation[before], try invocation[file])
            return try await withInstallation(invocation) { installation in
                let output = invocation.output
                let now = SystemClock().now
                let archived: ArchivedEntries
                do {
                    archived = try await output.progress("Archiving the audit log") { progress in
                        try await installation.archiveAuditLog(
                            before: moment.moment(now: now), to: target, by: .commandLine(invocation), now: now
                        ) { entries in
                            if output.diagnostics.isTerminal { progress.update("\(entries) entries written") }
                        }
                    }
                } catch let error as InstallationRefusal {
                    throw CommandFailure(error.description, hint: error.hint)
                }
                if try invocation[json] {
                    output.json([
                        "file": .string(archived.file), "entries": .number(JSONNumber(archived.count)),
                        "after": .string(archived.after.description), "head": .string(archived.head.description),
                        "archive_key": .string(archived.key),
                    ])
                } else {
                    output.line("\(archived.count) entries are in \(archived.file), and no longer in the database.")
                    output.fields([
                        ("Head", Text(archived.head.description)), ("Archive key", Text(archived.key)),
                    ])
                    output.notes([
                        "Keep the file: nothing else proves these entries. Note the head and the key elsewhere."
                    ])
                }
                return 0
            }
        }
    }
}
