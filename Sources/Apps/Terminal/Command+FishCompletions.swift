extension CompletionScript {
    /// A script for fish, which asks one function for the candidates of the word being typed.
    var fish: String {
        """
        # Completions of \(name).

        # Candidates for the value of an option: status 1 if it takes no value, 2 if it names a file.
        function __\(name)_value --argument-names command option
            switch "$command $option"
        \(fish(values))
            end
            return 1
        end

        # Candidates for the operand at a position, counted from 0: status 2 if it names a file.
        function __\(name)_operand --argument-names command place
            switch "$command"
        \(fish(operands))
            end
            return 0
        end

        function __\(name)_options --argument-names command
            switch "$command"
        \(fish(options))
            end
        end

        # The command that a word selects within another command.
        function __\(name)_step --argument-names command word
            switch "$command $word"
        \(fish(steps))
            end
        end

        # Files whose names begin with a word, each after a prefix.
        function __\(name)_files --argument-names word prefix
            for file in $word*
                test -d $file; and set file $file/
                printf '%s%s\\n' $prefix $file
            end
        end

        function __\(name)_complete
            set -l command \(name)
            set -l place 0
            set -l awaiting
            for word in (commandline -opc)[2..-1]
                if test -n "$awaiting"
                    set awaiting
                    continue
                end
                switch $word
                    case '--*=*'
                        continue
                    case '-*'
                        __\(name)_value $command $word >/dev/null
                        test $status -ne 1; and set awaiting $word
                        continue
                end
                set -l next (__\(name)_step $command $word)
                if test -n "$next"
                    set command $next
                else
                    set place (math $place + 1)
                end
            end
            set -l word (commandline -ct)
            set -l prefix ''
            if string match -q -- '--*=*' $word
                set awaiting (string split -m 1 = -- $word)[1]
                set prefix $awaiting=
                set word (string split -m 1 = -- $word)[2]
            end
            if test -n "$awaiting"
                set -l found (__\(name)_value $command $awaiting)
                test $status -eq 2; and __\(name)_files "$word" "$prefix"
                test (count $found) -gt 0; and printf '%s\\n' $prefix$found
            else if string match -q -- '-*' $word
                __\(name)_options $command
            else
                __\(name)_operand $command $place
                test $status -eq 2; and __\(name)_files "$word" ''
            end
        end
        complete -c \(name) -f -a '(__\(name)_complete)'

        """
    }

    private typealias Cases = [(pattern: String, action: String)]

    private func fish(_ cases: Cases) -> String {
        cases.map { "        case '\($0.pattern)'\n            \($0.action)" }.joined(separator: "\n")
    }

    private func candidates(_ words: [String]) -> String {
        "printf '%s\\n' \(words.map { "'\($0)'" }.joined(separator: " "))"
    }

    /// The action that completes a value. Nil means that no candidates are known.
    private func action(_ declaration: OptionDeclaration) -> String? {
        if !declaration.choices.isEmpty { return candidates(declaration.choices) + "; return 0" }
        return declaration.isPath ? "return 2" : nil
    }

    private var values: Cases {
        paths.flatMap { path in
            path.options.filter { $0.form == .value }.flatMap { option -> Cases in
                let spellings = ["--\(option.name)"] + (option.short.map { ["-\($0)"] } ?? [])
                return spellings.map { ("\(path.text) \($0)", action(option) ?? "return 0") }
            }
        }
    }

    private var operands: Cases {
        paths.compactMap { path in
            guard path.command.subcommands.isEmpty else {
                return (path.text, candidates(path.command.subcommands.map(\.name)))
            }
            let actions = path.operands.enumerated().compactMap { index, operand in
                action(operand).map { operand.isRepeated ? $0 : "test $place -eq \(index); and \(block($0))" }
            }
            return actions.isEmpty ? nil : (path.text, actions.joined(separator: "\n            "))
        }
    }

    /// Joins several shell commands into one.
    private func block(_ action: String) -> String { "begin; \(action); end" }

    private var options: Cases {
        paths.map { path in
            let version = path.command.version == nil ? [] : ["--version"]
            return (path.text, candidates(path.options.map { "--\($0.name)" } + ["--help"] + version))
        }
    }

    private var steps: Cases {
        paths.dropFirst().flatMap { path in
            ([path.command.name] + path.command.aliases).map { ("\(path.parent) \($0)", "echo '\(path.text)'") }
        }
    }
}
