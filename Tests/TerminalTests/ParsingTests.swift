import Primitives
import Synchronization
import Testing

@testable import Terminal

private enum Answer: String, CaseIterable, Sendable { case allow, reject, ask }

private let user = Option.required("user", short: "u", .string.placeholder("USER"), "Who is asked.")
private let audience = Option.optional("audience", .string, environment: "TEST_AUDIENCE", "The API to call.")
private let scopes = Option.repeated("scope", short: "s", .string, environment: "TEST_SCOPES", "A scope.")
private let wait = Option.defaulted(
    "wait", short: "w", .duration(.seconds(1) ... .seconds(3600)), to: .seconds(90), "How long.")
private let port = Option.optional("port", .integer(1...65_535), "Where.")
private let answer = Option.defaulted("answer", .choice(of: Answer.self), to: .ask, "What to do.")
private let json = Option.flag("json", short: "j", environment: "TEST_JSON", "JSON.")
private let verbose = Option.flag("verbose", short: "v", "More.")
private let password = Option.optional(
    "password",
    ValueKind(placeholder: "PIN", isSecret: true, spell: { $0 }) { text throws(ValueProblem) in
        guard text.count == 4 else { throw ValueProblem("must have four digits") }
        return text
    }, "A secret.")
private let uri = Option.argument("URI", .string, "Where to go.")
private let names = Option.arguments("NAME", .string, "Names.")

/// Runs `ask` with the arguments and hands its invocation to `inspect`.
private func ask(
    _ arguments: [String], environment: [String: String] = [:],
    _ inspect: @escaping @Sendable (Invocation) throws -> Void = { _ in }
) async -> (status: Int32, diagnostics: String) {
    let options = OptionGroup(
        "Options",
        [
            user.declaration, audience.declaration, scopes.declaration, wait.declaration, port.declaration,
            answer.declaration, json.declaration, verbose.declaration, password.declaration, uri.declaration,
            names.declaration,
        ])
    let command = Command(
        "tool", "A tool.", version: "tool 1.2.3",
        subcommands: [
            Command("ask", "Asks.", options: [options]) { invocation in
                try inspect(invocation)
                return 0
            },
            Command("serve", "Serves.") { _ in 0 },
        ])
    let captured = Captured()
    let status = await command.run(arguments: arguments, environment: environment, output: captured.output())
    return (status, captured.diagnostics)
}

@Suite("Options follow the rules of getopt_long")
struct ParsingTests {
    @Test("Values follow a space or an equals sign, and may be attached to short options")
    func spellings() async {
        let spellings = [
            ["--user", "ana"], ["--user=ana"], ["-u", "ana"], ["-uana"], ["-ju", "ana"], ["-vjuana"], ["--us", "ana"],
        ]
        for spelling in spellings {
            let result = await ask(["ask"] + spelling + ["x:y"]) { try #expect($0[user] == "ana") }
            #expect(result.status == 0, "\(spelling): \(result.diagnostics)")
        }
    }

    @Test("Options may follow operands, and -- ends them")
    func permutation() async {
        let result = await ask(["ask", "x:y", "-u", "ana", "one", "--", "--json", "-", "-u"]) { invocation in
            try #expect(invocation[uri] == "x:y")
            try #expect(invocation[names] == ["one", "--json", "-", "-u"])
            try #expect(invocation[json] == false)
        }
        #expect(result.status == 0)
    }

    @Test("Values may contain dashes and equals signs")
    func values() async {
        let result = await ask(["ask", "--user=--a=b", "--audience", "--x", "u"]) { invocation in
            try #expect(invocation[user] == "--a=b")
            try #expect(invocation[audience] == "--x")
        }
        #expect(result.status == 0)
    }

    @Test("Without an option the environment applies, then the default")
    func sources() async {
        let bare = await ask(["ask", "-uana", "u"]) { invocation in
            try #expect(invocation[wait] == .seconds(90))
            try #expect(invocation[audience] == nil)
            try #expect(invocation[scopes] == [])
            try #expect(invocation[answer] == .ask)
        }
        #expect(bare.status == 0)
        let environment = ["TEST_AUDIENCE": "api", "TEST_SCOPES": "a,b", "TEST_JSON": "yes"]
        let fromEnvironment = await ask(["ask", "-uana", "u"], environment: environment) { invocation in
            try #expect(invocation[audience] == "api")
            try #expect(invocation[scopes] == ["a", "b"])
            try #expect(invocation[json])
        }
        #expect(fromEnvironment.status == 0)
        let both = await ask(["ask", "-uana", "--audience=mine", "-s", "c", "-sd", "u"], environment: environment) {
            try #expect($0[audience] == "mine")
            try #expect($0[scopes] == ["c", "d"])
        }
        #expect(both.status == 0)
    }

    @Test(
        "A wrong call is refused with the reason and advice, with status 2",
        arguments: [
            (["ask", "--audiense", "x"], "error: tool ask has no option --audiense\nhint: did you mean --audience?\n"),
            (
                ["ask", "--zzzzzz"],
                "error: tool ask has no option --zzzzzz\nhint: tool ask --help lists the options; if --zzzzzz is TEXT, write -- before it\n"
            ),
            (["ask", "-x"], "error: tool ask has no option -x\nhint: tool ask --help lists the options\n"),
            (
                ["ask", "-gXz"],
                "error: tool ask has no option -g\nhint: tool ask --help lists the options; if -gXz is TEXT, write -- before it\n"
            ),
            (["ask", "--user"], "error: --user needs a value: --user USER\n"),
            (["ask", "--json=1"], "error: --json takes no value\nhint: tool ask --help lists the options\n"),
            (["ask", "u"], "error: --user is required\nhint: tool ask --help lists the options\n"),
            (["ask", "-uana"], "error: URI is required\nhint: tool ask --help lists the options\n"),
            (["ask", "--a", "x"], "error: --a could mean --audience, --answer\nhint: write one of them in full\n"),
            (["ask", "-ua", "-ub"], "error: --user is given twice\nhint: leave one of them out\n"),
            (
                ["ask", "-ua", "u", "--port", "0"],
                "error: --port must be a whole number from 1 to 65535, not \"0\"\n"
                    + "hint: tool ask --help lists the options\n"
            ),
            (
                ["ask", "-ua", "u", "--answer", "alow"],
                "error: --answer must be one of allow, reject, ask, not \"alow\"\nhint: did you mean allow?\n"
            ),
            (
                ["ask", "-ua", "u", "--wait", "2h"],
                "error: --wait must be from 1s to 1h, not \"2h\"\nhint: tool ask --help lists the options\n"
            ),
            (
                ["ask", "-ua", "u", "--password", "hunter2"],
                "error: --password must have four digits\nhint: tool ask --help lists the options\n"
            ),
            (
                ["serve", "x\u{1B}[2J"],
                "error: tool serve does not take \"x‹U+001B›[2J\"\nhint: tool serve --help lists the options\n"
            ),
            (["srve"], "error: tool has no command \"srve\"\nhint: did you mean serve?\n"),
            (["--verison"], "error: tool has no option \"--verison\"\nhint: did you mean --version?\n"),
        ])
    func misuse(_ call: (arguments: [String], message: String)) async {
        let result = await ask(call.arguments)
        #expect(result.status == 2)
        #expect(result.diagnostics == call.message)
    }

    @Test("A command may have its own status for a wrong call")
    func misuseStatus() async {
        let tool = Command(
            "tool", "Does things.",
            subcommands: [
                Command("ask", "Asks.") { _ in throw UsageError("no") }.alias("question").exitingOnMisuse(with: 1),
                Command("serve", "Serves.") { _ in throw UsageError("no") },
            ])
        for (arguments, status) in [
            (["ask"], 1), (["ask", "--bogus"], 1), (["question", "x"], 1), (["serve"], 2), (["serve", "ask"], 2),
            (["asks"], 2),
        ] as [([String], Int32)] {
            let output = Captured().output()
            #expect(await tool.run(arguments: arguments, environment: [:], output: output) == status, "\(arguments)")
        }
    }

    @Test("The first operand of a command may name another command instead, and later ones do not")
    func operandOrCommand() async {
        let file = Option.argument("FILE", .string, "A file.")
        let parts = Option.arguments("PART", .string, "Parts.")
        let read = Command("read", "Reads.", options: [OptionGroup("Options", [file, parts])]) { invocation in
            try invocation[file] == "a.txt" ? 10 : 11
        }.with(subcommands: [Command("foreign", "Reads others.") { _ in 12 }])
        let tool = Command("tool", "Does things.", subcommands: [read])
        for (arguments, status) in [
            (["read", "a.txt"], 10), (["read", "./foreign"], 11), (["read", "foreign"], 12), (["read"], 2),
            (["read", "a.txt", "foreign"], 10), (["read", "--", "foreign"], 11),
        ] as [([String], Int32)] {
            let output = Captured().output()
            #expect(await tool.run(arguments: arguments, environment: [:], output: output) == status, "\(arguments)")
        }
        #expect(tool.completion(of: ["read", "f"]) == .words(["foreign"]))
    }

    @Test("A wrong value in the environment is reported with its variable")
    func wrongEnvironment() async {
        let result = await ask(["ask", "-ua", "u"], environment: ["TEST_JSON": "perhaps"])
        #expect(result.diagnostics.hasPrefix("error: TEST_JSON must be true or false"))
    }

    @Test(
        "Durations are whole numbers with units",
        arguments: [
            ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("1h30m", 5_400_000), ("7d", 604_800_000), ("0s", 0),
        ])
    func durations(_ text: String, _ milliseconds: Int64) throws {
        let value = try ValueKind<Duration>.duration().parse(text)
        #expect(value == .milliseconds(milliseconds))
        #expect(try ValueKind<Duration>.duration().parse(spellDuration(value)) == value)
    }

    @Test(
        "Texts that are not durations are refused",
        arguments: ["", "5", "s", "5x", "-5s", "1.5s", "9223372036854775807d", "٣s"])
    func wrongDurations(_ text: String) {
        #expect(throws: ValueProblem.self) { try ValueKind<Duration>.duration().parse(text) }
    }

    @Test("An option the command does not declare has no value")
    func undeclared() async {
        let other = Option.flag("other", "Not declared.")
        let result = await ask(["ask", "-ua", "u"]) { _ = try $0[other] }
        #expect(result.status == 2)
    }

    @Test("A command's failure prints an error and a hint, and sets the exit status")
    func failures() async {
        let captured = Captured()
        let command = Command("ask", "Asks.") { _ in
            throw CommandFailure("the user said no", hint: "ask again", status: 3)
        }
        #expect(await command.run(arguments: [], environment: [:], output: captured.output()) == 3)
        #expect(captured.diagnostics == "error: the user said no\nhint: ask again\n")
    }

    @Test("Options that a program names may stand before the command, and one that does not take them says why")
    func leading() async {
        let server = Option<String?>.optional("server", .string, "A server.")
        let group = OptionGroup("Server", [server])
        let captured = Captured()
        let tool = Command(
            "tool", "A tool.",
            subcommands: [
                Command(
                    "user", "Users.", examples: [],
                    subcommands: [
                        Command("list", "Lists.", options: [group]) { invocation in
                            invocation.output.raw(try invocation[server] ?? "none")
                            return invocation.isOnCommandLine(server.declaration) ? 0 : 5
                        }
                    ]),
                Command("serve", "Serves.") { _ in 0 },
            ]
        ).leading(
            LeadingOptions(group, aliases: ["at": "server"]) { command, title in
                UsageError("\(title) does not take it", hint: command.name)
            })
        for words in [
            "--server a user list", "--server=a user list", "--at a user list", "user --at=a list",
            "user list --server a",
        ] {
            let status = await tool.run(
                arguments: words.split(separator: " ").map(String.init), environment: [:], output: captured.output())
            #expect(status == 0, "\(words): \(captured.diagnostics)")
        }
        #expect(captured.standard == String(repeating: "a\n", count: 5))
        for words in ["--server a serve", "serve --server a"] {
            let status = await tool.run(
                arguments: words.split(separator: " ").map(String.init), environment: [:], output: captured.output())
            #expect(status == 2)
        }
        #expect(captured.diagnostics.contains("error: tool serve does not take it\nhint: serve\n"))
        for words in ["--server", "--server a --server b user list", "user list --at a", "--other a user list"] {
            let status = await tool.run(
                arguments: words.split(separator: " ").map(String.init), environment: [:], output: captured.output())
            #expect(status == 2, "\(words)")
        }
    }
}
