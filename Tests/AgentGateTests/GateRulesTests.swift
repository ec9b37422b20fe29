@testable import AgentGate
import Foundation
import Primitives
import TestSupport
import Testing

@Suite("Rules of the gate")
struct GateRulesTests {
    private func rules(_ rules: JSONValue, own: String = "/nowhere") throws -> GateRules {
        try GateRules(JSONWriter.bytes(["rules": rules]), own: own)
    }

    private func bash(_ command: String, _ more: JSONObject = [:]) -> AgentCall {
        var input: JSONObject = ["command": .string(command)]
        for (name, value) in more { input[name] = value }
        return AgentCall(session: "s", id: nil, tool: "Bash", folder: "/", input: input)
    }

    private func file(_ path: String, tool: String = "Edit", in folder: String = "/", _ more: JSONObject = [:])
        -> AgentCall
    {
        var input: JSONObject = ["file_path": .string(path)]
        for (name, value) in more { input[name] = value }
        return AgentCall(session: "s", id: nil, tool: tool, folder: folder, input: input)
    }

    @Test("The first rule that matches decides; without one, the person is asked")
    func order() throws {
        let rules = try rules([
            ["deny": "Bash", "command": "git push --force *", "reason": "never"],
            ["allow": "Bash", "command": "git *"],
            ["ask": "*"], ["allow": "Bash", "command": "make"],
        ])
        #expect(rules.verdict(on: bash("git push --force origin")) == .init(answer: .deny, rule: 1, reason: "never"))
        #expect(rules.verdict(on: bash("git push origin")) == .init(answer: .allow, rule: 2, reason: nil))
        #expect(rules.verdict(on: bash("make")) == .init(answer: .ask, rule: 3, reason: nil))
        #expect(GateRules().verdict(on: bash("make")) == .init(answer: .ask, rule: 0, reason: nil))
    }

    @Test(
        "No compound command passes a rule for a prefix, however it is spelt",
        arguments: [
            "git status && rm -rf x", "git status; rm x", "git status | sh", "git status || sh", "git status & sh",
            "git status\nrm x", "git status\rrm x", "git status `rm x`", "git status $(rm x)", "git status ${x}",
            "git status $x", "git status > x", "git status >> x", "git status < x", "git status <(rm x)",
            "git status \"$(rm x)\"", "git status \"`rm x`\"", "git status \\\nrm x", "git status *", "git status ?",
            "git status [a]", "git status {a,b}", "git status ~/x", "git status # x", "git status !x",
            "git status 'x", "git status \"x", "git status x\u{0}", "git status\tx", "git status\u{a0}x",
            "git status \u{ff1b} rm", "git status \u{202e}x", "PATH=/tmp git status", "(git status)", "{ git status; }",
            "git status \"a\\\"; rm x; \\\"\"", "git statusx", "'git status'", "./git status", "git  status;", "",
            " ", "=x git status", "git status \"x!y\"", "git status 'a\\'", "gıt status",
        ])
    func compound(_ command: String) throws {
        let rules = try rules([["allow": "Bash", "command": ["git status *", "git status"]]])
        #expect(rules.verdict(on: bash(command)).answer == .ask, "\(command)")
    }

    @Test("Plain words pass: exact ones, and more behind a star; quotes hold them together")
    func simple() throws {
        let rules = try rules([["allow": "Bash", "command": ["make test", "git log *"]]])
        let cases = [
            ("make test", true), ("  make   test ", true), ("make tests", false), ("make test x", false),
            ("git log", true), ("git log --oneline -n 3 a/b.c", true), ("git 'log' \"a b; c\"", true), ("git", false),
            ("git logs", false),
        ]
        for (command, isAllowed) in cases {
            #expect((rules.verdict(on: bash(command)).answer == .allow) == isAllowed, "\(command)")
        }
        let unsandboxed = bash("make test", ["dangerouslyDisableSandbox": true])
        #expect(rules.verdict(on: unsandboxed).answer == .ask)
        #expect(rules.verdict(on: bash("make test", ["timeout": 60, "description": "x"])).answer == .allow)
    }

    @Test("A command that a rule can allow has in bash exactly the words that the rule saw")
    func words() async throws {
        var random = SeededGenerator()
        let pieces = [
            "a", "b ", " ", "'", "\"", "-", "=", "/", ".", "\\", "$", "`", ";", "&", "|", "\n", "#", "*", "~", "{", "!",
            "%", ",",
        ]
        var accepted: [(command: String, words: [String])] = []
        for _ in 0..<200_000 where accepted.count < 3_000 {
            let count = Int.random(in: 1...9, using: &random)
            let command = "x" + (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined()
            if let read = ShellWords(command) { accepted.append((command, read.words)) }
        }
        #expect(accepted.count == 3_000)
        let folder = try Folder()
        let lines = accepted.map { "set -- \($0.command)\nprintf '<%s>' \"$@\"; echo" }
        try folder.write(lines.joined(separator: "\n"), to: "script")
        let result = try await Program.run(["script"], of: "bash", in: URL(filePath: folder.path))
        let expected = accepted.map { $0.words.map { "<\($0)>" }.joined() }
        let printed = result.output.split(separator: "\n").map(String.init)
        #expect(result.errors.isEmpty && printed.count == expected.count, "\(result.errors)")
        for (index, line) in printed.enumerated() where index < expected.count && line != expected[index] {
            Issue.record("\(accepted[index].command) is \(line) in bash, and not \(expected[index])")
        }
    }

    @Test("A rule that denies finds its words in a compound command, too")
    func denied() throws {
        let rules = try rules([["deny": "*", "command": "rm -rf *"]])
        for command in [
            "rm -rf /", "cd x && rm -rf y", "x;rm -rf y", "r'm' -rf y", "$(rm -rf y)", "sudo rm -rf y",
            "sh -c 'rm -rf y'", "x; r\\m -r\"f\" y", "find . -exec rm -rf y +",
        ] {
            #expect(rules.verdict(on: bash(command)).answer == .deny, "\(command)")
        }
        #expect(rules.verdict(on: bash("echo rm; ls")).answer == .ask)
        let exact = try self.rules([["deny": "Bash", "command": "make"]])
        for (command, isDenied) in [
            ("make", true), ("sudo make", true), ("sh -c 'make x'", true), ("make test", false),
            ("git commit -m make-it", false),
        ] {
            #expect((exact.verdict(on: bash(command)).answer == .deny) == isDenied, "\(command)")
        }
    }

    @Test("A rule for a tool alone opens neither its commands nor its files; a tool with other arguments it does")
    func parts() throws {
        let rules = try rules([["allow": ["Bash", "Edit", "mcp__git__get_*"]]])
        #expect(rules.verdict(on: bash("ls")).answer == .ask)
        #expect(rules.verdict(on: file("/etc/passwd")).answer == .ask)
        let tool = AgentCall(session: "s", id: nil, tool: "mcp__git__get_log", folder: "/", input: ["count": 3])
        #expect(rules.verdict(on: tool).answer == .allow)
        let other = AgentCall(session: "s", id: nil, tool: "mcp__git__set", folder: "/", input: [:])
        #expect(rules.verdict(on: other).answer == .ask)
    }

    @Test("Files are judged by their real place: no link, no .., and never the settings of agents or of the gate")
    func files() throws {
        let folder = try Folder()
        for name in ["src", "other", "gate", "src/.claude", "src/.git"] { try folder.make(name) }
        try folder.link("src/way", to: "\(folder.path)/other")
        try folder.link("src/name", to: "\(folder.path)/other/x")
        let rules = try rules(
            [
                ["allow": "Edit", "files": .string("\(folder.path)/src/*")],
                ["allow": "Edit", "files": .string("\(folder.path)/gate/*")],
            ],
            own: "\(folder.path)/gate")
        let cases = [
            ("src/a", true), ("src/new", true), ("src/../other/x", false), ("src/way/x", false), ("src/name", false),
            ("src/.claude/settings.json", false), ("src/.git/config", false), ("gate/rules.json", false),
            ("srcx", false),
            ("src/", false), ("src/missing/x", false), ("src/.GIT", false), ("src/.mcp.json", false),
            ("src/way/\u{301}", false), ("src/.claude/\u{301}", false),
        ]
        for (name, isAllowed) in cases {
            #expect((rules.verdict(on: file("\(folder.path)/\(name)")).answer == .allow) == isAllowed, "\(name)")
            // Relative names mean another file to a tool with another folder, or one that knows `~`.
            #expect(rules.verdict(on: file(name, in: folder.path)).answer == .ask, "\(name)")
        }
        let edit = file("\(folder.path)/src/a", ["old_string": "a", "new_string": "b", "replace_all": true])
        #expect(rules.verdict(on: edit).answer == .allow)
        #expect(rules.verdict(on: file("\(folder.path)/src/a", ["mode": "777"])).answer == .ask)
    }

    @Test(
        "No name passes that a tool may read in another way than the gate",
        arguments: [
            // Tools drop `..` before they follow the link, and so write above the folder.
            "src/deep/../../../outside", "src/deep/../x", "src/deep/../\u{301}x",
            // Tools trim names, and compose letters: these are links.
            "src/name ", "src/name\n", "src/name\u{a0}", "src/e\u{301}", "src/a\u{200b}",
        ])
    func otherReadings(_ name: String) throws {
        let folder = try Folder()
        for name in ["src/1/2/3", "src/outside", "src/deep "] { try folder.make(name) }
        try folder.link("src/deep", to: "\(folder.path)/src/1/2/3")
        for name in ["src/name", "src/\u{e9}"] { try folder.link(name, to: "/etc/hostname") }
        let rules = try self.rules([["allow": "Edit", "files": .string("\(folder.path)/src/*")]])
        #expect(rules.verdict(on: file("\(folder.path)/\(name)")).answer == .ask, "\(name)")
        let denying = try self.rules([["deny": "Edit", "files": .string("\(folder.path)/secret/*")]])
        #expect(denying.verdict(on: file(" \(folder.path)/src/./deep/../../secret/x")).answer == .deny)
    }

    @Test("A command or a file that is no text passes no rule for the tool alone")
    func otherTypes() throws {
        let rules = try rules([["allow": ["Bash", "Edit"]]])
        for input: JSONObject in [
            ["command": ["rm", "-rf", "x"]], ["file_path": ["/etc/passwd"]], ["path": ["a": "b"]],
        ] {
            let call = AgentCall(session: "s", id: nil, tool: "Bash", folder: "/", input: input)
            #expect(rules.verdict(on: call).answer == .ask, "\(input)")
        }
    }

    @Test("folder limits a rule to calls from there")
    func folders() throws {
        let folder = try Folder()
        try folder.make("src")
        let rules = try rules([["allow": "Bash", "command": "make", "folder": .string("\(folder.path)/src/*")]])
        func answer(_ place: String) -> GateRules.Answer {
            rules.verdict(on: AgentCall(session: "", id: nil, tool: "Bash", folder: place, input: ["command": "make"]))
                .answer
        }
        #expect(answer("\(folder.path)/src") == .allow)
        #expect(answer(folder.path) == .ask)
        #expect(answer("\(folder.path)/src/..") == .ask)
    }

    @Test(
        "A file with a mistake is refused, with the rule's number",
        arguments: [
            ("[]", "must be an object"), (#"{"rules":[],"x":1}"#, "must be an object"), (#"{"rules":[{}]}"#, "rule 1"),
            (#"{"rules":[{"allow":"*"}]}"#, "names of tools"), (#"{"rules":[{"allow":"A","deny":"A"}]}"#, "one of"),
            (#"{"rules":[{"allow":"A","commands":"x"}]}"#, "commands is unknown"),
            (#"{"rules":[{"allow":"A","command":"a && b"}]}"#, "no single command"),
            (#"{"rules":[{"allow":"A","files":"src/*"}]}"#, "must begin with /"),
            (#"{"rules":[{"allow":"A","files":"/a/../*"}]}"#, "must begin with /"),
            (#"{"rules":[{"allow":[]}]}"#, "list of texts"), (#"{"rules":[{"allow":"A","allow":"B"}]}"#, "not valid"),
        ])
    func mistakes(_ text: String, _ expected: String) {
        let failure = #expect(throws: GateRules.Failure.self) { try GateRules(Array(text.utf8), own: "/") }
        #expect(failure?.problem.contains(expected) == true, "\(failure?.problem ?? "")")
    }
}

/// The same numbers in every run (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64 = 37

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A folder that is removed with its owner.
final class Folder: Sendable {
    let path: String

    init() throws {
        let made = FileManager.default.temporaryDirectory.appending(path: "gate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
        path = made.resolvingSymlinksInPath().path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func make(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
    }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
    }
}
