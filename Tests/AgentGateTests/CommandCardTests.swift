@testable import AgentGate
import OpenSSLCrypto
import Primitives
import Testing

@Suite("The card of a call")
struct CommandCardTests {
    private let hashing = OpenSSLHashing()

    private func call(_ tool: String, _ input: JSONObject, folder: String = "/home/hanna/shop") -> AgentCall {
        AgentCall(session: "s", id: "t", tool: tool, folder: folder, input: input)
    }

    private func detail(_ tool: String, _ input: JSONObject) throws -> JSONObject {
        var detail = try CommandCard(call(tool, input), hashing).detail
        #expect(detail["digest"]?.stringValue?.utf8.count == 43)
        detail["digest"] = nil
        return detail
    }

    @Test("A command is shown with its folder and its other arguments; the agent's description stands apart")
    func command() throws {
        let shown = try detail("Bash", ["command": "git push", "description": "Publishes it", "timeout": 5])
        #expect(
            shown == [
                "type": "command", "headline": "git push", "tool": "Bash", "command": "git push",
                "folder": "/home/hanna/shop", "arguments": ["timeout": 5], "says": "Publishes it",
            ])
        #expect(CommandCard.bindingMessage(call("Bash", ["command": "x"])) == "Bash in shop")
        #expect(CommandCard.bindingMessage(call("mcp__a__b", [:], folder: "/tmp/çé \"x\"")) == "mcp__a__b in  x")
        #expect(CommandCard.bindingMessage(call("é", [:], folder: "/")) == "Tool call")
    }

    @Test("An edit, several, a new file, a cell and a patch are shown as a change with their files")
    func changes() throws {
        let edit = try detail(
            "Edit", ["file_path": "/a/b.c", "old_string": "x\ny", "new_string": "z", "replace_all": true])
        #expect(edit["diff"] == "- x\n- y\n+ z" && edit["files"] == ["/a/b.c"] && edit["headline"] == "b.c")
        #expect(edit["arguments"] == ["replace_all": true])
        let several: JSONObject = [
            "file_path": "/a",
            "edits": [
                ["old_string": "x", "new_string": "y"], ["old_string": "", "new_string": "z", "replace_all": true],
            ],
        ]
        #expect(try detail("MultiEdit", several)["diff"] == "@@ once\n- x\n+ y\n@@ everywhere\n+ z")
        #expect(try detail("Write", ["file_path": "/a", "content": "x\n"])["diff"] == "+ x\n+")
        let cell = try detail("NotebookEdit", ["notebook_path": "/n.ipynb", "new_source": "1", "cell_id": "c"])
        #expect(cell["diff"] == "+ 1" && cell["arguments"] == ["cell_id": "c"])
        let patch = "*** Begin Patch\n*** Update File: a.c\n@@\n-x\n+y\n*** Add File: b.c\n+z\n*** End Patch"
        let patched = try detail("apply_patch", ["command": .string(patch)])
        #expect(patched["files"] == ["a.c", "b.c"] && patched["diff"] == .string(patch) && patched["command"] == nil)
        #expect(patched["headline"] == "a.c +1")
    }

    @Test("An edit with a member that nobody knows is shown in full, and not in part")
    func unknown() throws {
        let input: JSONObject = ["file_path": "/a", "edits": [["old_string": "x", "new_string": "y", "then": "rm"]]]
        let shown = try detail("MultiEdit", input)
        #expect(shown["diff"] == nil)
        #expect(shown["arguments"] == ["edits": [["old_string": "x", "new_string": "y", "then": "rm"]]])
    }

    @Test("Characters that nobody sees are marked: controls, directions, blanks and tabs")
    func unseen() throws {
        let shown = try detail("Bash", ["command": "a\u{202e}b\u{0}c\td\u{200b}e\u{1b}[2K"])
        #expect(shown["command"] == "a‹U+202E›b‹U+0000›c⇥d‹U+200B›e‹U+001B›[2K")
        let named = try detail("x\u{202e}", ["a\u{200b}": "v", "b": "\u{2066}"])
        #expect(named["tool"] == "x‹U+202E›")
        #expect(named["arguments"]?["JSON"]?.stringValue?.contains("a‹U+200B›") == true)
    }

    @Test("A carriage return begins no line of its own, so that no new line passes for an old one or for another file")
    func carriageReturns() throws {
        let edit = try detail("Edit", ["file_path": "/a", "old_string": "x", "new_string": "y\r\n- z\r\n@@ once"])
        #expect(edit["diff"] == "- x\n+ y‹U+000D›\n+ - z‹U+000D›\n+ @@ once")
        #expect(try detail("Bash", ["command": "ls\r\nrm x"])["headline"] == "ls‹U+000D›…")
        let patch = "*** Begin Patch\r\n*** Add File: a\r\n+x\r\n *** Delete File: b\r\n*** End Patch"
        #expect(
            try detail("apply_patch", ["command": .string(patch)])["files"] == ["a", "b"])
    }

    @Test("Blanks at the ends of a text are marked, and a last line without a letter has none: phones keep the lines")
    func ends() throws {
        #expect(try detail("Bash", ["command": " ls \n"])["command"] == "‹U+0020›ls‹U+0020›‹U+000A›")
        let edit = try detail("Edit", ["file_path": "/a", "old_string": "x\n", "new_string": "\ny\n "])
        #expect(edit["diff"] == "- x\n-\n+\n+ y\n+‹U+0020›‹U+0020›")
    }

    @Test("A description belongs to the call, unless it is that of a shell; Codex names in it the host of a request")
    func descriptions() throws {
        let other = call("mcp__tickets__run", ["command": "create", "description": "x"])
        #expect(other.says == nil)
        #expect(
            other.digest(hashing)
                != call("mcp__tickets__run", ["command": "create", "description": "y"]).digest(hashing))
        let host = try detail("Bash", ["command": "make", "description": "network-access evil.example:443"])
        #expect(host["arguments"] == ["description": "network-access evil.example:443"] && host["says"] == nil)
    }

    @Test("A long change is its beginning, its length and its SHA-256; a long command is refused")
    func long() throws {
        let text = String(repeating: "x", count: 50_000)
        let shown = try #require(
            try detail("Write", ["file_path": "/a", "content": .string(text)])["diff"]?.stringValue)
        #expect(shown.hasPrefix("+ xxx") && shown.contains("… cut here. The whole has 50002 characters, and SHA-256 "))
        #expect(throws: CommandCard.Unshowable.self) {
            try CommandCard(call("Bash", ["command": .string(text)]), hashing)
        }
        let name = JSONObject(dictionaryLiteral: ("file_path", .string("/" + text)), ("content", "x"))
        #expect(throws: CommandCard.Unshowable.self) { try CommandCard(call("Write", name), hashing) }
        let wide = String(repeating: "\u{202e}", count: 3000)
        let marked = try CommandCard(call("Write", ["file_path": "/a", "content": .string(wide)]), hashing)
        #expect(JSONWriter.bytes([.object(marked.detail)]).count <= 16_384)
        let deep = (0..<20).reduce(JSONValue("x")) { inner, _ in ["a": inner] }
        #expect(try detail("mcp", ["v": deep])["arguments"]?["JSON"] != nil)
    }

    @Test(
        "Calls that differ have other digests, also if they look the same; the order of members and the words count for nothing"
    )
    func digests() throws {
        let base = call("Bash", ["command": "a", "timeout": 1])
        #expect(
            base.digest(hashing) == call("Bash", ["timeout": 1, "command": "a", "description": "x"]).digest(hashing))
        let others = [
            call("Bash", ["command": "a", "timeout": 2]), call("Shell", ["command": "a", "timeout": 1]),
            call("Bash", ["command": "a\u{200b}", "timeout": 1]), call("Bash", ["command": "a‹U+200B›", "timeout": 1]),
            call("Bash", ["command": "a", "timeout": 1], folder: "/"),
        ]
        let digests = Set((others + [base]).map { $0.digest(hashing) })
        #expect(digests.count == others.count + 1)
        let other = AgentCall(session: "t", id: "t", tool: base.tool, folder: base.folder, input: base.input)
        #expect(other.place(hashing) != base.place(hashing))
    }
}
