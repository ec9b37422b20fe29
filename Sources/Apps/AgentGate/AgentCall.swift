package import Primitives

/// One call of a tool, as the hook of a coding agent hands it over.
package struct AgentCall: Sendable, Equatable {
    /// Session of the agent. Two sessions never share an approval.
    package let session: String
    /// The agent's id of the call. Nil from agents that give none to their permission prompts.
    package let id: String?
    package let tool: String
    /// Working folder.
    package let folder: String
    /// Everything that the tool gets, without `says`.
    package let input: JSONObject
    /// The agent's own description of a command, which runs nothing and may differ when the agent asks again.
    package let says: String?

    /// Tools that run `command` and do nothing with `description`. Another tool may well do something with it.
    private static let shells = ["Bash", "PowerShell"]
    /// Codex's own description of a request for the network: the host, which is what a yes is for.
    private static let network = "network-access "

    package init(session: String, id: String?, tool: String, folder: String, input: JSONObject) {
        self.session = session
        self.id = id
        self.tool = tool
        self.folder = folder
        guard Self.shells.contains(tool), input["command"]?.stringValue != nil,
            let words = input["description"]?.stringValue, !words.utf8.starts(with: Self.network.utf8)
        else {
            self.input = input
            says = nil
            return
        }
        var bound = input
        bound["description"] = nil
        self.input = bound
        says = words.isEmpty ? nil : words
    }

    /// The shell command, if the call is one.
    package var command: String? { input["command"]?.stringValue }

    /// SHA-256, in base64url, of everything that the call does: the same call has the same digest in whatever order its
    /// agent writes the members.
    package func digest(_ hashing: any Hashing) -> String {
        Self.digest(["tool": .string(tool), "folder": .string(folder), "input": .object(input)], hashing)
    }

    /// Name of the call's place among the pending ones: the call, and the session that makes it.
    package func place(_ hashing: any Hashing) -> String {
        Self.digest(["session": .string(session), "call": .string(digest(hashing))], hashing)
    }

    private static func digest(_ value: JSONValue, _ hashing: any Hashing) -> String {
        Base64URL.encode(hashing.sha256(JSONWriter.bytes(value.sorted)))
    }
}

extension JSONValue {
    /// The value with the members of all objects in the order of their names (RFC 8785 clause 3.2.3). Numbers keep their
    /// spelling.
    package var sorted: JSONValue {
        switch self {
        case .array(let elements): return .array(elements.map(\.sorted))
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object.members.sorted(by: { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }) {
                result[name] = value.sorted
            }
            return .object(result)
        default: return self
        }
    }
}

/// The outcome of a prompt, which the agent is told in its own format.
package enum GateDecision: Sendable, Equatable {
    case allow(String)
    case deny(String)
    /// Nobody has answered yet: the agent has to make the same call again.
    case wait(String)
    /// The gate cannot decide, and leaves the prompt to the agent's own screen.
    case leave(String)

    package var reason: String {
        switch self {
        case .allow(let text), .deny(let text), .wait(let text), .leave(let text): text
        }
    }
}
