import AgentGate
import CountersignClient
import PlatformFoundation
import Primitives
import Terminal

extension Command {
    static var gate: Command {
        Command(
            "gate", "Bring the permission prompts of coding agents to a phone.",
            discussion: """
                install adds a hook to the settings of Claude Code or Codex. The hook shows each prompt on a phone, and \
                answers the agent only by what the person allowed. docs/gate.md has the first prompt in two minutes.
                """,
            examples: [gateInstall, gateHook].flatMap { $0.examples.prefix(1) },
            subcommands: [gateInstall, gateUninstall, gateStatus, gateRules, gateHook])
    }

    /// For people: their shell's `HOME` is theirs.
    static let gateFolder = Option<String?>.optional(
        "folder", .path.placeholder("FOLDER"), defaultText: "~/.config/countersign/gate",
        "The gate's folder: gate.json, rules.json and the pending calls.")

    static var gateHook: Command {
        let agent = Option<Agent>.required("agent", .choice(of: Agent.self), "Agent whose prompt is on standard input.")
        // No default: a project's settings could choose the folder by HOME.
        let folder = Option<String>.required("folder", .path.placeholder("FOLDER"), "The gate's folder.")
        let wait = Option<Duration>.defaulted(
            "wait", .duration(.seconds(2) ... .seconds(86_400)), to: .seconds(540),
            "Time to wait for the person. It must end before the agent's own limit. Then the agent has to make the same "
                + "call again, which goes on waiting.")
        let event = Option<HookInput.Event?>.optional(
            "event", .choice(of: HookInput.Event.self), defaultText: "the input's",
            "Event of the agent's settings, in whose format an input that cannot be read is refused.")
        return Command(
            "hook", "Answer one prompt: JSON on standard input, the agent's own format on standard output.",
            discussion: """
                No failure ever answers yes. The exit status is 0 with an answer for Claude Code and Codex, and 2 for an \
                input that is no prompt, unless --event has another answer. In the plain protocol it is 0 for allowed, 3 for \
                denied, 4 for still waiting, 1 if the program's own screen should ask, and 2 for an input that is no \
                prompt. The environment and the working folder decide nothing.
                """,
            options: [OptionGroup("Options", [agent, folder, event, wait])],
            examples: [
                "from any program":
                    "echo '{\"session\":\"s1\",\"tool\":\"deploy\",\"folder\":\"/srv\",\"input\":{}}' | "
                    + "countersign gate hook --agent plain --folder ~/.config/countersign/gate"
            ]
        ) { invocation in
            // A project's settings may set variables of hooks. Some would choose who is trusted as the server, or write
            // the connection's keys to a file.
            clearenv()
            let bytes = try readFile("-", limit: HookInput.limit + 1)
            // An agent that is still writing would get a broken pipe instead of the answer.
            while bytes.count > HookInput.limit, try !readFile("-", limit: 65_536).isEmpty {}
            let agent = try invocation[agent]
            let input: HookInput
            do throws(HookInput.Failure) { input = try HookInput(bytes, from: agent) } catch {
                let reason = "The call is refused: the input \(error.problem)."
                invocation.output.error(reason)
                let refusal = HookInput.refusal(reason, of: try invocation[event], by: agent)
                try write(refusal.text)
                return refusal.status
            }
            if input.isQuestion { return 0 }
            let folder = GateFolder(try invocation[folder])
            let answer = input.answer(await decision(on: input.call, folder, within: try invocation[wait]))
            try write(answer.text)
            return answer.status
        }
        .exitingOnFailure(with: 2)
    }

    /// For the agent, an answer that it did not get would be none.
    private static func write(_ text: String?) throws {
        guard let text else { return }
        var rest = Array("\(text)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { PlatformFoundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw CommandFailure("the answer cannot be written: \(String(cString: strerror(errno)))")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Time after the wait for a poll that is under way.
    static let gateGrace: Duration = .seconds(30)

    private static func decision(on call: AgentCall, _ folder: GateFolder, within wait: Duration) async -> GateDecision
    {
        do {
            try folder.check()
            let verdict = try folder.rules().verdict(on: call)
            let rule = "rule \(verdict.rule) of \(folder.rulesFile)"
            switch verdict.answer {
            case .allow: return .allow("Allowed by \(rule).")
            case .deny: return .deny(verdict.reason ?? "Denied by \(rule).")
            case .ask: break
            }
            let configuration = try GateConfiguration(reading: folder)
            let gatekeeper = try configuration.gatekeeper(pending: folder.pending())
            let deadline = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) + wait
            let task = Task { await gatekeeper.decide(call, until: deadline) }
            let limit = Task {
                try await Task.sleep(for: wait + gateGrace)
                task.cancel()
            }
            defer { limit.cancel() }
            let decision = await task.value
            if case .leave(let reason) = decision, !configuration.leavesToTerminal { return .deny(reason) }
            return decision
        } catch let error as CountersignError {
            return .deny(error.failureReason ?? "The gate's client is not valid.")
        } catch {
            return .deny("The gate cannot ask: \(error).")
        }
    }

    private static var gateStatus: Command {
        Command(
            "status", "Show the gate's server, rules and hooks, and the calls that wait.",
            options: [OptionGroup("Options", [gateFolder, jsonObject])],
            examples: ["for a program": "countersign gate status --json"]
        ) { invocation in
            let folder = try invocation.gateFolder()
            let (configuration, rules): (GateConfiguration, GateRules)
            do { (configuration, rules) = (try GateConfiguration(reading: folder), try folder.rules()) } catch {
                throw CommandFailure("\(error)")
            }
            let calls = try folder.pending().all()
            let hooks = InstalledHooks(reading: folder)
            if try invocation[jsonObject] {
                invocation.output.json([
                    "issuer": .string(configuration.issuer), "client_id": .string(configuration.clientID),
                    "user": .string(configuration.user), "audience": .string(configuration.audience),
                    "rules": .number(JSONNumber(rules.count)), "hooks": JSONValue(hooks.files),
                    "pending": .array(calls.map(\.status)),
                ])
                return 0
            }
            let output = invocation.output
            output.fields([
                ("server", Text(configuration.issuer)), ("client", Text(configuration.clientID)),
                ("person", Text(configuration.user)), ("rules", "\(rules.count) in \(folder.rulesFile)"),
                ("hooks", Text(hooks.files.isEmpty ? "none" : hooks.files.joined(separator: ", "))),
            ])
            output.line()
            output.table(
                Table(
                    ["ASKED", "TOOL", "FOLDER", "CALL"],
                    rows: calls.map { call in
                        [
                            Text(call.startedAt.iso8601), Text(call.detail["tool"]?.stringValue ?? ""),
                            Text(call.detail["folder"]?.stringValue ?? ""),
                            Text(call.detail["headline"]?.stringValue ?? ""),
                        ]
                    }))
            return 0
        }
    }

    private static var gateRules: Command {
        Command(
            "rules", "Try the rules that answer without a phone.", examples: checkRules.examples,
            subcommands: [checkRules])
    }

    private static var checkRules: Command {
        let command = Option<String?>.optionalArgument("COMMAND", .string, "A shell command to try.")
        let rules = Option<String?>.optional("rules", .path, defaultText: "the gate's", "File with the rules.")
        let tool = Option<String>.defaulted("tool", .string, to: "Bash", "Tool of the call to try.")
        let file = Option<String?>.optional("file", .path, "File that the tool would change.")
        return Command(
            "check", "Check a file of rules, and show the decision on a call.",
            options: [OptionGroup("Options", [command, rules, tool, file, gateFolder, jsonObject])],
            examples: [
                "a file": "countersign gate rules check --rules rules.json",
                "a command": "countersign gate rules check --rules rules.json 'git status'",
            ]
        ) { invocation in
            let folder = try invocation.gateFolder()
            let read: GateRules
            if let path = try invocation[rules] {
                do { read = try GateRules(try readFile(path), own: folder.path) } catch let failure as GateRules.Failure
                {
                    throw CommandFailure("\(path) \(failure.problem)")
                }
            } else {
                do { read = try folder.rules() } catch { throw CommandFailure("\(error)") }
            }
            var input = JSONObject()
            input["command"] = try invocation[command].map(JSONValue.string)
            input["file_path"] = try invocation[file].map(JSONValue.string)
            guard !input.isEmpty else {
                if try invocation[jsonObject] {
                    invocation.output.json(["rules": .number(JSONNumber(read.count))])
                } else {
                    invocation.output.line("\(read.count) rules")
                }
                return 0
            }
            let call = AgentCall(
                session: "", id: nil, tool: try invocation[tool],
                folder: FileManager.default.currentDirectoryPath, input: input)
            let verdict = read.verdict(on: call)
            if try invocation[jsonObject] {
                invocation.output.json([
                    "decision": .string(verdict.answer.rawValue), "rule": .number(JSONNumber(verdict.rule)),
                ])
            } else {
                let rule = verdict.rule == 0 ? "no rule matches" : "rule \(verdict.rule)"
                invocation.output.line("\(verdict.answer.rawValue, .bold): \(rule)")
            }
            return 0
        }
    }
}

extension Invocation {
    func gateFolder() throws -> GateFolder {
        GateFolder(try self[Command.gateFolder] ?? "\(environment["HOME"] ?? "/")/.config/countersign/gate")
    }
}

extension PendingCall {
    /// The call without its secret.
    fileprivate var status: JSONValue {
        var object: JSONObject = ["started_at": .string(startedAt.iso8601), "call": .object(detail)]
        object["approval_uri"] = request?.approvalURI.map { .string($0.absoluteString) }
        if let request {
            object["expires_at"] = .string(Timestamp(seconds: Int64(request.expiresAt.timeIntervalSince1970)).iso8601)
        }
        return .object(object)
    }
}
