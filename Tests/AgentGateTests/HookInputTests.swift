@testable import AgentGate
import Primitives
import Testing

/// Inputs and outputs as the agents document them.
@Suite("Prompts of agents")
struct HookInputTests {
    /// Claude Code's permission prompt, which has no id of the call.
    static let claudePrompt: JSONObject = [
        "session_id": "5a1c", "transcript_path": "/home/hanna/.claude/projects/shop/5a1c.jsonl",
        "cwd": "/home/hanna/shop",
        "permission_mode": "default", "hook_event_name": "PermissionRequest", "tool_name": "Bash",
        "tool_input": ["command": "git push", "description": "Publishes the work"],
        "permission_suggestions": [
            ["type": "addRules", "rules": [["toolName": "Bash"]], "behavior": "allow", "destination": "localSettings"]
        ],
    ]
    static let claudeCall: JSONObject = [
        "session_id": "5a1c", "transcript_path": "/t.jsonl", "cwd": "/home/hanna/shop",
        "permission_mode": "acceptEdits",
        "hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": ["file_path": "/a", "content": "x"],
        "tool_use_id": "toolu_01",
    ]
    /// Codex's, with its turn and model.
    static let codexPrompt: JSONObject = [
        "session_id": "0198", "turn_id": "3", "transcript_path": nil, "cwd": "/home/hanna/shop",
        "hook_event_name": "PermissionRequest", "model": "gpt", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": ["command": "cargo test", "description": "needs the network"],
    ]
    static let plain: JSONObject = [
        "session": "s", "id": "1", "tool": "deploy", "folder": "/srv", "input": ["version": "1.4"],
    ]

    private func input(_ object: JSONObject, _ agent: Agent) throws -> HookInput {
        try HookInput(JSONWriter.bytes(.object(object)), from: agent)
    }

    @Test("Each agent's prompt gives session, call, tool, folder and input")
    func calls() throws {
        let prompt = try input(Self.claudePrompt, .claudeCode).call
        #expect(
            prompt.session == "5a1c" && prompt.id == nil && prompt.tool == "Bash" && prompt.folder == "/home/hanna/shop"
        )
        #expect(
            prompt.command == "git push" && prompt.says == "Publishes the work" && prompt.input["description"] == nil)
        #expect(try input(Self.claudeCall, .claudeCode).call.id == "toolu_01")
        #expect(try input(Self.codexPrompt, .codex).call.command == "cargo test")
        #expect(try input(Self.plain, .plain).call.input == ["version": "1.4"])
    }

    @Test("Each answer has the agent's documented form")
    func answers() throws {
        func text(_ object: JSONObject, _ agent: Agent, _ decision: GateDecision) throws -> JSONValue? {
            let answer = try input(object, agent).answer(decision)
            #expect(agent == .plain || answer.status == 0)
            return try answer.text.map { try JSONReader.parse($0) }
        }
        for (prompt, agent) in [(Self.claudePrompt, Agent.claudeCode), (Self.codexPrompt, .codex)] {
            #expect(
                try text(prompt, agent, .allow("x"))
                    == [
                        "hookSpecificOutput": ["hookEventName": "PermissionRequest", "decision": ["behavior": "allow"]]
                    ])
            for no in [GateDecision.deny("x"), .wait("x")] {
                #expect(
                    try text(prompt, agent, no) == [
                        "hookSpecificOutput": [
                            "hookEventName": "PermissionRequest", "decision": ["behavior": "deny", "message": "x"],
                        ]
                    ])
            }
            #expect(try text(prompt, agent, .leave("x")) == nil)
        }
        func before(_ decision: JSONValue) -> JSONValue {
            [
                "hookSpecificOutput": [
                    "hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": "x",
                ]
            ]
        }
        #expect(try text(Self.claudeCall, .claudeCode, .allow("x")) == before("allow"))
        #expect(try text(Self.claudeCall, .claudeCode, .deny("x")) == before("deny"))
        #expect(try text(Self.claudeCall, .claudeCode, .wait("x")) == before("deny"))
        #expect(try text(Self.claudeCall, .claudeCode, .leave("x")) == before("ask"))
        // Codex takes no allow and no ask before a call.
        #expect(try text(Self.claudeCall, .codex, .allow("x")) == nil)
        #expect(try text(Self.claudeCall, .codex, .deny("x")) == before("deny"))
        #expect(try text(Self.claudeCall, .codex, .leave("x")) == before("deny"))
        let expected: [(GateDecision, JSONValue, Int32)] = [
            (.allow("x"), "allow", 0), (.deny("x"), "deny", 3), (.wait("x"), "wait", 4), (.leave("x"), "ask", 1),
        ]
        for (decision, word, status) in expected {
            let answer = try input(Self.plain, .plain).answer(decision)
            #expect(try JSONReader.parse(answer.text ?? "") == ["decision": word, "reason": "x"])
            #expect(answer.status == status)
        }
    }

    @Test("A yes for a plan has the plan, which Claude Code demands; a question goes to the agent's own screen")
    func plansAndQuestions() throws {
        var plan = Self.claudePrompt
        plan["tool_name"] = "ExitPlanMode"
        plan["tool_input"] = ["plan": "1. Push"]
        #expect(
            try JSONReader.parse(try #require(try input(plan, .claudeCode).answer(.allow("x")).text))[
                "hookSpecificOutput"]
                == [
                    "hookEventName": "PermissionRequest",
                    "decision": ["behavior": "allow", "updatedInput": ["plan": "1. Push"]],
                ])
        #expect(try input(plan, .codex).answer(.allow("x")).text?.contains("updatedInput") == false)
        var question = Self.claudePrompt
        question["tool_name"] = "AskUserQuestion"
        question["tool_input"] = ["questions": []]
        #expect(try input(question, .claudeCode).isQuestion)
        #expect(try !input(question, .codex).isQuestion && !input(plan, .claudeCode).isQuestion)
    }

    @Test("An input that cannot be read is refused in the form that the event heeds")
    func unreadable() throws {
        let prompt = HookInput.refusal("x", of: .permissionRequest, by: .claudeCode)
        #expect(
            try JSONReader.parse(try #require(prompt.text)) == [
                "hookSpecificOutput": [
                    "hookEventName": "PermissionRequest", "decision": ["behavior": "deny", "message": "x"],
                ]
            ])
        #expect(prompt.status == 0)
        for (event, agent) in [
            (HookInput.Event.preToolUse, Agent.claudeCode), (nil, .claudeCode), (.permissionRequest, .codex),
            (nil, .plain),
        ] as [(HookInput.Event?, Agent)] {
            let refusal = HookInput.refusal("x", of: event, by: agent)
            #expect(refusal.text == nil && refusal.status == 2)
        }
    }

    @Test(
        "An input that is no prompt is refused: not JSON, not UTF-8, half a character, another event, a missing member",
        arguments: [
            "", "{", "[]", "null", #"{"hook_event_name":"Stop"}"#, #"{"hook_event_name":"PreToolUse"}"#,
            #"{"hook_event_name":"PreToolUse","session_id":"a","cwd":"/","tool_name":"Bash","tool_input":"x"}"#,
            #"{"hook_event_name":"PreToolUse","session_id":"a","cwd":"/","tool_name":"","tool_input":{}}"#,
            #"{"hook_event_name":"PreToolUse","session_id":"a","cwd":"/","tool_name":"B","tool_input":{"a":"\ud800"}}"#,
            #"{"hook_event_name":"PreToolUse","session_id":"a","cwd":"/","tool_name":"B","tool_input":{"a":1,"a":2}}"#,
        ])
    func refused(_ text: String) {
        #expect(throws: HookInput.Failure.self) { try HookInput(Array(text.utf8), from: .claudeCode) }
    }

    @Test("Bytes that are no text, deep nesting and an endless input are refused")
    func hostile() {
        let before = Array(
            #"{"hook_event_name":"PreToolUse","session_id":"a","cwd":"/","tool_name":"B","tool_input":{"a":""#.utf8)
        #expect(throws: HookInput.Failure.self) {
            try HookInput(before + [0xFF, 0xFE] + Array("\"}}".utf8), from: .claudeCode)
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: HookInput.Failure.self) { try HookInput(Array(deep.utf8), from: .claudeCode) }
        let long = [UInt8](repeating: 0x20, count: HookInput.limit + 1)
        #expect(throws: HookInput.Failure.self) { try HookInput(long, from: .plain) }
    }
}
