import Terminal

extension Command {
    static var log: Command {
        Command(
            "log", "Prove that nobody altered the audit log.",
            discussion: """
                Every change and every decision leaves an entry, of which none is ever altered or removed. Each is \
                chained to the one before by a hash.
                """,
            examples: [
                Example("prove that the log is as it was written", "countersign log verify")
            ],
            subcommands: [logVerify])
    }
}
