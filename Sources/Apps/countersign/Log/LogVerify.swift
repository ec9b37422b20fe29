import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logVerify: Command {
        let expected = Option<AuditHead?>.optional(
            "expect", .auditHead, "A head that was noted earlier, which must still be part of the chain.")
        let archives = Option<[String]>.repeated(
            "archive", .path, "A file of countersign log archive; with all of them, the whole log is proven.")
        let archiveKey = Option<String?>.optional(
            "archive-key", .string.placeholder("THUMBPRINT"), "The key that must have signed the archives.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "verify", "Compute the whole chain anew, and tell the first entry that does not fit.",
            discussion: """
                Who may write the database can also write the whole chain anew, or cut off its end. Note the head that \
                this command prints somewhere else, and give it with --expect the next time: then that shows, too.

                What was archived is proven by its files, each given with --archive. Without them the chain begins after \
                its end, as this installation signed it; --archive-key tells that key from one that somebody else made.

                The log is one chain for all tenants. The exit status is 0 only where everything fits.
                """,
            options: [
                OptionGroup(
                    "Options",
                    [expected.declaration, archives.declaration, archiveKey.declaration, json.declaration]),
                ServerChoices.installationOptions,
            ],
            examples: [
                Example("from the head of the last time on", "countersign log verify --expect \"$(cat head)\""),
                Example("with what was archived", "countersign log verify --archive audit-2024.ndjson"),
            ]
        ) { invocation in
            let expected = try invocation[expected]
            let files = try invocation[archives].map { AuditArchiveFile($0) }
            let key = try invocation[archiveKey]
            return try await withInstallation(invocation, reading: true) { installation in
                let output = invocation.output
                let report = try await output.progress("Verifying the audit log") { progress in
                    try await installation.auditLog.verify(expecting: expected, archives: files, archiveKey: key) {
                        entries in
                        if output.diagnostics.isTerminal { progress.update("\(entries) entries verified") }
                    }
                }
                if try invocation[json] {
                    output.json(report.json(expected))
                } else {
                    show(report, expected, on: output)
                }
                return report.finding == nil ? 0 : 1
            }
        }
    }

    private static func show(_ report: VerifyAuditLog.Report, _ expected: AuditHead?, on output: Output) {
        let entries = report.entries == 1 ? "1 entry is" : "\(report.entries) entries are"
        var head: [(name: String, value: Text)] = [("Head", Text(report.head?.description ?? "none yet"))]
        if let archived = report.archived {
            head.append(("Archived up to", Text(archived.description)))
            head.append(("Archive key", Text(report.archiveKey ?? "unknown")))
        }
        guard let finding = report.finding else {
            let end =
                expected == nil
                ? "that none is missing at the end is proven only with --expect" : "the expected head is one of them"
            output.line("\("The audit log is whole.", .green) \(entries) as written; \(end).")
            return output.fields(head)
        }
        output.error(finding.text, hint: finding.hint)
        output.line("\(entries) as written\(finding.entry == nil ? "" : " before that").")
        output.fields(head)
    }
}

extension ValueKind where Value == AuditHead {
    fileprivate static var auditHead: ValueKind {
        ValueKind(placeholder: "HEAD", spell: \.description) { text throws(ValueProblem) in
            guard let head = AuditHead(text) else {
                throw ValueProblem("must be a head as log verify prints it: a number, a colon and 64 digits")
            }
            return head
        }
    }
}

extension VerifyAuditLog.Finding {
    fileprivate var text: String {
        switch self {
        case .missing(let range):
            range.count == 1
                ? "entry \(range.lowerBound) is missing"
                : "the entries \(range.lowerBound) to \(range.upperBound) are missing"
        case .altered(let sequence): "entry \(sequence) was altered, or is not the one that was written there"
        case .unreadable(let sequence): "entry \(sequence) cannot be read"
        case .inserted(let sequence): "entry \(sequence) was inserted"
        case .ended(let sequence): "the log ends after entry \(sequence), before the head that was expected"
        case .anotherChain(let sequence):
            "entry \(sequence) is not the one whose head was expected: the chain was written anew"
        case .gone: "there is no audit log: its table was dropped, or another was put in its place"
        case .emptied(1): "the log has no entry, although there is a tenant, which left some: all were removed"
        case .emptied(let tenants):
            "the log has no entry, although there are \(tenants) tenants, which left some: all were removed"
        case .unsigned(let place):
            "the end of the archive, as \(place) has it, is not signed by the key of this installation"
        case .torn(let file): "\(file) is no archive of the log, or not all of one"
        case .archived(let sequence): "entry \(sequence) is in an archive"
        case .unguarded(let names):
            "the database no longer refuses to alter the log: it lacks the "
                + (names.count == 1 ? "trigger " : "triggers ") + names.joined(separator: ", ") + " as made"
        }
    }

    fileprivate var hint: String {
        switch self {
        case .unguarded:
            "whoever did that may have cut off the end of the log: verify with --expect, and see docs/operations.md"
        case .gone, .emptied: "compare with a backup, and see docs/operations.md"
        case .archived: "give the archives with --archive"
        case .torn: "give another copy of it"
        default: "what comes after is not proven; compare with a backup, and see docs/operations.md"
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

    /// The first entry that it concerns, where it concerns one.
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
            "description": .string(text),
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
