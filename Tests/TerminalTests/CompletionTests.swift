@testable import Terminal
import Testing

@Suite("Completions of the command line")
struct CompletionTests {
    private let root: Command

    init() {
        let mode = Option<String>.argument("MODE", .choice(["fast", "slow"]), "Mode.")
        let file = Option<[String]>.arguments("FILE", .path, "Files.")
        let level = Option.optional("level", short: "l", .choice(["one", "two"]), "Level.")
        let quiet = Option.flag("quiet", "Quiet.")
        let run = Command(
            "run", "Run.",
            options: [
                OptionGroup(
                    "Options", [mode.declaration, file.declaration, level.declaration, quiet.declaration])
            ]
        ) { _ in 0 }.alias("start")
        root = Command("tool", "Tool.", version: "1", subcommands: [run, Command("stop", "Stop.") { _ in 0 }])
    }

    @Test("Each declared command and option is a candidate, so that nothing is missing from the scripts")
    func all() {
        func check(_ command: Command, _ path: [String]) {
            let names = command.subcommands.map(\.name)
            if !names.isEmpty { #expect(root.completion(of: path + [""]) == .words(names)) }
            let options = command.declarations.filter { $0.form != .argument }.map { "--\($0.name)" }
            let version = command.version == nil ? [] : ["--version"]
            #expect(root.completion(of: path + ["--"]) == .words(options + ["--help"] + version))
            for next in command.subcommands { check(next, path + [next.name]) }
        }
        check(root, [])
    }

    @Test(
        "A word is completed by its place",
        arguments: [
            (["ru"], .words(["run"])), (["start", ""], .words(["fast", "slow"])), (["run", "s"], .words(["slow"])),
            (["run", "fast", "x"], .files), (["run", "fast", "a", "b", ""], .files),
            (["run", "--level", "t"], .words(["two"])), (["run", "-l", ""], .words(["one", "two"])),
            (["run", "--level=o"], .words(["one"], prefix: "--level=")), (["run", "--quiet", "f"], .words(["fast"])),
            (["run", "--level=one", "f"], .words(["fast"])), (["stop", ""], .words([])),
            (["unknown", ""], .words(["run", "stop"])),
            ([], .words(["run", "stop"])),
        ] as [([String], Command.Completion)])
    func places(words: [String], completion: Command.Completion) {
        #expect(root.completion(of: words) == completion)
    }

    @Test("bash breaks words at = and :, which belong to them")
    func rejoined() {
        #expect(Command.Shell.rejoined(["run", "--level", "=", "o"]) == ["run", "--level=o"])
        #expect(Command.Shell.rejoined(["--api", "https", ":", "//a/", "--sc"]) == ["--api", "https://a/", "--sc"])
        #expect(Command.Shell.rejoined(["--level", "="]) == ["--level="])
        #expect(Command.Shell.rejoined([]).isEmpty)
    }
}
