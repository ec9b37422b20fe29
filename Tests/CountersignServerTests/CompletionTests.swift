import Foundation
import TestSupport
import Testing

@Suite("countersign completions")
struct CompletionTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        for name in ["conf one.json", "conf.json", "key.pem"] { try folder.write("{}", to: name) }
    }

    /// Bash's completions of the last of `words`, which are split as bash splits them: at = and : too.
    private func offered(_ words: String...) async throws -> [String] {
        let list = words.map { "'\($0)'" }.joined(separator: " ")
        return try await shell(
            "bash",
            """
            source <(countersign completions bash)
            COMP_WORDS=(countersign \(list)); COMP_CWORD=\(words.count)
            _countersign; printf '%s\\n' "${COMPREPLY[@]}"
            """)
    }

    private func shell(_ name: String, _ script: String) async throws -> [String] {
        let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        let result = try await Program.run(
            ["-c", script], of: name, in: folder.url, environment: ["PATH": "\(programs):/usr/bin:/bin"])
        return result.output.split(separator: "\n").map(String.init).sorted()
    }

    @Test("bash completes commands at every depth, also after an alias")
    func commands() async throws {
        #expect(try await offered("us") == ["user"])
        #expect(try await offered("role", "per") == ["permit"])
        #expect(try await offered("client", "credential", "") == ["add", "list", "remove"])
        #expect(try await offered("key", "ro") == ["rotate"])
        #expect(try await offered("help", "ke") == ["key-exchange", "keys"])
        #expect(try await offered("completions", "") == ["bash", "fish", "zsh"])
    }

    @Test("Options are offered only after a dash")
    func options() async throws {
        #expect(try await offered("user", "show", "") == [])
        #expect(try await offered("role", "permit", "x", "--sc") == ["--scope"])
        #expect(try await offered("role", "permit", "x", "--api", "https", ":", "//a/", "--sc") == ["--scope"])
        #expect(try await offered("user", "list", "-").contains("--limit"))
        #expect(try await offered("--ver") == ["--version"])
    }

    @Test("Values of enumerated options are offered, also after an equals sign")
    func values() async throws {
        #expect(try await offered("keys", "rotate", "--algorithm", "ES") == ["ES256"])
        #expect(try await offered("keys", "rotate", "--algorithm", "=", "E") == ["ES256", "EdDSA"])
        #expect(try await offered("keys", "rotate", "--algorithm", "=").contains("RS256"))
        #expect(try await offered("client", "create", "--app-type", "n") == ["native", "non_interactive"])
        let methods = try await offered("client", "update", "x", "--token-endpoint-auth-method", "")
        #expect(methods.contains("private_key_jwt"))
        #expect(try await offered("user", "list", "--limit", "") == [])
    }

    @Test("Files are offered for options and operands that name files")
    func files() async throws {
        #expect(try await offered("apply", "conf") == ["conf one.json", "conf.json"])
        #expect(try await offered("apply", "x", "conf") == [])
        #expect(try await offered("serve", "--config", "conf.") == ["conf.json"])
        #expect(try await offered("user", "create", "-f", "k") == ["key.pem"])
        #expect(try await offered("user", "list", "--data", "=", "k") == ["key.pem"])
        #expect(try await offered("client", "credential", "add", "x", "--public-key", "k") == ["key.pem"])
    }

    /// Completions that fish would offer for the end of a line.
    private func offeredByFish(_ line: String, by program: String = "countersign") async throws -> [String] {
        try await shell("fish", "\(program) completions fish | source; complete -C '\(line)'")
    }

    @Test("fish completes commands, options, values and files")
    func fish() async throws {
        #expect(try await offeredByFish("countersign us") == ["user"])
        #expect(try await offeredByFish("countersign client credential ") == ["add", "list", "remove"])
        #expect(try await offeredByFish("countersign key ro") == ["rotate"])
        #expect(try await offeredByFish("countersign completions ") == ["bash", "fish", "zsh"])
        #expect(try await offeredByFish("countersign user show ") == [])
        #expect(try await offeredByFish("countersign role permit x --api https://a/ --sc") == ["--scope"])
        #expect(try await offeredByFish("countersign --ver") == ["--version"])
        #expect(try await offeredByFish("countersign keys rotate --algorithm ES") == ["ES256"])
        #expect(
            try await offeredByFish("countersign keys rotate --algorithm=E")
                == ["--algorithm=ES256", "--algorithm=EdDSA"])
        #expect(try await offeredByFish("countersign user list --limit ") == [])
        #expect(try await offeredByFish("countersign apply conf") == ["conf one.json", "conf.json"])
        #expect(try await offeredByFish("countersign apply x conf") == [])
        #expect(try await offeredByFish("countersign serve --config conf.") == ["conf.json"])
        #expect(try await offeredByFish("countersign user list --data=k") == ["--data=key.pem"])
    }

    @Test("guardian has the same completions")
    func guardian() async throws {
        #expect(try await offeredByFish("guardian un", by: "guardian") == ["unenroll"])
        #expect(try await offeredByFish("guardian watch --answer a", by: "guardian") == ["allow", "ask"])
        let script = """
            source <(guardian completions bash)
            COMP_WORDS=(guardian watch --answer a); COMP_CWORD=3
            _guardian; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try await shell("bash", script) == ["allow", "ask"])
    }

    @Test("zsh uses the completions for bash")
    func zsh() async throws {
        // As its bashcompinit has functions called; what does not begin as the word does it leaves out by itself.
        let script = """
            autoload -U compinit && compinit -u -D
            source <(countersign completions zsh)
            emulate sh -o kshglob -o noshglob -o braceexpand
            COMP_WORDS=(countersign keys rotate --algorithm=E); COMP_CWORD=3
            _countersign; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try await shell("zsh", script).contains("--algorithm=ES256"))
    }
}
