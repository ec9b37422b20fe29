import AgentGate
import Files
import PlatformFoundation
import Primitives
import Terminal

/// Settings with hooks, and how deep the gate found their containers, so that it takes back exactly what it added.
struct InstalledHooks {
    private var entries: JSONObject

    init(reading folder: GateFolder) {
        let bytes = try? PrivateFile.readSecret(folder.installedFile).bytes
        entries = bytes.flatMap { try? JSONReader.parse($0).objectValue } ?? [:]
    }

    var files: [String] { entries.map(\.name) }

    func depths(of path: String) -> [String: Int] {
        var depths: [String: Int] = [:]
        for (event, depth) in entries[path]?.objectValue ?? [:] { depths[event] = depth.intValue }
        return depths
    }

    mutating func set(_ path: String, event: HookInput.Event, depth: Int) {
        entries[path] = [event.rawValue: .number(JSONNumber(depth))]
    }

    mutating func remove(_ path: String) { entries[path] = nil }

    func write(to folder: GateFolder) throws {
        guard PrivateFile.exists(folder.path) else { return }
        try PrivateFile.store(SecretBytes(JSONWriter.bytes(.object(entries))), to: folder.installedFile)
    }
}

/// An agent's settings.
struct AgentSettings {
    /// Depth of a file that did not exist.
    private static let missing = -1
    let path: String

    init(of agent: Agent, isProject: Bool, _ invocation: Invocation) throws {
        let home = invocation.environment["HOME"] ?? "/"
        let here = FileManager.default.currentDirectoryPath
        switch agent {
        case .claudeCode:
            let own = invocation.environment["CLAUDE_CONFIG_DIR"] ?? "\(home)/.claude"
            path = isProject ? "\(here)/.claude/settings.local.json" : "\(own)/settings.json"
        case .codex:
            let own = invocation.environment["CODEX_HOME"] ?? "\(home)/.codex"
            path = isProject ? "\(here)/.codex/hooks.json" : "\(own)/hooks.json"
        case .plain:
            throw UsageError(
                "a program of the plain protocol has no settings", hint: "it runs countersign gate hook itself")
        }
    }

    static func mark(_ agent: Agent) -> String { "gate hook --agent \(agent.rawValue)" }

    /// Returns the depth to keep.
    func install(_ group: JSONValue, _ event: HookInput.Event) throws -> Int {
        let isNew = !PrivateFile.exists(path)
        var text = try isNew ? SettingsText(Array("{}".utf8)) : read()
        let depth: Int
        do { depth = try text.append(group, to: ["hooks", event.rawValue]) } catch { throw failure(error) }
        if isNew {
            let lines = JSONWriter.lines(try JSONReader.parse(text.bytes)).joined(separator: "\n")
            try write(Array("\(lines)\n".utf8))
        } else {
            try write(text.bytes)
        }
        return isNew ? Self.missing : depth
    }

    /// Returns the number of hooks that were taken out.
    @discardableResult
    func uninstall(_ agent: Agent, depths: [String: Int], preview: Bool = false) throws -> Int {
        guard PrivateFile.exists(path) else { return 0 }
        var text = try read()
        var count = 0
        for event in HookInput.Event.allCases {
            let depth = max(0, depths[event.rawValue] ?? 2)
            count += text.remove(from: ["hooks", event.rawValue], keeping: depth) { group in
                let handlers = group["hooks"]?.arrayValue ?? []
                return handlers.count == 1
                    && handlers[0]["command"]?.stringValue?.contains(" \(Self.mark(agent)) ") == true
            }
        }
        guard count > 0, !preview else { return count }
        if text.isEmpty, depths.values.contains(Self.missing) {
            unlink(path)
        } else {
            try write(text.bytes)
        }
        return count
    }

    private func read() throws -> SettingsText {
        let bytes = try readFile(path)
        do { return try SettingsText(bytes) } catch { throw failure(error) }
    }

    private func failure(_ failure: SettingsText.Failure) -> CommandFailure {
        CommandFailure("\(path) \(failure.problem)", hint: "nothing was changed")
    }

    /// Keeps the file's mode, and a link to it.
    private func write(_ bytes: [UInt8]) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        try FileManager.default.createDirectory(
            atPath: URL(filePath: target).deletingLastPathComponent().path, withIntermediateDirectories: true)
        var status = stat()
        let mode = stat(target, &status) == 0 ? UInt16(status.st_mode & 0o777) : 0o600
        do { try PrivateFile.store(SecretBytes(bytes), to: target, mode: mode) } catch {
            throw CommandFailure("\(path) cannot be written: \(error)")
        }
    }
}
