import PlatformFoundation
package import Primitives

/// The authorization detail by which a phone shows a call: command, folder, files and change, with everything marked that a
/// person cannot see. It is made of the call alone, so the same call always has the same card.
package struct CommandCard: Sendable, Equatable {
    /// A call that cannot be shown, and so is never asked for.
    package struct Unshowable: Error, Equatable {
        package let reason: String
    }

    /// Characters of a command. A longer one is refused: its end would run unseen.
    package static let commandLimit = 4_000
    /// Characters of a change, and shorter ones for a card that is too large.
    private static let changeLimits = [6_000, 3_000, 1_500, 500]
    private static let argumentLimit = 2_000
    private static let nameLimit = 500
    private static let fileLimit = 20
    /// Bytes of the whole parameter, below the limit of the API for agents.
    private static let byteLimit = 15_000

    package let detail: JSONObject

    package init(_ call: AgentCall, _ hashing: any Hashing) throws(Unshowable) {
        let parts = CallParts(call)
        if let command = parts.command, Self.count(command) > Self.commandLimit {
            throw Unshowable(
                reason:
                    "The command has \(Self.count(command)) characters, and a phone shows at most \(Self.commandLimit). "
                    + "Write it to a file first, and run the file.")
        }
        for limit in Self.changeLimits {
            let detail = try Self.detail(call, parts, changeLimit: limit, hashing)
            if JSONWriter.bytes([.object(detail)]).count <= Self.byteLimit {
                self.detail = detail
                return
            }
        }
        throw Unshowable(reason: "The call is too large for a phone. Make several smaller ones of it.")
    }

    /// The card without the agent's own words, which decide nothing.
    package static func bound(_ detail: JSONObject) -> JSONObject {
        var bound = detail
        bound["says"] = nil
        return bound
    }

    /// Short text beside the card, of letters that every tenant allows.
    package static func bindingMessage(_ call: AgentCall) -> String {
        let folder = call.folder.split(separator: "/").last.map { " in \($0)" } ?? ""
        let allowed = "\(call.tool)\(folder)".unicodeScalars.filter { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789 +-_.,:#".unicodeScalars.contains(scalar))
        }
        return allowed.isEmpty ? "Tool call" : String(String(String.UnicodeScalarView(allowed)).prefix(64))
    }

    private static func detail(
        _ call: AgentCall, _ parts: CallParts, changeLimit: Int, _ hashing: any Hashing
    ) throws(Unshowable) -> JSONObject {
        var detail: JSONObject = ["type": "command"]
        detail["headline"] = headline(call, parts).map(JSONValue.string)
        detail["tool"] = .string(try name(call.tool))
        detail["command"] = parts.command.map { .string(marked($0)) }
        detail["folder"] = .string(try name(call.folder))
        if !parts.files.isEmpty {
            var files: [String] = []
            for file in parts.files.prefix(fileLimit) { files.append(try name(file)) }
            if parts.files.count > fileLimit { files.append("… and \(parts.files.count - fileLimit) more files") }
            detail["files"] = JSONValue(files)
        }
        detail["diff"] = parts.change.map { .string(shortened($0, to: changeLimit, hashing)) }
        if !parts.arguments.isEmpty { detail["arguments"] = arguments(parts.arguments, changeLimit, hashing) }
        detail["digest"] = .string(call.digest(hashing))
        detail["says"] = call.says.map { .string(shortened($0, to: nameLimit, hashing)) }
        return detail
    }

    private static func headline(_ call: AgentCall, _ parts: CallParts) -> String? {
        if let command = parts.command {
            let lines = command.lines
            let shown = marked(lines[0])
            return lines.count == 1 && count(shown) <= 80 ? shown : "\(beginning(shown, 79))…"
        }
        guard let file = parts.files.first?.split(separator: "/").last, parts.change != nil else { return nil }
        let more = parts.files.count > 1 ? " +\(parts.files.count - 1)" : ""
        return "\(beginning(marked(String(file)), 60))\(more)"
    }

    /// Arguments as they are, or as one text if they have a form that phones cannot show.
    private static func arguments(_ arguments: JSONObject, _ limit: Int, _ hashing: any Hashing) -> JSONValue {
        if let shown = shown(.object(arguments), depth: 4) { return shown }
        let text = JSONWriter.lines(.object(arguments)).joined(separator: "\n")
        return ["JSON": .string(shortened(text, to: limit, hashing))]
    }

    private static func shown(_ value: JSONValue, depth: Int) -> JSONValue? {
        switch value {
        case .string(let text):
            let text = marked(text)
            return count(text) <= argumentLimit ? .string(text) : nil
        case .number(let number): return number.literal.utf8.count <= 100 ? value : nil
        case .array(let elements):
            let shown = elements.compactMap { Self.shown($0, depth: depth - 1) }
            return depth > 0 && elements.count <= 20 && shown.count == elements.count ? .array(shown) : nil
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object {
                guard name.firstUnseen == nil, (1...100).contains(count(name)),
                    let shown = shown(value, depth: depth - 1)
                else { return nil }
                result[name] = shown
            }
            return depth > 0 && object.count <= 20 ? .object(result) : nil
        case .null, .bool: return value
        }
    }

    // MARK: texts

    private static func count(_ text: String) -> Int { text.unicodeScalars.count }

    private static func name(_ text: String) throws(Unshowable) -> String {
        let text = marked(text)
        guard (1...nameLimit).contains(count(text)) else {
            throw Unshowable(
                reason: "A name of the call has \(count(text)) characters. A phone shows 1 to \(nameLimit).")
        }
        return text
    }

    private static func beginning(_ text: String, _ length: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
    }

    /// The text with each unseen character as its number, and tabs as arrows. Blanks at its ends are unseen, too. Phones
    /// would put the whole text in one line of quotation marks because of them.
    private static func marked(_ text: String) -> String {
        let shown = text.replacingUnseen(keepsLines: true) { $0 == "\t" ? "⇥" : $0.shownNumber }
        var scalars = shown.unicodeScalars[...]
        var ends = (first: "", last: "")
        while let first = scalars.first, first.properties.isWhitespace {
            ends.first += scalars.removeFirst().shownNumber
        }
        while let last = scalars.last, last.properties.isWhitespace {
            ends.last = scalars.removeLast().shownNumber + ends.last
        }
        return ends.first + String(scalars) + ends.last
    }

    /// The text, or its beginning with the length and the digest of the whole.
    private static func shortened(_ text: String, to limit: Int, _ hashing: any Hashing) -> String {
        // Marking makes no text shorter, so a huge one is marked no further than it is shown.
        let first = text.unicodeScalars.prefix(limit + 1)
        let shown = marked(String(String.UnicodeScalarView(first)))
        guard first.count > limit || count(shown) > limit else { return shown }
        let digest = Base64URL.encode(hashing.sha256(Array(text.utf8)))
        return "\(beginning(shown, limit))\n… cut here. The whole has \(count(text)) characters, and SHA-256 \(digest)"
    }
}

/// A call's parts as the tools of coding agents name them. All else is an argument.
struct CallParts: Sendable {
    /// Members that hold a command or a file.
    static let names = ["command"] + fileNames
    private static let fileNames = ["file_path", "notebook_path", "path"]

    private(set) var command: String?
    private(set) var files: [String] = []
    /// Old lines with a minus, new ones with a plus.
    private(set) var change: String?
    private(set) var arguments: JSONObject

    init(_ call: AgentCall) {
        arguments = call.input
        if let text = call.command, !text.isEmpty {
            arguments["command"] = nil
            if call.tool == "apply_patch" {
                change = text
                files = Self.filesOfPatch(text)
            } else {
                command = text
            }
            return
        }
        for name in Self.fileNames {
            guard files.isEmpty, let path = arguments[name]?.stringValue, !path.isEmpty else { continue }
            files = [path]
            arguments[name] = nil
        }
        guard !files.isEmpty else { return }
        if let change = Self.edit(arguments) {
            self.change = change
            for name in ["old_string", "new_string"] { arguments[name] = nil }
        } else if let edits = arguments["edits"]?.arrayValue, !edits.isEmpty {
            let parts = edits.compactMap { $0.objectValue.flatMap(Self.numbered) }
            guard parts.count == edits.count else { return }
            change = parts.joined(separator: "\n")
            arguments["edits"] = nil
        } else {
            for name in ["content", "new_source"] {
                guard change == nil, let text = arguments[name]?.stringValue else { continue }
                change = Self.lines(text, "+")
                arguments[name] = nil
            }
        }
    }

    private static func edit(_ edit: JSONObject) -> String? {
        guard let old = edit["old_string"]?.stringValue, let new = edit["new_string"]?.stringValue else { return nil }
        return (old.isEmpty ? "" : lines(old, "-") + "\n") + lines(new, "+")
    }

    /// An edit among several. Nil if it has a member that would not be shown.
    private static func numbered(_ edit: JSONObject) -> String? {
        guard edit.allSatisfy({ ["old_string", "new_string", "replace_all"].contains($0.name) }) else { return nil }
        let scope = edit["replace_all"]?.boolValue == true ? "@@ everywhere" : "@@ once"
        return Self.edit(edit).map { "\(scope)\n\($0)" }
    }

    private static func lines(_ text: String, _ sign: String) -> String {
        text.lines.map { $0.isEmpty ? sign : "\(sign) \($0)" }.joined(separator: "\n")
    }

    private static func filesOfPatch(_ patch: String) -> [String] {
        let starts = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "]
        return patch.lines.compactMap { line in
            // Codex reads these lines with blanks around them, too.
            let line = line.trimmed(\.isWhitespace)
            return starts.first { line.hasPrefix($0) }.map { String(line.dropFirst($0.count)) }
        }
        .filter { !$0.isEmpty }
    }
}

extension String {
    /// Lines as programs count them, an empty last one included. For Swift, CR and LF are one character, which is no line
    /// feed: a line behind it could pass for a line of the card.
    fileprivate var lines: [String] {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }
}
