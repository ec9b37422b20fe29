import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// A form that follows the schema of an operation's body: a field for each member, under the name that the API has for
/// it. Members of inner objects have fields of their own; what no field fits is typed as JSON.
struct SchemaForm: Sendable {
    /// One value of the body.
    struct Entry: Sendable {
        /// `["branding", "colors", "primary"]`
        let path: [String]
        let kind: Kind
        let hint: String?
        let isRequired: Bool
        let isClearable: Bool

        var name: String { SchemaForm.prefix + path.joined(separator: ".") }
        /// No field repeats what was typed.
        var isSecret: Bool { path.last.map(SecretMembers.contains) ?? false }
    }

    enum Kind: Sendable {
        case text, integer, boolean, json
        /// A long text.
        case lines
        /// Texts, one a line.
        case list
        case choice([String])
        case choices([String])
    }

    /// The typed values, as far as it could be read.
    struct Reading {
        /// Members that differ from the object as it is.
        var body: JSONObject
        var fields: [DashboardField]
        var problems: [String: LocalizedText]
    }

    static let prefix = "m."
    /// Inner objects deeper than this are typed as JSON.
    private static let depth = 3
    /// Characters from which a text gets several lines.
    private static let longText = 300

    let entries: [Entry]

    var isEmpty: Bool { entries.isEmpty }

    /// - Parameters:
    ///   - shape: The body's. Nil has no fields.
    ///   - members: Names of the members of the form, in their order. Nil are all.
    ///   - withheld: Paths that the person may not send.
    init(_ shape: Shape?, members: [String]?, withheld: Set<[String]>) {
        var found: [Entry] = []
        if let shape { Self.collect(shape.schema, [], withheld, into: &found) }
        guard let members else {
            entries = found
            return
        }
        entries = members.flatMap { member in
            found.filter { $0.path.joined(separator: ".") == member || $0.path.first == member }
        }
    }

    private static func collect(
        _ schema: JSONObject, _ path: [String], _ withheld: Set<[String]>, into found: inout [Entry]
    ) {
        let required = Set(schema["required"]?.stringsValue ?? [])
        for (name, value) in schema["properties"]?.objectValue ?? [:] {
            let inner = path + [name]
            guard let declared = value.objectValue, !withheld.contains(inner) else { continue }
            let types = types(of: declared)
            if types.contains("object"), declared["properties"] != nil, inner.count < depth {
                collect(declared, inner, withheld, into: &found)
                continue
            }
            found.append(
                Entry(
                    path: inner, kind: kind(declared, types), hint: declared["description"]?.stringValue,
                    isRequired: path.isEmpty && required.contains(name), isClearable: types.contains("null")))
        }
    }

    private static func types(of schema: JSONObject) -> Set<String> {
        Set(schema["type"]?.stringValue.map { [$0] } ?? schema["type"]?.stringsValue ?? [])
    }

    private static func kind(_ schema: JSONObject, _ types: Set<String>) -> Kind {
        if let words = schema["enum"]?.arrayValue?.compactMap(\.stringValue), types.contains("string") {
            return .choice(words)
        }
        switch types.subtracting(["null"]) {
        case ["boolean"]: return .boolean
        case ["integer"]: return .integer
        case ["string"]: return (schema["maxLength"]?.intValue ?? 0) > longText ? .lines : .text
        case ["array"]:
            let items = schema["items"]?.objectValue ?? [:]
            guard items["type"] == "string" else { return .json }
            return items["enum"]?.stringsValue.map(Kind.choices) ?? .list
        default: return .json
        }
    }

    // MARK: fields

    func fields(from current: JSONObject) -> [DashboardField] {
        entries.map { field($0, typed: Self.text(Self.value(at: $0.path, in: current), $0)) }
    }

    /// Values of the form's members in an object.
    func values(of current: JSONObject) -> JSONValue {
        .array(entries.map { Self.value(at: $0.path, in: current) ?? .null })
    }

    private func field(_ entry: Entry, typed: String, problem: LocalizedText? = nil) -> DashboardField {
        let kind: DashboardField.Kind =
            switch entry.kind {
            case .text: entry.isSecret ? .secret : .text
            case .lines, .list: .area(lines: 4)
            case .json: .area(lines: typed.isEmpty ? 2 : min(20, typed.split(separator: "\n").count + 1))
            case .integer: .number
            case .boolean: .choice(["", "true", "false"])
            case .choice(let words): .choice([""] + words)
            case .choices(let words): .choices(words)
            }
        return DashboardField(
            entry.name, .theirs(entry.path.joined(separator: ".")), kind,
            entry.isSecret
                ? FieldInput("", problem: problem ?? (typed.isEmpty ? nil : localized.dashboard.frame.typeAgain))
                : FieldInput(typed, problem: problem),
            hint: entry.hint.map(Words.theirs), isRequired: entry.isRequired)
    }

    private static func text(_ value: JSONValue?, _ entry: Entry) -> String {
        switch (entry.kind, value) {
        case (_, nil), (_, .null): ""
        case (.json, .some(let value)): JSONWriter.lines(value).joined(separator: "\n")
        case (_, .string(let text)): text
        case (_, .bool(let flag)): flag ? "true" : "false"
        case (_, .number(let number)): number.literal
        case (_, .array(let list)): list.compactMap(\.stringValue).joined(separator: "\n")
        case (_, .some(let value)): JSONWriter.string(value)
        }
    }

    static func value(at members: [String], in object: JSONObject) -> JSONValue? {
        members.dropFirst().reduce(members.first.flatMap { object[$0] }) { $0?[$1] }
    }

    // MARK: the typed values

    /// Fields of the form as they were sent, for the page between the form and the change.
    func kept(_ parameters: Parameters) -> [(name: String, value: String)] {
        entries.flatMap { entry -> [(name: String, value: String)] in
            if case .choices(let words) = entry.kind {
                return words.map { "\(entry.name):\($0)" }.filter { parameters[$0] != nil }.map { ($0, "1") }
            }
            return parameters[entry.name].map { [(entry.name, $0)] } ?? []
        }
    }

    func read(_ parameters: Parameters, over current: JSONObject) -> Reading {
        var reading = Reading(body: [:], fields: [], problems: [:])
        for entry in entries {
            let typed = typed(entry, parameters)
            let before = Self.value(at: entry.path, in: current)
            var problem: LocalizedText?
            // Untouched fields send nothing: another administrator may have changed them.
            if typed != Self.text(before, entry) {
                switch Self.parse(typed, entry) {
                case .some(let value): Self.set(value, at: entry.path[...], in: &reading.body, over: current)
                case nil: problem = localized.dashboard.frame.unreadable
                }
            } else if entry.isRequired, typed.isEmpty {
                problem = localized.dashboard.frame.missing
            }
            reading.problems[entry.name] = problem
            reading.fields.append(field(entry, typed: typed, problem: problem))
        }
        return reading
    }

    private func typed(_ entry: Entry, _ parameters: Parameters) -> String {
        if case .choices(let words) = entry.kind {
            return words.filter { parameters["\(entry.name):\($0)"] != nil }.joined(separator: "\n")
        }
        // Forms separate lines by CR LF (HTML 4.10.21.8).
        return (parameters[entry.name] ?? "").replacing("\r\n", with: "\n")
    }

    /// Nil if the text is not a value of the member.
    private static func parse(_ text: String, _ entry: Entry) -> JSONValue? {
        if text.isEmpty {
            switch entry.kind {
            case .list, .choices: return []
            case .text where !entry.isClearable, .lines where !entry.isClearable: return ""
            default: return .null
            }
        }
        switch entry.kind {
        case .text, .lines, .choice: return .string(text)
        case .integer: return Int(text.trimmed(\.isWhitespace)).map { .number(JSONNumber($0)) }
        case .boolean: return text == "true" ? true : text == "false" ? false : nil
        case .choices: return JSONValue(text.split(separator: "\n").map(String.init))
        case .list:
            let lines = text.split(separator: "\n").map { String($0.trimmed(\.isWhitespace)) }
            return JSONValue(lines.filter { !$0.isEmpty })
        case .json: return (try? JSONReader.parse(text)) ?? nil
        }
    }

    /// Inner objects are sent whole, since the API replaces them.
    private static func set(
        _ value: JSONValue, at members: ArraySlice<String>, in body: inout JSONObject, over current: JSONObject
    ) {
        guard let name = members.first else { return }
        guard members.count > 1 else {
            body[name] = value
            return
        }
        let before = current[name]?.objectValue ?? [:]
        var inner = body[name]?.objectValue ?? before
        set(value, at: members.dropFirst(), in: &inner, over: before)
        if members.count == 2, value.isNull, let last = members.last { inner[last] = nil }
        body[name] = .object(inner)
    }

    // MARK: the changes

    /// Members of the body beside what they are now. Secrets are not shown.
    func changes(of body: JSONObject, over current: JSONObject) -> [DashboardBlock.Change] {
        entries.compactMap { entry in
            guard let name = entry.path.first, body[name] != nil else { return nil }
            let before = Self.value(at: entry.path, in: current)
            let after = Self.value(at: entry.path, in: body)
            guard before != after else { return nil }
            func shown(_ value: JSONValue) -> String? {
                Self.shown(SecretMembers.replacing(in: value, member: entry.path.last) { _ in .string(Self.hidden) })
            }
            return DashboardBlock.Change(
                entry.path.joined(separator: "."), before: before.flatMap(shown), after: after.flatMap(shown))
        }
    }

    private static let hidden = "••••••••"

    private static func shown(_ value: JSONValue) -> String? {
        value.isNull ? nil : value.stringValue ?? JSONWriter.string(value)
    }

    /// Puts the problems of a refusal beside their fields. Returns what no field has, in the API's words.
    func placing(_ refusal: ManagementRefusal, in fields: [DashboardField]) -> (fields: [DashboardField], rest: String)
    {
        var fields = fields
        var rest: [String] = refusal.problems.isEmpty ? [refusal.message] : []
        for problem in refusal.problems {
            let place = problem.path.prefix { $0 != "[" }
            let index = fields.firstIndex { field in
                let member = field.name.dropFirst(Self.prefix.count)
                return member == place || place.hasPrefix("\(member).")
            }
            guard let index else {
                rest.append(problem.path.isEmpty ? problem.message : "\(problem.path) \(problem.message)")
                continue
            }
            let text = problem.message
            fields[index].input.problem = LocalizedText { _ in text }
        }
        return (fields, rest.joined(separator: "; "))
    }
}
