import AgentGate
import CountersignClient
import CountersignServer
import Files
import PlatformFoundation
import Primitives
import Terminal

extension Command {
    private static let agent = Option<Agent>.defaulted(
        "agent", .choice(of: Agent.self), to: .claudeCode, "Agent whose settings get the hook.")
    private static let project = Option<Bool>.flag(
        "project", "Use the settings of the project in the working folder that are yours alone.")
    private static let preview = Option<Bool>.flag("print", "Show the change, and change nothing.")

    static var gateInstall: Command {
        let options = GateInstallOptions()
        return Command(
            "install", "Add the gate's hook to an agent's settings, and store the server and the client for it.",
            discussion: """
                Beside a development server, everything comes from its data folder. Otherwise name the server, the client \
                and the person. They are stored in the gate's folder, which only you can read: the hook itself reads \
                nothing of its environment or working folder. Every other byte of the settings stays as it is, and \
                uninstall takes the hook back.
                """,
            options: [
                OptionGroup("Hook", [agent, project] + options.hook + [preview]),
                OptionGroup("Request", options.request + [gateFolder]), options.connection.group,
            ],
            examples: [
                "for Claude Code, beside a development server": "countersign gate install",
                "for Codex": "countersign gate install --agent codex",
                "a look at the change": "countersign gate install --print",
                "before every call, for an agent without a screen": "countersign gate install --every-call",
            ]
        ) { invocation in
            let agent = try invocation[Self.agent]
            let file = try AgentSettings(of: agent, isProject: try invocation[project], invocation)
            let folder = try invocation.gateFolder()
            let event = try options.event(invocation)
            let group = try options.group(invocation, agent, folder, event)
            let output = invocation.output
            if try invocation[preview] {
                output.note("would be added to hooks.\(event.rawValue) of \(file.path):")
                output.block(JSONWriter.lines(group).joined(separator: "\n"))
                return 0
            }
            let configuration = try options.configuration(invocation)
            do {
                try folder.make()
                try configuration.write(to: folder)
                var hooks = InstalledHooks(reading: folder)
                try file.uninstall(agent, depths: hooks.depths(of: file.path))
                hooks.set(file.path, event: event, depth: try file.install(group, event))
                try hooks.write(to: folder)
            } catch let failure as FileFailure {
                throw CommandFailure(failure.description)
            }
            output.line("\(file.path) has the hook")
            output.note("Prompts go to \(configuration.user) by \(configuration.issuer)")
            if agent == .codex { output.note("Codex asks once whether it may run the hook: type /hooks there") }
            return 0
        }
    }

    static var gateUninstall: Command {
        Command(
            "uninstall", "Take the gate's hook out of an agent's settings.",
            discussion: "The gate's folder stays, with the rules. Every other byte of the settings stays as it is.",
            options: [OptionGroup("Options", [agent, project, preview, gateFolder])],
            examples: ["from Claude Code": "countersign gate uninstall"]
        ) { invocation in
            let agent = try invocation[Self.agent]
            let file = try AgentSettings(of: agent, isProject: try invocation[project], invocation)
            let folder = try invocation.gateFolder()
            var hooks = InstalledHooks(reading: folder)
            let count = try file.uninstall(
                agent, depths: hooks.depths(of: file.path), preview: try invocation[preview])
            guard count > 0 else { throw CommandFailure("\(file.path) has no hook of the gate") }
            if try invocation[preview] {
                invocation.output.note("the hook would be taken out of \(file.path)")
                return 0
            }
            hooks.remove(file.path)
            do { try hooks.write(to: folder) } catch { throw CommandFailure("\(error)") }
            invocation.output.line("\(file.path) has the hook no more")
            return 0
        }
    }
}

private struct GateInstallOptions: Sendable {
    let everyCall = Option<Bool>.flag(
        "every-call",
        "Ask before every call that no rule answers (PreToolUse), and not only at the agent's own prompts.")
    let matcher = Option<String?>.optional(
        "matcher", .string.placeholder("TOOLS"), defaultText: "all",
        "Tools by the agent's own pattern, such as Bash|Edit.")
    let wait = Option<Duration>.defaulted(
        "wait", .duration(.seconds(30) ... .seconds(82_800)), to: .seconds(540),
        "Time for one wait. The agent then has to make the same call again.")
    let user = Option<String?>.optional(
        "user", short: "u", .string.placeholder("USER"), environment: "COUNTERSIGN_USER",
        defaultText: "the development server's", "Person to ask, by id, verified e-mail address or phone number.")
    let audience = Option<String>.defaulted(
        "audience", .string.placeholder("API"), to: AgentTools.identifier, environment: "COUNTERSIGN_AUDIENCE",
        "API with the type command.")
    let expires = Option<Duration>.defaulted(
        "expires", .duration(GateConfiguration.expiryRange), to: .seconds(43_200),
        "Time for the person to answer. More than 5m needs the client's allow_long_push.")
    let unreachable = Option<String>.defaulted(
        "unreachable", .choice(["deny", "ask"]), to: "deny",
        "Answer if the server cannot be reached: deny, or have the agent's own screen ask.")
    let connection = ConnectionOptions(client: "Id of the client that asks.")

    var hook: [any DeclaredOption] { [everyCall, matcher, wait] }
    var request: [any DeclaredOption] { [user, audience, expires, unreachable] }

    func event(_ invocation: Invocation) throws -> HookInput.Event {
        try invocation[everyCall] ? .preToolUse : .permissionRequest
    }

    /// The entry of the settings.
    func group(
        _ invocation: Invocation, _ agent: Agent, _ folder: GateFolder, _ event: HookInput.Event
    ) throws -> JSONValue {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        let wait = try invocation[wait]
        let path = URL(filePath: folder.path).standardizedFileURL.path
        var handler: JSONObject = [
            "type": "command",
            "command": .string(
                "\(quoted(program)) \(AgentSettings.mark(agent)) --folder \(quoted(path)) --event \(event.rawValue) "
                    + "--wait \(spellDuration(wait))"
            ),
            "timeout": JSONValue((wait + Command.gateGrace + .seconds(30)).components.seconds),
        ]
        // Claude Code lets a call go on to its own rules if a hook dies. With this, it refuses the call.
        if agent == .claudeCode { handler["onFailure"] = "block" }
        var group = JSONObject()
        group["matcher"] = try invocation[matcher].map(JSONValue.string)
        group["hooks"] = [.object(handler)]
        return .object(group)
    }

    func configuration(_ invocation: Invocation) throws -> GateConfiguration {
        let development =
            try invocation[connection.issuer] == nil
            ? try DevelopmentConfiguration.read(folder: try invocation[connection.data]) : nil
        // A folder that somebody else prepared must not turn prompts to another server.
        if let development, !isLoopbackHost(URL(string: development.issuer)?.host() ?? "") {
            throw UsageError(
                "\(development.issuer) is not on this machine", hint: "name it with --issuer, and its client")
        }
        guard let user = try invocation[user] ?? development.map({ _ in DevelopmentConfiguration.user.rawValue }) else {
            throw UsageError(
                "--user is required with --issuer", hint: "or set the environment variable COUNTERSIGN_USER")
        }
        let values = try ClientConnection(invocation, connection).values()
        guard values.secret != nil || values.key != nil else {
            throw UsageError("a client secret or key is required", hint: "set COUNTERSIGN_CLIENT_SECRET")
        }
        return GateConfiguration(
            issuer: values.issuer, clientID: values.clientID, clientSecret: values.secret, clientKey: values.key,
            clientKeyID: try invocation[connection.clientKeyID], authorities: values.authorities, user: user,
            audience: try invocation[audience], expiry: try invocation[expires],
            leavesToTerminal: try invocation[unreachable] == "ask")
    }
}
