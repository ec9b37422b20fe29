import Terminal

extension Command {
    static var log: Command {
        Command(
            "log", "Read the audit log, and verify that nobody altered it.",
            discussion: """
                Every change and every decision adds an entry. Entries are never altered, and only countersign log \
                archive removes them, after writing them to a file. A hash chains each entry to the one before.
                """,
            examples: [
                Example(
                    "list a user's activity of the last day", "countersign log list --user 'auth0|65f0' --since 24h"),
                Example("follow approvals", "countersign log tail --follow --type gd_auth_succeed"),
                Example("verify that the log was not altered", "countersign log verify"),
            ],
            subcommands: [logList, logShow, logTail, logVerify, logArchive])
    }
}
