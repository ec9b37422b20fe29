extension Command {
    /// Shells that complete the program's words.
    package enum Shell: String, Sendable, CaseIterable { case bash, fish, zsh }

    /// The command `completions SHELL` of a program of that name; `root` is the program's whole command. It prints a script,
    /// which asks the same command for candidates.
    package static func completions(of program: String, root: @escaping @Sendable () -> Command) -> Command {
        let shell = Option<Shell>.argument("SHELL", .choice(of: Shell.self), "Shell that runs the script.")
        let words = Option<[String]>.arguments(
            "WORD", ValueKind(placeholder: "WORD", spell: { $0 }) { $0 },
            "Words of an unfinished command line after --. Then candidates for the last one are printed, a line each.")
        return Command(
            "completions", "Print a script that completes this command's subcommands and options in a shell.",
            options: [OptionGroup("Options", [shell, words])],
            examples: [
                "in bash, from ~/.bashrc": "source <(\(program) completions bash)",
                "in zsh, from ~/.zshrc": "source <(\(program) completions zsh)",
                "in fish, from ~/.config/fish/config.fish": "\(program) completions fish | source",
            ]
        ) { invocation in
            let shell = try invocation[shell]
            let words = try invocation[words]
            guard !words.isEmpty else {
                invocation.output.raw(shell.script(for: program))
                return 0
            }
            switch root().completion(of: shell == .bash ? Shell.rejoined(words) : words) {
            case .files: return Shell.filesStatus
            case .words(let words, let prefix):
                // bash replaces only the text after the =.
                for word in words { invocation.output.raw(shell == .bash ? word : prefix + word) }
                return 0
            }
        }
    }

    /// Candidates for a word.
    enum Completion: Equatable {
        case files
        /// `prefix` is the beginning `--option=` of the word.
        case words([String], prefix: String = "")
    }

    /// Completes the last of `words`, which follow the program's name.
    func completion(of words: [String]) -> Completion {
        var command = self
        var operands = 0
        var awaiting: OptionDeclaration?
        for word in words.dropLast() {
            if awaiting != nil {
                awaiting = nil
            } else if word.hasPrefix("-") {
                awaiting = command.valued(word)
            } else if let next = command.subcommand(word) {
                command = next
            } else {
                operands += 1
            }
        }
        var word = words.last ?? ""
        var prefix = ""
        if awaiting == nil, word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
            awaiting = command.valued(String(word[..<equals]))
            prefix = String(word[...equals])
            word = String(word[equals...].dropFirst())
        }
        let candidates: [String]
        let names = command.subcommands.map(\.name)
        if awaiting == nil, operands == 0, !word.isEmpty, names.contains(where: { $0.hasPrefix(word) }) {
            candidates = names
        } else if let value = awaiting ?? (word.hasPrefix("-") ? nil : command.operand(operands)) {
            if value.isPath { return .files }
            candidates = value.choices
        } else if word.hasPrefix("-") {
            candidates =
                command.declarations.filter { $0.form != .argument }.map { "--\($0.name)" } + ["--help"]
                + (command.version == nil ? [] : ["--version"])
        } else {
            candidates = names
        }
        return .words(candidates.filter { $0.hasPrefix(word) }, prefix: prefix)
    }

    /// The option with a value that a word spells. Nil if the word brings the value.
    private func valued(_ word: String) -> OptionDeclaration? {
        declarations.first { option in
            option.form == .value && (word == "--\(option.name)" || option.short.map { word == "-\($0)" } ?? false)
        }
    }

    private func operand(_ place: Int) -> OptionDeclaration? {
        let operands = declarations.filter { $0.form == .argument }
        return place < operands.count ? operands[place] : operands.last.flatMap { $0.isRepeated ? $0 : nil }
    }
}

extension Command.Shell {
    /// Exit status that asks the script for names of files.
    static let filesStatus: Int32 = 3

    /// Words as typed. bash breaks them at = and : too (`COMP_WORDBREAKS`).
    static func rejoined(_ words: [String]) -> [String] {
        var joined: [String] = []
        var isOpen = false
        for word in words {
            let isBreak = word == "=" || word == ":"
            if isBreak || isOpen, let last = joined.popLast() {
                joined.append(last + word)
            } else {
                joined.append(word)
            }
            isOpen = isBreak
        }
        return joined
    }

    func script(for program: String) -> String {
        switch self {
        case .bash: Self.bash(program, "bash")
        case .zsh: "autoload -U +X bashcompinit && bashcompinit\n" + Self.bash(program, "zsh")
        case .fish: Self.fish(program)
        }
    }

    /// A script in the common subset of bash and zsh's bash emulation, which does not break words at =.
    private static func bash(_ program: String, _ shell: String) -> String {
        """
        _\(program)() {
            local word="${COMP_WORDS[COMP_CWORD]}" prefix="" line found
            COMPREPLY=()
            found="$("${COMP_WORDS[0]}" completions \(shell) -- "${COMP_WORDS[@]:1:$COMP_CWORD}" 2> /dev/null)"
            if [[ $? -eq \(filesStatus) ]]; then
                case "$word" in
                    "="|":") word="" ;;
                    --*=*) prefix="${word%%=*}=" word="${word#*=}" ;;
                esac
                if type compopt > /dev/null 2>&1; then compopt -o filenames; fi
                # zsh finds files by PREFIX, which still contains the option before the =.
                found="$(PREFIX="$word"; compgen -f -- "$word")"
            fi
            while IFS= read -r line; do
                if [[ -n "$line" ]]; then COMPREPLY+=("$prefix$line"); fi
            done <<< "$found"
        }
        complete -F _\(program) \(program)

        """
    }

    private static func fish(_ program: String) -> String {
        """
        function __\(program)_complete
            set -l words (commandline -opc)
            set -l word (commandline -ct)
            set -l found ($words[1] completions fish -- $words[2..-1] "$word" 2> /dev/null)
            if test $status -ne \(filesStatus)
                test (count $found) -gt 0; and printf '%s\\n' $found
                return
            end
            set -l prefix (string match -r -- '^--[^=]*=' "$word")
            set -l start (string replace -r -- '^--[^=]*=' '' "$word")
            for file in $start*
                test -d $file; and set file $file/
                printf '%s%s\\n' "$prefix" $file
            end
        end
        complete -c \(program) -f -a '(__\(program)_complete)'

        """
    }
}
