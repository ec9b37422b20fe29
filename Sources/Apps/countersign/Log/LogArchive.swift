import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logArchive: Command {
        let before = Option<LogMoment>.required(
            "before", .logMoment, "Archive entries older than this time, such as 90d, or than a date.")
        let file = Option<String>.argument(
            "FILE", .path, "New file for the entries. An existing file is never replaced.")
        return onDataFolder(
            "archive", "Move old entries to a file. The remaining log is verified from the archive's signed end.",
            discussion: """
                FILE has mode 0600 and one JSON object per line: a header, then the entries of all tenants. It is \
                complete, verified and on the disk before the first entry is removed from the database. Entries are \
                removed in no other way. Entries of the last day stay.

                After that, countersign log verify starts at the end of the archive, which is signed by a key of this \
                installation. Note the key's thumbprint, which this command prints, in another place. With all \
                archives, countersign log verify --archive FILE ... verifies the whole log.
                """,
            options: [file, before, jsonObject],
            examples: [
                "archive entries older than a year": "countersign log archive --before 365d audit-2025.ndjson",
                "archive entries before a date": "countersign log archive --before 2026-01-01 audit-2025.ndjson",
            ]
        ) { installation, invocation in
            let (moment, target) = (try invocation[before], try invocation[file])
            let output = invocation.output
            let now = SystemClock().now
            let archived = try await refusing {
                try await output.progress("Archiving the audit log") { progress in
                    try await installation.archiveAuditLog(
                        before: moment.moment(now: now), to: target, by: .commandLine(invocation), now: now
                    ) { entries in
                        if output.diagnostics.isTerminal { progress.update("\(entries) entries written") }
                    }
                }
            }
            if try invocation[jsonObject] {
                output.json([
                    "file": .string(archived.file), "entries": .number(JSONNumber(archived.count)),
                    "after": .string(archived.after.description), "head": .string(archived.heads.description),
                    "archive_key": .string(archived.key),
                ])
            } else {
                output.line("\(archived.count) entries were moved from the database to \(archived.file).")
                output.fields([("Head", Text(archived.heads.description)), ("Archive key", Text(archived.key))])
                output.notes([
                    "Keep the file: nothing else proves these entries. Note the head and the key in another place."
                ])
            }
            return 0
        }
    }
}
