import Terminal

extension Command {
    static var completions: Command {
        let shell = Option<String>.argument("SHELL", .choice(Shell.allCases.map(\.rawValue)), "Which shell.")
        return Command(
            "completions", "Print a script that completes this command's words in a shell.",
            options: [OptionGroup("Options", [shell.declaration])],
            examples: [
                Example("in bash, from ~/.bashrc", "source <(countersign completions bash)"),
                Example("in zsh, from ~/.zshrc", "source <(countersign completions zsh)"),
            ]
        ) { invocation in
            let shell = Shell(rawValue: try invocation[shell]) ?? .bash
            invocation.output.raw(Command.countersign.completions(for: shell))
            return 0
        }
    }
}
