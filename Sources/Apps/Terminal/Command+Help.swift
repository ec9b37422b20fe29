extension Command {
    /// Help for the last command of `path`, at most 100 columns wide.
    static func help(path: [Command], width: Int) -> [Text] {
        guard let command = path.last else { return [] }
        return HelpPage(command: command, title: path.map(\.name).joined(separator: " "), width: min(width, 100)).lines
    }
}

private struct HelpPage {
    let command: Command
    let title: String
    let width: Int

    var lines: [Text] {
        var lines = usage + [""] + paragraph(command.summary)
        for text in command.discussion.split(separator: "\n\n") {
            lines += [""] + paragraph(text.split(separator: "\n").joined(separator: " "))
        }
        let operands = command.declarations.filter { $0.form == .argument }
        lines += section("Arguments", operands.map { ($0.name, explanation($0)) })
        lines += section(
            "Commands", command.subcommands.map { (([$0.name] + $0.aliases).joined(separator: ", "), $0.summary) })
        for group in (command.leading.map { [$0.group] } ?? []) + command.groups {
            lines += section(group.heading, group.declarations.filter { $0.form != .argument }.map(optionRow))
        }
        var common = [("-h, --help", "Show this help.")]
        if command.version != nil { common.append(("    --version", "Show the version.")) }
        lines += section("Help", common)
        if !command.examples.isEmpty { lines += ["", Text("Examples:", .bold)] }
        for example in command.examples { lines += ["  \("# " + example.purpose, .dim)", "  \(example.line)"] }
        return lines
    }

    private var usage: [Text] {
        var words = [title]
        let declarations = command.declarations
        if !command.subcommands.isEmpty, command.body == nil { words.append("COMMAND") }
        for option in declarations where option.form == .value && option.isRequired {
            words.append("--\(option.name) \(option.placeholder)")
        }
        if declarations.contains(where: { $0.form != .argument && !$0.isRequired }) { words.append("[options]") }
        for operand in declarations where operand.form == .argument {
            let name = operand.isRepeated ? "\(operand.name)..." : operand.name
            words.append(operand.isRequired ? name : "[\(name)]")
        }
        let rows = Text(words.joined(separator: " ")).wrapped(to: width - 7)
        return rows.enumerated().map { index, row in (index == 0 ? Text("Usage:", .bold) + " " : "       ") + row }
    }

    private func paragraph(_ text: String) -> [Text] { Text(text).wrapped(to: width) }

    private func optionRow(_ option: OptionDeclaration) -> (String, String) {
        let short = option.short.map { "-\($0), " } ?? "    "
        let value = option.form == .value ? " \(option.placeholder)" : ""
        return ("\(short)--\(option.name)\(value)", explanation(option))
    }

    private func explanation(_ option: OptionDeclaration) -> String {
        var notes: [String] = []
        if option.isRequired, option.form == .value { notes.append("required") }
        if option.isRepeated, option.form == .value { notes.append("may be repeated") }
        if let text = option.defaultText { notes.append("default: \(text)") }
        if let variable = option.environment { notes.append("environment: \(variable)") }
        return notes.isEmpty ? option.help : "\(option.help) [\(notes.joined(separator: "; "))]"
    }

    /// Lays rows out in two columns. If a name is too long for the first, its explanation starts on the next line.
    private func section(_ heading: String, _ rows: [(name: String, explanation: String)]) -> [Text] {
        guard !rows.isEmpty else { return [] }
        let column = min((rows.map { displayWidth($0.name) }.max() ?? 0) + 4, 32, max(8, width / 2))
        var lines: [Text] = ["", Text("\(heading):", .bold)]
        for row in rows {
            var explanation = Text(row.explanation).wrapped(to: width - column)[...]
            let name = "  \(row.name, .cyan)" as Text
            if name.width + 2 <= column {
                lines.append(name.padded(to: column) + (explanation.popFirst() ?? ""))
            } else {
                lines.append(name)
            }
            lines += explanation.map { Text("").padded(to: column) + $0 }
        }
        return lines
    }
}
