import Administration
import Audit
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logVerify: Command {
        let expected = Option<AuditHeads?>.optional(
            "expect", .auditHeads, "Head noted earlier, which must still be part of the chain. Several with commas.")
        let treeHead = Option<AuditTreeHead.ID?>.optional(
            "expect-tree-head", .treeHead, "Tree head noted earlier, which covers all lanes.")
        let archives = Option<[String]>.repeated(
            "archive", .path, "File created by countersign log archive. With all files, the whole log is verified.")
        let archiveKey = Option<String?>.optional(
            "archive-key", .string.placeholder("THUMBPRINT"),
            "Thumbprint of the key that must have signed the archives.")
        return onDataFolder(
            "verify", "Recompute the whole chain and report the first entry that does not match.",
            discussion: """
                Somebody who can write the database can also rewrite the whole chain or cut off its end. Note the head \
                that this command prints in another place, and pass it with --expect the next time to detect that. A \
                tree head, which a server signs every minute, covers the whole log likewise: --expect-tree-head.

                Archived entries are verified from their files, each given with --archive. Without them, the chain \
                starts at the archive's end, which this installation signed. --archive-key distinguishes that key from \
                somebody else's.

                The log is one chain for all tenants, or one for each lane of a database with several writers. The exit status is 0 only if everything matches.
                """,
            options: [expected, treeHead, archives, archiveKey, jsonObject],
            examples: [
                "verify with the head noted last time": "countersign log verify --expect \"$(cat head)\"",
                "verify archived entries too": "countersign log verify --archive audit-2024.ndjson",
            ], reading: true
        ) { installation, invocation in
            let expected = try invocation[expected]
            let treeHead = try invocation[treeHead]
            let files = try invocation[archives].map { AuditArchiveFile($0) }
            let key = try invocation[archiveKey]
            let output = invocation.output
            let report = try await output.progress("Verifying the audit log") { progress in
                try await installation.auditLog.verify(
                    expecting: expected ?? AuditHeads(), treeHead: treeHead, archives: files, archiveKey: key
                ) { entries in
                    if output.diagnostics.isTerminal { progress.update("\(entries) entries verified") }
                }
            }
            let isEndProven = report.finding == nil && (expected != nil || treeHead != nil)
            if try invocation[jsonObject] {
                output.json(report.json(isEndProven))
            } else {
                show(report, isEndProven, on: output)
            }
            return report.finding == nil ? 0 : 1
        }
    }

    private static func show(_ report: VerifyAuditLog.Report, _ isEndProven: Bool, on output: Output) {
        let entries = report.entries == 1 ? "1 entry matches" : "\(report.entries) entries match"
        var head: [(name: String, value: Text)] = [("Head", Text(report.head ?? "none yet"))]
        if let treeHead = report.treeHead {
            head.append(("Tree head", Text(treeHead.id.description)))
            head.append(("Signed", Text(treeHead.at.iso8601)))
        }
        if let archived = report.archived {
            head.append(("Archived up to", Text(archived.description)))
            head.append(("Archive key", Text(report.archiveKey ?? "unknown")))
        }
        guard let finding = report.finding else {
            let end =
                isEndProven
                ? "the expected head is one of them" : "use --expect to detect missing entries at the end"
            output.line("\("The audit log is complete.", .green) \(entries) the chain; \(end).")
            return output.fields(head)
        }
        output.error(finding.description, hint: finding.hint)
        output.line("\(entries) the chain\(finding.entry == nil ? "" : " before that").")
        output.fields(head)
    }
}

extension ValueKind where Value == AuditTreeHead.ID {
    fileprivate static var treeHead: ValueKind {
        ValueKind(placeholder: "TREE-HEAD", spell: \.description) { text throws(ValueProblem) in
            guard let id = AuditTreeHead.ID(text) else {
                throw ValueProblem(
                    "must be a tree head as log verify prints it: a number, a colon and 64 hexadecimal digits")
            }
            return id
        }
    }
}

extension ValueKind where Value == AuditHeads {
    fileprivate static var auditHeads: ValueKind {
        ValueKind(placeholder: "HEAD", spell: \.description) { text throws(ValueProblem) in
            guard let head = AuditHeads(text), head != AuditHeads() else {
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
        case .archivedTreeHead: "give a later one, or the head of the archive with --expect and --archive"
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
        case .cutOff: "cut_off"
        case .anotherChain: "another_chain"
        case .treeHead: "tree_head"
        case .gone: "gone"
        case .emptied: "emptied"
        case .unguarded: "unguarded"
        case .unsigned: "unsigned"
        case .torn: "torn"
        case .archived: "archived"
        case .archivedTreeHead: "archived_tree_head"
        }
    }

    /// The first entry that the finding concerns. Nil means that it concerns the whole log.
    fileprivate var entry: AuditPlace? {
        switch self {
        case .missing(let range): range.lowerBound
        case .altered(let place), .unreadable(let place), .inserted(let place), .ended(let place),
            .cutOff(let place, _),
            .anotherChain(let place), .archived(let place):
            place
        case .treeHead, .archivedTreeHead, .gone, .emptied, .unguarded, .unsigned, .torn: nil
        }
    }

    fileprivate var json: JSONValue {
        var problem: JSONObject = [
            "finding": .string(name), "entry": entry.map { .number(JSONNumber($0.number)) } ?? .null,
            "description": .string(description),
        ]
        if let entry, entry.lane != 0 { problem["lane"] = .number(JSONNumber(entry.lane)) }
        return .object(problem)
    }
}

extension VerifyAuditLog.Report {
    fileprivate var head: String? { heads == AuditHeads() ? nil : heads.description }

    fileprivate func json(_ isEndProven: Bool) -> JSONValue {
        [
            "valid": .bool(finding == nil), "end_proven": .bool(isEndProven),
            "entries": .number(JSONNumber(entries)), "head": head.map { .string($0) } ?? .null,
            "tree_head": treeHead.map { .string($0.id.description) } ?? .null,
            "archived": archived.map { .string($0.description) } ?? .null,
            "archive_key": archiveKey.map { .string($0) } ?? .null, "problem": finding?.json ?? .null,
        ]
    }
}
