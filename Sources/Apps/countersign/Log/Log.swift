import Terminal

extension Command {
    static var log: Command {
        Command(
            "log", "Read the audit log, and prove that nobody altered it.",
            discussion: """
                Every change and every decision leaves an entry, of which none is ever altered, and none removed but by \
                archive, which keeps it in a file. Each is chained to the one before by a hash.
                """,
            examples: [
                Example("what a user did today", "countersign log list --user 'auth0|65f0' --since 24h"),
                Example("watch requests being allowed", "countersign log tail --follow --type gd_auth_succeed"),
                Example("prove that the log is as it was written", "countersign log verify"),
            ],
            subcommands: [logList, logShow, logTail, logVerify, logArchive])
    }
}
