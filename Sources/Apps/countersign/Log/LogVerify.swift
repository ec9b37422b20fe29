import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logVerify: Command {
        let expected = Option<AuditHead?>.optional(
            "expect", .auditHead, "Head noted earlier, which must still be part of the chain.")
        let archives = Option<[String]>.repeated(
            "archive", .path, "File created by countersign log archive. With all files, the whole log is verified.")
        let archiveKey = Option<String?>.optional(
            "archive-key", .string.placeholder("THUMBPRINT"),
            "Thumbprint of the key that must have signed the archives.")
        return onDataFolder(
            "verify", "Recompute the whole chain and report the first entry that does not match.",
            discussion: """
                Somebody who can write the database can also rewrite the whole chain or cut off its end. Note the head \
                that this command prints in another place, and pass it with --expect the next time to detect that.

                Archived entries are verified from their files, each given with --archive. Without them, the chain \
                starts at the archive's end, which this installation signed. --archive-key distinguishes that key from \
                somebody else's.

                The log is one chain for all tenants. The exit status is 0 only if everything matches.
                """,
            options: [expected, archives, archiveKey, jsonObject],
            examples: [
                "verify with the head noted last time": "countersign log verify --expect \"$(cat head)\"",
                "verify archived entries too": "countersign log verify --archive audit-2024.ndjson",
            ], reading: true
        ) { installation, invocation in
            let expected = try invocation[expected]
            let files = try invocation[archives].map { AuditArchiveFile($0) }
            let key = try invocation[archiveKey]
            let output = invocation.output
            let report = try await output.progress("Verifying the audit log") { progress in
                try await installation.auditLog.verify(expecting: expected, archives: files, archiveKey: key) {
                    entries in
                    if output.diagnostics.isTerminal { progress.update("\(entries) entries verified") }
                }
            }
            if try invocation[jsonObject] {
                output.json(report.json(expected))
            } else {
                show(report, expected, on: output)
            }
            return report.finding == nil ? 0 : 1
        }
    }

    private static func show(_ report: VerifyAuditLog.Report, _ expected: AuditHead?, on output: Output) {
        let entries = report.entries == 1 ? "1 entry matches" : "\(report.entries) entries match"
        var head: [(name: String, value: Text)] = [("Head", Text(report.head?.description ?? "none yet"))]
        if let archived = report.archived {
            head.append(("Archived up to", Text(archived.description)))
            head.append(("Archive key", Text(report.archiveKey ?? "unknown")))
        }
        guard let finding = report.finding else {
            let end =
                expected == nil
                ? "use --expect to detect missing entries at the end" : "the expected head is one of them"
            output.line("\("The audit log is complete.", .green) \(entries) the chain; \(end).")
            return output.fields(head)
        }
        output.error(finding.description, hint: finding.hint)
        output.line("\(entries) the chain\(finding.entry == nil ? "" : " before that").")
        output.fields(head)
    }
}

extension ValueKind where Value == AuditHead {
    fileprivate static var auditHead: ValueKind {
        ValueKind(placeholder: "HEAD", spell: \.description) { text throws(ValueProblem) in
            guard let head = AuditHead(text) else {
                throw ValueProblem(
                    "must be a head as log verify prints it: a number, a colon and 64 hexadecimal digits")
            }
            return head
        }
    }
}

extension VerifyAuditLog.Finding {
    fileprivate var hint: String {
        switch self {
        case .unguarded: "the end of the log may have been cut off: verify with --expect, and see docs/operations.md"
        case .gone, .emptied: "compare with a backup, and see docs/operations.md"
        case .archived: "give the archives with --archive"
        case .torn: "use another copy of it"
        default: "later entries are not verified; compare with a backup, and see docs/operations.md"
        }
    }

    private var name: String {
        switch self {
        case .missing: "missing"
        case .altered: "altered"
        case .unreadable: "unreadable"
        case .inserted: "inserted"
        case .ended: "ended"
        case .anotherChain: "another_chain"
        case .gone: "gone"
        case .emptied: "emptied"
        case .unguarded: "unguarded"
        case .unsigned: "unsigned"
        case .torn: "torn"
        case .archived: "archived"
        }
    }

    /// The first entry that the finding concerns. Nil means that it concerns the whole log.
    fileprivate var entry: Int64? {
        switch self {
        case .missing(let range): range.lowerBound
        case .altered(let sequence), .unreadable(let sequence), .inserted(let sequence), .ended(let sequence),
            .anotherChain(let sequence), .archived(let sequence):
            sequence
        case .gone, .emptied, .unguarded, .unsigned, .torn: nil
        }
    }

    fileprivate var json: JSONValue {
        [
            "finding": .string(name), "entry": entry.map { .number(JSONNumber($0)) } ?? .null,
            "description": .string(description),
        ]
    }
}

extension VerifyAuditLog.Report {
    fileprivate func json(_ expected: AuditHead?) -> JSONValue {
        [
            "valid": .bool(finding == nil), "end_proven": .bool(finding == nil && expected != nil),
            "entries": .number(JSONNumber(entries)), "head": head.map { .string($0.description) } ?? .null,
            "archived": archived.map { .string($0.description) } ?? .null,
            "archive_key": archiveKey.map { .string($0) } ?? .null, "problem": finding?.json ?? .null,
        ]
    }
}
