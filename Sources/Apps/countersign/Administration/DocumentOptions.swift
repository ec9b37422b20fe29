import Primitives
import Terminal

/// Options that say what an object is: one for each common member, `--set` for any, `--file` for a whole document.
struct DocumentOptions: Sendable {
    private let members: [Option<String?>]
    private let set: Option<[String]>
    private let file: Option<String?>

    init(members: [(name: String, help: String)]) {
        self.members = members.map { member in
            .optional(
                member.name.replacing("_", with: "-"), .string.placeholder("TEXT"), member.help)
        }
        set = .repeated(
            "set", .string.placeholder("NAME=VALUE"),
            "Any member of the document. The value is read as JSON where it is some, and as a text otherwise.")
        file = .optional(
            "file", short: "f", .string.placeholder("FILE"),
            "A JSON object with further members; - reads it from standard input.")
    }

    var declarations: [OptionDeclaration] {
        members.map(\.declaration) + [set.declaration, file.declaration]
    }

    /// The file's members, over them those of `--set`, and over them those with an option of their own.
    func read(_ invocation: Invocation) throws -> JSONObject {
        var document: JSONObject = try invocation[file].map(Self.object) ?? [:]
        for text in try invocation[set] {
            guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
                throw UsageError("--set \(text) names no member", hint: "write --set name=value")
            }
            let value = String(text[text.index(after: equals)...])
            document[String(text[..<equals])] = (try? JSONReader.parse(value)) ?? .string(value)
        }
        for option in members {
            if let text = try invocation[option] {
                document[option.declaration.name.replacing("-", with: "_")] = .string(text)
            }
        }
        return document
    }

    private static func object(in path: String) throws -> JSONObject {
        let bytes = try readFile(path)
        do {
            guard let object = try JSONReader.parse(bytes).objectValue else {
                throw CommandFailure("\(path) holds no JSON object")
            }
            return object
        } catch let failure as JSONReader.Failure {
            throw CommandFailure("\(path) is not valid JSON: \(failure)")
        }
    }
}
