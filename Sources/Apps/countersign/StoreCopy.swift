import CountersignServer
import PostgreSQLDriver
import Primitives
import Terminal

extension Command {
    static var store: Command {
        Command(
            "store", "Move an installation's tables to another database.",
            examples: [
                Example(
                    "move to PostgreSQL",
                    "countersign store copy --from countersign-data --to postgres://db.example/shop")
            ],
            subcommands: [storeCopy])
    }

    private static var storeCopy: Command {
        let source = Option<StorePlace>.required(
            "from", .storePlace, "Data folder with countersign.db, or a database of PostgreSQL.")
        let target = Option<StorePlace>.required("to", .storePlace, "Folder without a database, or an empty database.")
        return Command(
            "copy", "Copy all tables to another engine or place, and compare them. No server may be running.",
            discussion: """
                Everything is copied as it is: sealed values, the audit log with its chain, and the numbers that go on \
                behind it. So the copy needs the same master key. Give it the master.key of the data folder, or \
                --master-key-file.

                Afterwards the rows of both places are read again and compared by number and hash, and the copied \
                audit log is verified. Until then no program opens the target. After an interruption, a folder has no \
                database; a database of PostgreSQL has to be made anew, and the copy begun again. The source stays as \
                it is.

                A password belongs into PGPASSWORD or a file that PGPASSFILE names, because other users can see a \
                process's options.
                """,
            options: [OptionGroup("Options", [source, target, jsonObject])],
            examples: [
                "to PostgreSQL": "countersign store copy --from countersign-data --to postgres://db.example/shop",
                "and back": "countersign store copy --from postgres://db.example/shop --to new-data",
                "to another folder": "countersign store copy --from countersign-data --to new-data",
            ]
        ) { invocation in
            let (from, to) = (try invocation[source], try invocation[target])
            let output = invocation.output
            let copied = try await refusing {
                try await output.progress("Copying the tables") { progress in
                    try await Installation.copyStore(from: from, to: to) { stage in
                        guard output.diagnostics.isTerminal else { return }
                        switch stage {
                        case .copying(let table, let rows): progress.update("Copying \(table): \(rows) rows so far")
                        case .comparing(let table): progress.update("Comparing \(table)")
                        case .verifyingAuditLog(let entries):
                            progress.update("Verifying the audit log: \(entries) entries")
                        }
                    }
                }
            }
            if try invocation[jsonObject] { output.json(copied.json) } else { show(copied, to, on: output) }
            if let finding = copied.auditFinding {
                output.error(
                    "the audit log does not verify: \(finding)",
                    hint: "the source has the same entries; compare it with a backup, as docs/operations.md says")
            }
            return copied.auditFinding == nil ? 0 : 1
        }
    }

    private static func show(_ copied: CopiedStore, _ target: StorePlace, on output: Output) {
        output.table(
            Table(
                ["TABLE", "ROWS", "HASH"],
                rows: copied.tables.map { [Text($0.name), Text("\($0.rows)"), Text($0.hash)] }))
        output.line("\("The copy is complete.", .green) Both places have the same rows.")
        output.fields([
            ("Audit log", Text(copied.auditHead.map { "\(copied.auditEntries) entries up to \($0)" } ?? "no entry yet"))
        ])
        let start =
            switch target {
            case .folder(let path): "start the server with --data \(path)"
            case .postgreSQL: "start every node with --store and this address"
            }
        output.notes([
            "Next:",
            "  give it the same master key: copy master.key to the data folder, or name it with --master-key-file",
            "  \(start)", "  remove the source when nobody needs it; it contains secrets",
        ])
    }
}

extension CopiedStore {
    fileprivate var json: JSONValue {
        [
            "tables": .array(
                tables.map {
                    ["table": .string($0.name), "rows": .number(JSONNumber($0.rows)), "sha256": .string($0.hash)]
                }), "rows": .number(JSONNumber(tables.reduce(0) { $0 + $1.rows })),
            "audit_entries": .number(JSONNumber(auditEntries)),
            "audit_head": auditHead.map { .string($0) } ?? .null,
            "audit_finding": auditFinding.map { .string($0) } ?? .null,
        ]
    }
}

extension ValueKind where Value == StorePlace {
    fileprivate static var storePlace: ValueKind {
        ValueKind(placeholder: "FOLDER|ADDRESS", spell: \.description) { text throws(ValueProblem) in
            // A failure never repeats the text, which may hold a password.
            do { return try StorePlace(parsing: text) } catch { throw ValueProblem("\(error)") }
        }
    }
}
