import Primitives

/// The meaning of a command line. `path` leads from the program to the chosen command.
enum Interpretation: Sendable {
    case help(path: [Command])
    case version(String)
    case noArguments(path: [Command])
    case run(Command, values: [String: [Occurrence]])
}

extension Command {
    /// Reads `arguments` by the rules of `getopt_long`: `--name=value` and `--name value`, unambiguous beginnings of
    /// long names, `-abc` for three flags, `-n5` and `-n 5`, options after operands, and `--` before operands that
    /// begin with a dash. In addition, it refuses an option given twice unless the option may be repeated.
    func interpretation(of arguments: [String], environment: [String: String]) throws(UsageError) -> Interpretation {
        try interpretation(of: arguments[...], path: [self], environment: environment)
    }

    /// `leading` are the options that stood before.
    private func interpretation(
        of arguments: ArraySlice<String>, path: [Command], leading: [String] = [], environment: [String: String]
    ) throws(UsageError) -> Interpretation {
        guard body == nil else {
            if let first = arguments.first, let next = subcommand(first) {
                return try next.interpretation(
                    of: arguments.dropFirst(), path: path + [next], leading: leading, environment: environment)
            }
            return try options(of: leading + arguments, path: path, environment: environment)
        }
        guard let first = arguments.first else { return .noArguments(path: path) }
        var rest = arguments
        if let option = try path.first?.leading?.take(from: &rest) {
            return try interpretation(of: rest, path: path, leading: leading + [option], environment: environment)
        }
        rest = arguments.dropFirst()
        if first == "--help" || first == "-h" { return .help(path: path) }
        if first == "--version", let version { return .version(version) }
        if let next = subcommand(first) {
            return try next.interpretation(
                of: rest, path: path + [next], leading: leading, environment: environment)
        }
        if first == "help" {
            return try interpretation(of: rest + ["--help"], path: path, leading: leading, environment: environment)
        }
        let title = path.map(\.name).joined(separator: " ")
        let isOption = first.hasPrefix("-")
        let words = isOption ? ["--help"] + (version == nil ? [] : ["--version"]) : subcommands.map(\.name)
        throw UsageError(
            "\(title) has no \(isOption ? "option" : "command") \"\(visible(first))\"",
            hint: hints[first] ?? Spelling.nearest(to: first, in: words).map { "did you mean \($0)?" }
                ?? "it has \(words.joined(separator: ", "))")
    }

    private func options(
        of arguments: [String], path: [Command], environment: [String: String]
    ) throws(UsageError) -> Interpretation {
        if let version, arguments.first == "--version" { return .version(version) }
        var scan = Scan(
            command: self, title: path.map(\.name).joined(separator: " "), leading: path.first?.leading,
            rest: arguments[...])
        guard try scan.run() else { return .help(path: path) }
        var values = scan.values
        for declaration in declarations {
            if values[declaration.name] == nil, let variable = declaration.environment,
                let text = environment[variable], !text.isEmpty
            {
                let texts = declaration.isRepeated ? text.split(separator: ",").map(String.init) : [text]
                values[declaration.name] = texts.map { Occurrence(text: $0, origin: variable) }
            }
            do {
                try declaration.check(values[declaration.name] ?? [])
            } catch {
                throw UsageError(error.message, hint: error.hint ?? scan.pointer)
            }
        }
        return .run(self, values: values)
    }
}

private struct Scan {
    let command: Command
    let title: String
    let leading: LeadingOptions?
    var rest: ArraySlice<String>
    var values: [String: [Occurrence]] = [:]
    var operands: [String] = []

    var declarations: [OptionDeclaration] { command.declarations }

    var pointer: String { "\(title) --help lists the options" }

    /// Returns false if the arguments ask for help.
    mutating func run() throws(UsageError) -> Bool {
        while let token = rest.popFirst() {
            if token == "--" {
                operands += rest
                rest = []
            } else if token.hasPrefix("--") {
                guard try long(token.dropFirst(2)) else { return false }
            } else if token.hasPrefix("-"), token != "-" {
                guard try short(token.dropFirst()) else { return false }
            } else {
                operands.append(token)
            }
        }
        try assignOperands()
        return true
    }

    private mutating func long(_ body: Substring) throws(UsageError) -> Bool {
        let name = String(body.prefix { $0 != "=" })
        let attached = body.count > name.count ? String(body.dropFirst(name.count + 1)) : nil
        guard let declaration = try option(named: name) else {
            guard attached == nil else { throw UsageError("--help takes no value") }
            return false
        }
        if declaration.form == .flag {
            guard attached == nil else { throw UsageError("--\(declaration.name) takes no value", hint: pointer) }
            try record("true", for: declaration)
        } else {
            let text = if let attached { attached } else { try value(for: declaration) }
            try record(text, for: declaration)
        }
        return true
    }

    private mutating func short(_ cluster: Substring) throws(UsageError) -> Bool {
        var letters = cluster
        while let letter = letters.popFirst() {
            guard let declaration = declarations.first(where: { $0.short == letter }) else {
                guard letter != "h" else { return false }
                throw UsageError("\(title) has no option -\(visible(String(letter)))", hint: hint(for: "-\(cluster)"))
            }
            if declaration.form == .flag {
                try record("true", for: declaration)
            } else {
                let text = letters.isEmpty ? try value(for: declaration) : String(letters)
                try record(text, for: declaration)
                letters = ""
            }
        }
        return true
    }

    /// Nil means `--help`.
    private func option(named name: String) throws(UsageError) -> OptionDeclaration? {
        let options = declarations.filter { $0.form != .argument }
        if let exact = options.first(where: { $0.name == name }) { return exact }
        if let leading, leading.declares(name) { throw leading.refusal(command, title) }
        let names = options.map(\.name) + ["help"]
        let matches = name.isEmpty ? [] : names.filter { $0.hasPrefix(name) }
        if matches.count == 1 { return options.first { $0.name == matches[0] } }
        guard matches.isEmpty || name == "help" else {
            let spelled = matches.map { "--\($0)" }.joined(separator: ", ")
            throw UsageError("--\(name) could mean \(spelled)", hint: "write one of them in full")
        }
        if name == "help" { return nil }
        let suggestion = Spelling.nearest(to: name, in: names)
        throw UsageError(
            "\(title) has no option --\(visible(name))",
            hint: suggestion.map { "did you mean --\($0)?" } ?? hint(for: "--\(name)"))
    }

    /// Advice for a word that is no option. It may be a value that begins with a hyphen.
    private func hint(for word: String) -> String {
        guard let argument = declarations.first(where: { $0.form == .argument }), word.utf8.count > 2 else {
            return pointer
        }
        return "\(pointer); if \(visible(word)) is \(argument.placeholder), write -- before it"
    }

    private mutating func value(for declaration: OptionDeclaration) throws(UsageError) -> String {
        guard let value = rest.popFirst() else {
            throw UsageError("--\(declaration.name) needs a value: --\(declaration.name) \(declaration.placeholder)")
        }
        return value
    }

    private mutating func record(_ text: String, for declaration: OptionDeclaration) throws(UsageError) {
        guard declaration.isRepeated || values[declaration.name] == nil else {
            throw UsageError("\(declaration.spelling) is given twice", hint: "leave one of them out")
        }
        values[declaration.name, default: []].append(Occurrence(text: text, origin: declaration.spelling))
    }

    private mutating func assignOperands() throws(UsageError) {
        var left = operands[...]
        for declaration in declarations where declaration.form == .argument {
            let taken = declaration.isRepeated ? left : left.prefix(1)
            left = left.dropFirst(taken.count)
            for operand in taken { try record(operand, for: declaration) }
        }
        guard let extra = left.first else { return }
        throw UsageError("\(title) does not take \"\(visible(extra))\"", hint: pointer)
    }
}
