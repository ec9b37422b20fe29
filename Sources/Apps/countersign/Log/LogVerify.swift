import Administration
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var logVerify: Command {
        let expected = Option<AuditHead?>.optional(
            "expect", .auditHead, "A head that was noted earlier, which must still be part of the chain.")
        let json = Option<Bool>.flag("json", "Print a JSON object.")
        return Command(
            "verify", "Compute the whole chain anew, and tell the first entry that does not fit.",
            discussion: """
                Who may write the database can also write the whole chain anew, or cut off its end. Note the head that \
                this command prints somewhere else, and give it with --expect the next time: then that shows, too.

                The log is one chain for all tenants. The exit status is 0 only where everything fits.
                """,
            options: [
                OptionGroup("Options", [expected.declaration, json.declaration]), ServerChoices.installationOptions,
            ],
            examples: [
                Example("from the head of the last time on", "countersign log verify --expect \"$(cat head)\"")
            ]
        ) { invocation in
            let expected = try invocation[expected]
            return try await withInstallation(invocation, reading: true) { installation in
                let output = invocation.output
                let report = try await output.progress("Verifying the audit log") { progress in
                    try await installation.auditLog.verify(expecting: expected) { entries in
                        if output.diagnostics.isTerminal { progress.update("\(entries) entries verified") }
                    }
                }
                if try invocation[json] {
                    output.json(report.json)
                } else {
                    show(report, on: output)
                }
                return report.finding == nil ? 0 : 1
            }
        }
    }

    private static func show(_ report: VerifyAuditLog.Report, on output: Output) {
        let entries = report.entries == 1 ? "1 entry is" : "\(report.entries) entries are"
        let head: (name: String, value: Text) = ("Head", Text(report.head?.description ?? "none yet"))
        guard let finding = report.finding else {
            output.line("\("The audit log is whole.", .green) \(entries) as written.")
            return output.fields([head])
        }
        output.error(
            finding.text, hint: "what comes after is not proven; compare with a backup, and see docs/operations.md")
        output.line("\(entries) as written before that.")
        output.fields([head])
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
        }
    }

    /// The finding's name and the first entry that it concerns.
    private var code: (name: String, entry: Int64) {
        switch self {
        case .missing(let range): ("missing", range.lowerBound)
        case .altered(let sequence): ("altered", sequence)
        case .unreadable(let sequence): ("unreadable", sequence)
        case .inserted(let sequence): ("inserted", sequence)
        case .ended(let sequence): ("ended", sequence)
        case .anotherChain(let sequence): ("another_chain", sequence)
        }
    }

    fileprivate var json: JSONValue {
        [
            "finding": .string(code.name), "entry": .number(JSONNumber(code.entry)), "description": .string(text),
        ]
    }
}

extension VerifyAuditLog.Report {
    fileprivate var json: JSONValue {
        [
            "valid": .bool(finding == nil), "entries": .number(JSONNumber(entries)),
            "head": head.map { .string($0.description) } ?? .null, "problem": finding?.json ?? .null,
        ]
    }
}
