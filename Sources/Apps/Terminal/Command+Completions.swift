extension Command {
    /// Shells whose completions can be written.
    public enum Shell: String, Sendable, CaseIterable { case bash, zsh }

    /// A script that lets a shell complete subcommands, options and the values of those that have a choice. It is
    /// made of the declarations that `--help` shows.
    public func completions(for shell: Shell) -> String {
        let function = "_\(name)"
        let script = """
            # Completions of \(name).
            \(function)() {
                local word previous path index candidates
                COMPREPLY=()
                word="${COMP_WORDS[COMP_CWORD]}"
                previous="${COMP_WORDS[COMP_CWORD-1]}"
                path="\(name)"
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case "$path ${COMP_WORDS[index]}" in
            \(paths.dropFirst().map { "            \($0.joined)) path=\"\($0.text)\" ;;" }.joined(separator: "\n"))
                    esac
                done
                case "$path $previous" in
            \(choices.joined(separator: "\n"))
                    *)
                        case "$path" in
            \(words.joined(separator: "\n"))
                        esac
                        ;;
                esac
                if [[ -n "$candidates" ]]; then
                    COMPREPLY=($(compgen -W "$candidates" -- "$word"))
                else
                    COMPREPLY=($(compgen -f -- "$word"))
                fi
            }
            complete -o default -F \(function) \(name)
            """
        return shell == .bash ? script + "\n" : "autoload -U +X bashcompinit && bashcompinit\n" + script + "\n"
    }

    private struct Path {
        let command: Command
        let names: [String]

        var text: String { names.joined(separator: " ") }
        /// As a pattern of `case`.
        var joined: String { "\"\(text)\"" }
    }

    /// This command and all below it.
    private var paths: [Path] { paths(behind: []) }

    private func paths(behind names: [String]) -> [Path] {
        [Path(command: self, names: names + [name])] + subcommands.flatMap { $0.paths(behind: names + [name]) }
    }

    /// What may stand behind an option that has a choice of values.
    private var choices: [String] {
        paths.flatMap { path in
            path.command.declarations.filter { $0.form != .argument && !$0.choices.isEmpty }.map { declaration in
                "        \"\(path.text) --\(declaration.name)\") "
                    + "candidates=\"\(declaration.choices.joined(separator: " "))\" ;;"
            }
        }
    }

    /// What may stand behind each command.
    private var words: [String] {
        paths.map { path in
            let options = path.command.declarations.filter { $0.form != .argument }.map { "--\($0.name)" }
            let values = path.command.declarations.filter { $0.form == .argument }.flatMap(\.choices)
            let words = path.command.subcommands.map(\.name) + values + options + ["--help"]
            return "                \(path.joined)) candidates=\"\(words.joined(separator: " "))\" ;;"
        }
    }
}
