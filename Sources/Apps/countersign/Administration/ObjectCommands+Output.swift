import Primitives
import Terminal

/// Output and confirmation of the administration commands.
extension ObjectCommands {
    static let json = Option<Bool>.flag("json", "Print JSON.")
    static let limit = Option<Int?>.optional(
        "limit", .integer(1...Int(Int32.max)), defaultText: "all of them", "Maximum number.")
    static let yes = Option<Bool>.flag("yes", "Do not ask for confirmation. Required without a terminal.")

    /// Throws unless `--yes` is given or a person at the terminal agrees. `what` names what is deleted.
    static func confirmDeletion(of what: String, _ invocation: Invocation) async throws {
        guard try !invocation[yes] else { return }
        switch await invocation.output.confirm("Delete \(what) for good?", default: false) {
        case true?: return
        case false?: throw CommandFailure("nothing was deleted")
        case nil:
            throw CommandFailure(
                "\(what) would be deleted for good", hint: "confirm with --yes if there is no terminal")
        }
    }

    /// Prints the value with `--json`, or else the lines.
    static func print(_ value: JSONValue, _ lines: [Text], _ invocation: Invocation) throws {
        if try invocation[json] { invocation.output.json(value) } else { invocation.output.lines(lines) }
    }

    static func printDeleted(_ id: String, _ invocation: Invocation) throws {
        try print(["deleted": .string(id)], ["deleted \(id)"], invocation)
    }

    static func print(_ object: JSONObject, details: [Detail] = [], _ invocation: Invocation) throws {
        if try invocation[json] {
            var object = object
            for detail in details { object[detail.name] = detail.json }
            invocation.output.json(.object(object))
        } else {
            let replaced = details.compactMap(\.replaces) + details.map(\.name)
            var rows = object.filter { !replaced.contains($0.name) }
                .map { (name: $0.name, value: Text(text($0.value))) }
            for detail in details {
                rows += detail.lines.enumerated().map { ($0.offset == 0 ? detail.name : "", Text($0.element)) }
            }
            invocation.output.fields(rows)
        }
    }

    /// Notes on standard error if the listing is incomplete.
    static func print(
        _ listing: Listing, columns: KeyValuePairs<String, String>, _ invocation: Invocation
    ) throws {
        let objects = listing.objects
        if try invocation[json] {
            invocation.output.json(.array(objects.map(JSONValue.object)))
        } else {
            invocation.output.table(Table(objects, columns: columns))
        }
        if objects.count < listing.total { invocation.output.note("\(objects.count) of \(listing.total) shown") }
    }

    /// Formats a value for people: texts without quotes, lists with commas.
    fileprivate static func text(_ value: JSONValue?) -> String {
        switch value {
        case nil, .null: ""
        case .string(let text): text
        case .array(let list) where list.allSatisfy({ $0.stringValue != nil }):
            list.compactMap(\.stringValue).joined(separator: ", ")
        case .some(let other): JSONWriter.string(other)
        }
    }
}

extension Table {
    /// `columns` are headings, each with a member of the documents.
    init(_ documents: [JSONObject], columns: KeyValuePairs<String, String>) {
        self.init(
            columns.map(\.key),
            rows: documents.map { document in columns.map { Text(ObjectCommands.text(document[$0.value])) } })
    }
}
