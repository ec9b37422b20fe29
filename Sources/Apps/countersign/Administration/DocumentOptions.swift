import Configuration
import Primitives
import Terminal

/// Options that make up a document: one for each common member, `--set` for any member, `--file` for a whole document.
struct DocumentOptions: Sendable {
    /// A member with its own option.
    struct Member: Sendable {
        let name: String
        let help: String
        /// All allowed values. Empty means any text.
        let choices: [String]

        init(_ name: String, _ help: String, choices: [String] = []) {
            self.name = name
            self.help = help
            self.choices = choices
        }
    }

    /// Members of a document that have an option.
    static func members<Root>(_ fields: Configuration.Fields<Root>) -> [Member] {
        fields.all.compactMap { field -> Member? in
            guard field.hasOption else { return nil }
            return Member(field.name, field.text.replacing("`", with: "") + ".", choices: field.choices)
        }
    }

    private let members: [Option<String?>]
    private let set: Option<[String]>
    private let file: Option<String?>
    /// Member with secrets, which the list of processes would show.
    private let secret: String?

    init(members: [Member], secret: String? = nil) {
        self.secret = secret
        self.members = members.map { member in
            .optional(
                member.name.replacing("_", with: "-"),
                member.choices.isEmpty ? .string.placeholder("TEXT") : .choice(member.choices), member.help)
        }
        set = .repeated(
            "set", .string.placeholder("NAME=VALUE"),
            "Set any member of the document. The value is JSON, or else a text.")
        file = .optional(
            "file", short: "f", .path,
            "A JSON object with further members; - reads it from standard input.")
    }

    var declarations: [any DeclaredOption] { members + [set, file] }

    /// Merges the members. Members with their own option override `--set`, which overrides the file.
    func read(_ invocation: Invocation) throws -> JSONObject {
        var document: JSONObject = try invocation[file].map(Self.object) ?? [:]
        for text in try invocation[set] {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw UsageError("--set \(text) names no member", hint: "write --set name=value")
            }
            let name = text[..<equals]
            if let secret, name == secret || name.hasPrefix("\(secret).") {
                throw UsageError(
                    "--set cannot set \(secret), since others on this machine see command lines",
                    hint: "secrets come from --file or standard input")
            }
            document[String(name)] = try Self.value(String(text[text.index(after: equals)...]), of: text)
        }
        for option in members {
            if let text = try invocation[option] {
                document[option.declaration.name.replacing("-", with: "_")] = .string(text)
            }
        }
        return document
    }

    /// Reads JSON, and anything else as a text. Refuses malformed objects: the shell has most often removed their
    /// quotes.
    private static func value(_ value: String, of given: String) throws(UsageError) -> JSONValue {
        do {
            return try JSONReader.parse(value)
        } catch {
            guard value.hasPrefix("{"), value.hasSuffix("}") else { return .string(value) }
            throw UsageError(
                "--set \(given) \(error.text)",
                hint: #"quote it for the shell, as in --set 'user_metadata={"theme":"dark"}'"#)
        }
    }

    private static func object(in path: String) throws -> JSONObject {
        let bytes = try readFile(path)
        let name = path == "-" ? "standard input" : path
        do {
            guard let object = try JSONReader.parse(bytes).objectValue else {
                throw CommandFailure("\(name) holds no JSON object")
            }
            return object
        } catch let failure as JSONReader.Failure {
            throw CommandFailure("\(name) \(failure.text)")
        }
    }
}
