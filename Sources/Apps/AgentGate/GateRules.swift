import PlatformFoundation
import Primitives

/// Rules that answer calls without a phone. The first that matches decides; without one, the person is asked.
///
/// An `allow` matches only if it names each part of the call that can do harm: its command and its files. It never
/// matches a compound command, a file behind a link, or the settings of agents and of the gate.
package struct GateRules: Sendable {
    /// A file that is no list of rules. The text says where and why.
    package struct Failure: Error, Equatable {
        package let problem: String
    }

    package enum Answer: String, Sendable, CaseIterable { case allow, deny, ask }

    /// The rule that decided.
    package struct Verdict: Sendable, Equatable {
        package let answer: Answer
        /// Number of the rule, from 1. 0 if none matched.
        package let rule: Int
        package let reason: String?
    }

    private struct Rule: Sendable {
        let answer: Answer
        let tools: [String]
        let commands: [CommandPattern]
        let files: [String]
        let folders: [String]
        let reason: String?
    }

    private let rules: [Rule]
    /// The gate's own folder, which no rule opens.
    private let own: String

    package var count: Int { rules.count }

    /// `own` is the gate's folder.
    package init(_ bytes: [UInt8], own: String) throws(Failure) {
        self.own = own
        let value: JSONValue
        do { value = try JSONReader.parse(bytes) } catch { throw Failure(problem: "is not valid JSON: \(error)") }
        guard let object = value.objectValue, object.count == 1, let list = object["rules"]?.arrayValue else {
            throw Failure(problem: "must be an object with the list rules, and nothing else")
        }
        var rules: [Rule] = []
        for (index, value) in list.enumerated() {
            do { rules.append(try Self.rule(value)) } catch {
                throw Failure(problem: "has a mistake in rule \(index + 1): \(error.problem)")
            }
        }
        self.rules = rules
    }

    /// No rules: every call rings.
    package init() { (rules, own) = ([], "") }

    private static func rule(_ value: JSONValue) throws(Failure) -> Rule {
        guard let object = value.objectValue else { throw Failure(problem: "it is no object") }
        let known = Answer.allCases.map(\.rawValue) + ["command", "files", "folder", "reason"]
        if let other = object.first(where: { !known.contains($0.name) }) {
            throw Failure(problem: "\(other.name) is unknown; there are \(known.joined(separator: ", "))")
        }
        let answers = Answer.allCases.filter { object[$0.rawValue] != nil }
        guard answers.count == 1 else { throw Failure(problem: "it needs one of allow, deny and ask, with tools") }
        let tools = try texts(object, answers[0].rawValue)
        guard answers[0] != .allow || !tools.contains("*") else {
            throw Failure(problem: "allow needs the names of tools; * would be every tool")
        }
        var commands: [CommandPattern] = []
        for text in try texts(object, "command") {
            guard let pattern = CommandPattern(text) else {
                throw Failure(
                    problem: "the command \(text) is no single command of plain words, with * at most at its end")
            }
            commands.append(pattern)
        }
        let (files, folders) = (try texts(object, "files"), try texts(object, "folder"))
        for place in files + folders
        where place.utf8.first != UInt8(ascii: "/") || place.split(separator: "/").contains("..") {
            throw Failure(problem: "\(place) must begin with / and have no ..")
        }
        guard object["reason"] == nil || object["reason"]?.stringValue != nil else {
            throw Failure(problem: "reason must be a text")
        }
        return Rule(
            answer: answers[0], tools: tools, commands: commands, files: files, folders: folders,
            reason: object["reason"]?.stringValue)
    }

    private static func texts(_ object: JSONObject, _ name: String) throws(Failure) -> [String] {
        guard let value = object[name] else { return [] }
        let texts = value.stringValue.map { [$0] } ?? value.stringsValue ?? []
        guard !texts.isEmpty, !texts.contains("") else {
            throw Failure(problem: "\(name) must be a text, or a list of texts")
        }
        return texts
    }

    // MARK: decisions

    package func verdict(on call: AgentCall) -> Verdict {
        let parts = CallParts(call)
        for (index, rule) in rules.enumerated() where Self.isNamed(call.tool, by: rule.tools) {
            let matches = rule.answer == .allow ? allows(rule, call, parts) : touches(rule, call, parts)
            if matches { return Verdict(answer: rule.answer, rule: index + 1, reason: rule.reason) }
        }
        return Verdict(answer: .ask, rule: 0, reason: nil)
    }

    private static func isNamed(_ tool: String, by names: [String]) -> Bool {
        names.contains { isMatch($0, tool, star: "*") }
    }

    /// Arguments beside command and files that change nothing about the harm.
    private static let harmless = Set(["timeout", "run_in_background", "offset", "limit", "replace_all"])

    private func allows(_ rule: Rule, _ call: AgentCall, _ parts: CallParts) -> Bool {
        guard CallParts.names.allSatisfy({ call.input[$0] == nil || call.input[$0]?.stringValue != nil }) else {
            return false
        }
        if let command = call.command {
            guard rule.commands.contains(where: { $0.allows(command) }) else { return false }
        } else if !rule.commands.isEmpty {
            return false
        }
        if parts.files.isEmpty {
            guard rule.files.isEmpty else { return false }
        } else {
            let isInside = parts.files.allSatisfy { file in
                guard Self.isPlain(file), let place = Self.place(of: file), !isProtected(place) else { return false }
                return rule.files.contains { Self.isBelow($0, place) }
            }
            guard isInside else { return false }
        }
        if call.command != nil || !parts.files.isEmpty {
            guard parts.arguments.allSatisfy({ Self.harmless.contains($0.name) }) else { return false }
        }
        return rule.folders.isEmpty
            || Self.resolved(call.folder).map { folder in
                rule.folders.contains { Self.isBelow($0, folder) || Self.isBelow($0, "\(folder)/") }
            } == true
    }

    private func touches(_ rule: Rule, _ call: AgentCall, _ parts: CallParts) -> Bool {
        if !rule.commands.isEmpty {
            guard let command = call.command, rule.commands.contains(where: { $0.touches(command) }) else {
                return false
            }
        }
        if !rule.files.isEmpty {
            let trimmed = parts.files.map { String($0.trimmed(\.isWhitespace)) }
            let names = (parts.files + trimmed).map { Self.absolute($0, in: call.folder) }
            let places = names + names.map(Self.normalized) + names.compactMap(Self.place)
            guard places.contains(where: { place in rule.files.contains { Self.isBelow($0, place) } }) else {
                return false
            }
        }
        return rule.folders.isEmpty
            || [call.folder, Self.resolved(call.folder) ?? call.folder].contains { folder in
                rule.folders.contains { Self.isBelow($0, folder) || Self.isBelow($0, "\(folder)/") }
            }
    }

    /// Settings that decide about hooks and rules, and hooks that Git runs.
    private func isProtected(_ path: String) -> Bool {
        // Some file systems take capitals for the same name.
        Self.components(path).contains { [".claude", ".codex", ".git", ".mcp.json"].contains($0.lowercased()) }
            || !own.isEmpty && Self.isBelow("\(Self.resolved(own) ?? own)/*", path)
    }

    /// By bytes: a slash with a mark on it is another character, and still a slash.
    private static func components(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// `/a/*` is everything below a folder, and `/a/b` one file.
    private static func isBelow(_ pattern: String, _ path: String) -> Bool { isMatch(pattern, path, star: "/*") }

    /// True for the same text, and with a star at the end of the pattern for the same beginning. Bytes count: equal letters
    /// of Unicode may name two files.
    private static func isMatch(_ pattern: String, _ text: String, star: String) -> Bool {
        pattern.hasSuffix(star)
            ? text.utf8.starts(with: pattern.utf8.dropLast()) : pattern.utf8.elementsEqual(text.utf8)
    }

    /// True for a name that every tool takes for the same file: absolute, without `..`, which tools leave out before they
    /// follow links, without blanks at its ends, and spelt in one way (NFC).
    private static func isPlain(_ file: String) -> Bool {
        let isTrimmed = file.unicodeScalars.last?.properties.isWhitespace == false
        return file.utf8.first == UInt8(ascii: "/") && isTrimmed && !components(file).contains("..")
            && file.composed.utf8.elementsEqual(file.utf8) && file.firstUnseen == nil
    }

    /// The path of a tool that drops `..` before it follows links.
    private static func normalized(_ path: String) -> String {
        var parts: [String] = []
        for part in components(path) where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/\(parts.joined(separator: "/"))"
    }

    /// The real place of an absolute path. Nil for one that is a link itself, or whose folder does not exist.
    private static func place(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = String(decoding: path.utf8[path.utf8.index(after: slash)...], as: UTF8.self)
        guard !["", ".", ".."].contains(name), !name.utf8.contains(0),
            let parent = resolved(String(decoding: path.utf8[...slash], as: UTF8.self))
        else { return nil }
        let place = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
        var status = stat()
        if lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { return nil }
        return place
    }

    private static func absolute(_ file: String, in folder: String) -> String {
        file.utf8.first == UInt8(ascii: "/") ? file : "\(folder)/\(file)"
    }

    private static func resolved(_ path: String) -> String? {
        // A system call would end at a NUL, and look at another file.
        guard !path.utf8.contains(0), let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
