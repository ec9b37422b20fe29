extension Command {
    /// Shells whose completions can be written.
    package enum Shell: String, Sendable, CaseIterable { case bash, fish, zsh }

    /// The command `completions SHELL` of a program of that name; `root` is the program's whole command.
    package static func completions(of program: String, root: @escaping @Sendable () -> Command) -> Command {
        let shell = Option<Shell>.argument("SHELL", .choice(of: Shell.self), "Shell that runs the script.")
        return Command(
            "completions", "Print a script that completes this command's subcommands and options in a shell.",
            options: [OptionGroup("Options", [shell.declaration])],
            examples: [
                Example("in bash, from ~/.bashrc", "source <(\(program) completions bash)"),
                Example("in zsh, from ~/.zshrc", "source <(\(program) completions zsh)"),
                Example("in fish, from ~/.config/fish/config.fish", "\(program) completions fish | source"),
            ]
        ) { invocation in
            invocation.output.raw(root().completions(for: try invocation[shell]))
            return 0
        }
    }

    /// A script that completes subcommands, options, file names and choices. It is made from the declarations that
    /// `--help` shows.
    package func completions(for shell: Shell) -> String {
        let script = CompletionScript(root: self)
        return switch shell {
        case .bash: script.bash
        case .fish: script.fish
        case .zsh: "autoload -U +X bashcompinit && bashcompinit\n" + script.bash
        }
    }
}

struct CompletionScript {
    struct Path {
        let command: Command
        let parent: String
        /// Uses the command's name even if an alias was typed.
        var text: String { parent.isEmpty ? command.name : "\(parent) \(command.name)" }

        var options: [OptionDeclaration] { command.declarations.filter { $0.form != .argument } }
        var operands: [OptionDeclaration] { command.declarations.filter { $0.form == .argument } }
    }

    let name: String
    let paths: [Path]

    init(root: Command) {
        name = root.name
        paths = Self.paths(of: root, below: "")
    }

    private static func paths(of command: Command, below parent: String) -> [Path] {
        let path = Path(command: command, parent: parent)
        return [path] + command.subcommands.flatMap { paths(of: $0, below: path.text) }
    }

    /// A script in the common subset of bash and zsh's bash emulation.
    ///
    /// bash breaks words at `=` and `:` (`COMP_WORDBREAKS`) and replaces only the text after the last break. zsh does
    /// not break them, so the script puts the text before the `=` of `--option=value` back.
    var bash: String {
        """
        # Completions of \(name).

        # Candidates for the value of an option. Fails if the option takes no value.
        _\(name)_value() {
            case "$1 $2" in
        \(cases(values))
                *) return 1 ;;
            esac
        }

        # Candidates for the operand at a position, counted from 0.
        _\(name)_operand() {
            case "$1 $2" in
        \(cases(operands))
            esac
        }

        _\(name)_options() {
            case "$1" in
        \(cases(options))
            esac
        }

        _\(name)() {
            local word part path index count=0 awaiting="" broken="" prefix="" candidates="" files=""
            COMPREPLY=()
            path="\(name)"
            for ((index = 1; index < COMP_CWORD; index++)); do
                part="${COMP_WORDS[index]}"
                case "$part" in
                    "="*|":"*) broken=1; continue ;;
                esac
                if [[ -n "$broken" || -n "$awaiting" ]]; then
                    broken="" awaiting=""
                    continue
                fi
                case "$part" in
                    -*) if _\(name)_value "$path" "$part"; then awaiting="$part"; fi; continue ;;
                esac
                case "$path $part" in
        \(cases(steps, indent: "            "))
                    *) count=$((count + 1)) ;;
                esac
            done
            candidates="" files=""
            word="${COMP_WORDS[COMP_CWORD]}"
            case "$word" in
                "="|":") word="" broken=1 ;;
                --*=*)
                    prefix="${word%%=*}="
                    awaiting="${word%%=*}"
                    word="${word#*=}"
                    ;;
            esac
            if [[ -n "$awaiting" ]]; then
                _\(name)_value "$path" "$awaiting"
            elif [[ -n "$broken" ]]; then
                return
            elif [[ "$word" == -* ]]; then
                _\(name)_options "$path"
            else
                _\(name)_operand "$path" "$count"
            fi
            if [[ -n "$candidates" ]]; then
                while IFS= read -r part; do COMPREPLY+=("$prefix$part"); done < <(compgen -W "$candidates" -- "$word")
            elif [[ -n "$files" ]]; then
                if type compopt > /dev/null 2>&1; then compopt -o filenames; fi
                # zsh finds files by PREFIX, which still contains the option before the =.
                while IFS= read -r part; do
                    COMPREPLY+=("$prefix$part")
                done < <(PREFIX="$word"; compgen -f -- "$word")
            fi
        }
        complete -F _\(name) \(name)

        """
    }

    private typealias Cases = [(patterns: [String], action: String)]

    private func cases(_ cases: Cases, indent: String = "    ") -> String {
        cases.map { "\(indent)    \($0.patterns.joined(separator: "|"))) \($0.action) ;;" }.joined(separator: "\n")
    }

    private func candidates(_ words: [String]) -> String { "candidates=\"\(words.joined(separator: " "))\"" }

    /// The action that completes a value. Nil means that no candidates are known.
    private func action(_ declaration: OptionDeclaration) -> String? {
        if !declaration.choices.isEmpty { return candidates(declaration.choices) }
        return declaration.isPath ? "files=1" : nil
    }

    private var values: Cases {
        var patterns: [(action: String, patterns: [String])] = []
        for path in paths {
            for option in path.options where option.form == .value {
                let action = action(option) ?? "return 0"
                let spellings = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
                let own = spellings.map { "\"\(path.text) \($0)\"" }
                if let index = patterns.firstIndex(where: { $0.action == action }) {
                    patterns[index].patterns += own
                } else {
                    patterns.append((action, own))
                }
            }
        }
        return patterns.map { ($0.patterns, $0.action) }
    }

    private var operands: Cases {
        paths.flatMap { path -> Cases in
            guard path.command.subcommands.isEmpty else {
                return [(["\"\(path.text) \"[0-9]*"], candidates(path.command.subcommands.map(\.name)))]
            }
            return path.operands.enumerated().compactMap { index, operand in
                guard let action = action(operand) else { return nil }
                return ([operand.isRepeated ? "\"\(path.text) \"[0-9]*" : "\"\(path.text) \(index)\""], action)
            }
        }
    }

    private var options: Cases {
        paths.map { path in
            let version = path.command.version == nil ? [] : ["--version"]
            return (["\"\(path.text)\""], candidates(path.options.map { "--\($0.name)" } + ["--help"] + version))
        }
    }

    /// Words that lead from a command to one of its subcommands.
    private var steps: Cases {
        paths.dropFirst().map { path in
            let names = [path.command.name] + path.command.aliases
            return (names.map { "\"\(path.parent) \($0)\"" }, "path=\"\(path.text)\"")
        }
    }
}
