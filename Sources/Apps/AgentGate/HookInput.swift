import Primitives

/// Agents whose hooks the gate speaks.
package enum Agent: String, Sendable, CaseIterable {
    case claudeCode = "claude-code"
    case codex
    /// Every other program, by the protocol of docs/gate.md.
    case plain
}

/// A prompt as an agent's hook hands it over, and the format of its answer.
package struct HookInput: Sendable {
    /// Input that is no prompt of the agent. The text completes "the input …".
    package struct Failure: Error, Equatable {
        package let problem: String
    }

    /// Longest input that is read.
    package static let limit = 8_388_608

    package enum Event: String, Sendable, CaseIterable {
        /// The agent would ask on its own screen.
        case permissionRequest = "PermissionRequest"
        /// The agent is about to make any call.
        case preToolUse = "PreToolUse"
    }

    package let call: AgentCall
    private let agent: Agent
    /// Nil in the plain protocol.
    private let event: Event?

    package init(_ bytes: [UInt8], from agent: Agent) throws(Failure) {
        guard bytes.count <= Self.limit else { throw Failure(problem: "is longer than \(Self.limit) bytes") }
        let object: JSONObject
        do throws(JSONReader.Failure) {
            guard let read = try JSONReader.parse(bytes).objectValue else {
                throw JSONReader.Failure.syntax(offset: 0, "an object is expected")
            }
            object = read
        } catch {
            throw Failure(problem: Self.text(error))
        }
        self.agent = agent
        let isPlain = agent == .plain
        event = isPlain ? nil : object["hook_event_name"]?.stringValue.flatMap(Event.init)
        guard isPlain || event != nil else {
            throw Failure(problem: "has no hook_event_name that is PermissionRequest or PreToolUse")
        }
        func text(_ name: String) throws(Failure) -> String {
            guard let text = object[name]?.stringValue, !text.isEmpty else {
                throw Failure(problem: "has no text \(name)")
            }
            return text
        }
        let input = isPlain ? "input" : "tool_input"
        guard let arguments = object[input]?.objectValue else { throw Failure(problem: "has no object \(input)") }
        call = AgentCall(
            session: try text(isPlain ? "session" : "session_id"),
            id: object[isPlain ? "id" : "tool_use_id"]?.stringValue,
            tool: try text(isPlain ? "tool" : "tool_name"), folder: try text(isPlain ? "folder" : "cwd"),
            input: arguments)
    }

    /// True for a tool that only asks the person something, which needs words and no yes.
    package var isQuestion: Bool { agent == .claudeCode && call.tool == "AskUserQuestion" }

    /// The answer to an input that could not be read. Claude Code heeds exit status 2 before a call, and at a permission
    /// prompt only a decision.
    package static func refusal(_ reason: String, of event: Event?, by agent: Agent) -> (text: String?, status: Int32) {
        guard agent == .claudeCode, event == .permissionRequest else { return (nil, 2) }
        return (denial(reason), 0)
    }

    private static func text(_ failure: JSONReader.Failure) -> String {
        switch failure {
        case .syntax(let offset, let problem): "is not valid JSON at byte \(offset + 1): \(problem)"
        case .tooDeep(let limit): "is nested more than \(limit) levels deep"
        case .duplicateName(let name): "has the member \(name) twice"
        }
    }

    /// The text for standard output, and the exit status. A nil text leaves the prompt to the agent.
    package func answer(_ decision: GateDecision) -> (text: String?, status: Int32) {
        guard let event else { return Self.plain(decision) }
        switch (event, decision) {
        // Codex refuses this event's `allow` and `ask`. Silence means its own rules decide, which a yes may do.
        case (.preToolUse, .allow) where agent == .codex: return (nil, 0)
        case (.preToolUse, .leave) where agent == .codex: return (Self.before("deny", decision.reason), 0)
        case (.permissionRequest, .leave): return (nil, 0)
        case (.preToolUse, .allow): return (Self.before("allow", decision.reason), 0)
        case (.preToolUse, .leave): return (Self.before("ask", decision.reason), 0)
        case (.preToolUse, .deny), (.preToolUse, .wait): return (Self.before("deny", decision.reason), 0)
        case (.permissionRequest, .allow):
            var allowed: JSONObject = ["behavior": "allow"]
            // Claude Code takes a yes for a plan only together with the plan.
            if agent == .claudeCode, call.tool == "ExitPlanMode" { allowed["updatedInput"] = .object(call.input) }
            return (Self.output(event, ["decision": .object(allowed)]), 0)
        case (.permissionRequest, .deny), (.permissionRequest, .wait): return (Self.denial(decision.reason), 0)
        }
    }

    private static func denial(_ reason: String) -> String {
        output(.permissionRequest, ["decision": ["behavior": "deny", "message": .string(reason)]])
    }

    private static func before(_ decision: String, _ reason: String) -> String {
        output(
            .preToolUse, ["permissionDecision": .string(decision), "permissionDecisionReason": .string(reason)])
    }

    private static func output(_ event: Event, _ members: JSONObject) -> String {
        var specific: JSONObject = ["hookEventName": .string(event.rawValue)]
        for (name, value) in members { specific[name] = value }
        return JSONWriter.string(["hookSpecificOutput": .object(specific)])
    }

    private static func plain(_ decision: GateDecision) -> (text: String?, status: Int32) {
        let (word, status): (String, Int32) =
            switch decision {
            case .allow: ("allow", 0)
            case .deny: ("deny", 3)
            case .wait: ("wait", 4)
            case .leave: ("ask", 1)
            }
        return (JSONWriter.string(["decision": .string(word), "reason": .string(decision.reason)]), status)
    }
}
