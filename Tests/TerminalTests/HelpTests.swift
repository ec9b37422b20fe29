import Testing

@testable import Terminal

@Suite("Help texts")
struct HelpTests {
    private var tool: Command {
        let user = Option.required("user", short: "u", .string.placeholder("USER"), "Who is asked.")
        let wait = Option.defaulted(
            "wait", .duration(), to: .seconds(90), environment: "TOOL_WAIT",
            "How long to wait for the answer before giving up.")
        let scope = Option.repeated("scope", .string.placeholder("SCOPE"), "A scope to ask for.")
        let long = Option.flag("a-name-longer-than-its-column", "Begins on a line of its own.")
        let file = Option.optionalArgument("FILE", .path, "What the request is about.")
        return Command(
            "tool", "A tool.", version: "tool 1.2.3",
            subcommands: [
                Command(
                    "ask", "Asks a person and waits for the answer.",
                    discussion: "The first paragraph\nof two.\n\nThe second.",
                    options: [
                        OptionGroup("Request", [user.declaration, scope.declaration, file.declaration]),
                        OptionGroup("Waiting", [wait.declaration, long.declaration]),
                    ],
                    examples: ["Ask Ana": "tool ask --user ana"]
                ) { _ in 0 },
                Command("serve", "Serves.") { _ in 0 }.alias("run"),
            ]
        ).hints(["stop": "it stops by itself"])
    }

    private func help(_ arguments: [String], width: Int = 70) async -> (String, Int32) {
        let captured = Captured()
        let status = await tool.run(arguments: arguments, environment: [:], output: captured.output(width: width))
        return (captured.standard, status)
    }

    @Test(
        "A command's help shows usage, groups, defaults, environment and examples",
        arguments: [["ask", "--help"], ["ask", "-h"], ["help", "ask"], ["ask", "-u", "x", "--he"]])
    func command(_ arguments: [String]) async {
        let expected = """
            Usage: tool ask --user USER [options] [FILE]

            Asks a person and waits for the answer.

            The first paragraph of two.

            The second.

            Arguments:
              FILE  What the request is about.

            Request:
              -u, --user USER    Who is asked. [required]
                  --scope SCOPE  A scope to ask for. [may be repeated]

            Waiting:
                  --wait TIME               How long to wait for the answer before
                                            giving up. [default: 1m30s;
                                            environment: TOOL_WAIT]
                  --a-name-longer-than-its-column
                                            Begins on a line of its own.

            Help:
              -h, --help  Show this help.

            Examples:
              # Ask Ana
              tool ask --user ana

            """
        let (text, status) = await help(arguments)
        #expect(text == expected)
        #expect(status == 0)
    }

    @Test("A group's help lists its commands")
    func group() async {
        let expected = """
            Usage: tool COMMAND

            A tool.

            Commands:
              ask         Asks a person and waits for the answer.
              serve, run  Serves.

            Help:
              -h, --help     Show this help.
                  --version  Show the version.

            """
        let (text, status) = await help(["--help"])
        #expect(text == expected)
        #expect(status == 0)
        #expect(await help(["--version"]) == ("tool 1.2.3\n", 0))
    }

    @Test("Calling a group without a command shows its help on standard error, with status 2")
    func nothing() async {
        let captured = Captured()
        #expect(await tool.run(arguments: [], environment: [:], output: captured.output()) == 2)
        #expect(captured.standard == "")
        #expect(captured.diagnostics.hasPrefix("Usage: tool COMMAND\n"))
    }

    @Test(
        "An unknown command is an error that lists the known ones",
        arguments: [("stop", "it stops by itself"), ("sreve", "did you mean serve?"), ("xyz", "it has ask, serve")])
    func unknown(_ word: String, _ hint: String) async {
        let captured = Captured()
        #expect(await tool.run(arguments: [word], environment: [:], output: captured.output()) == 2)
        #expect(captured.diagnostics == "error: tool has no command \"\(word)\"\nhint: \(hint)\n")
    }

    @Test("No line is longer than the terminal is wide", arguments: [50, 60, 80, 200])
    func width(_ width: Int) async {
        let (text, _) = await help(["ask", "--help"], width: width)
        for line in text.split(separator: "\n") { #expect(displayWidth(line) <= min(width, 100), "\(line)") }
    }
}
