import Primitives

/// A JSON Schema as types of a programming language say it. Rules that no type has, such as a pattern, are left out.
indirect enum SchemaShape: Sendable, Equatable {
    struct Member: Sendable, Equatable {
        let name: String
        let shape: SchemaShape
        let isRequired: Bool
        let text: String?
    }

    case any, text, number, integer, flag, null
    case literals([JSONValue])
    case list(SchemaShape)
    /// An object whose members have one shape and any names.
    case map(SchemaShape)
    /// A declared object, by its name in the module.
    case named(String)
    case union([SchemaShape])
}

/// All types of a module, with those below them first.
struct TypeModule: Sendable {
    struct Declaration: Sendable {
        let name: String
        let text: String?
        let members: [SchemaShape.Member]
    }

    private(set) var declarations: [Declaration] = []
    /// Names of the types of details.
    private(set) var details: [String] = []
    private var names: Set<String> = ["AuthorizationDetail", "Any", "Literal", "TypedDict", "Union"]

    /// Adds a type of authorization details.
    mutating func add(_ type: String, schema: JSONValue?) {
        let name = free(type)
        var reader = SchemaReader(root: schema ?? [:], prefix: name)
        let members = reader.members(of: schema ?? [:], below: name, &self)
        let own = SchemaShape.Member(name: "type", shape: .literals([.string(type)]), isRequired: true, text: nil)
        declarations.append(
            Declaration(
                name: name, text: SchemaReader.text(schema ?? [:]),
                members: [own] + members.filter { $0.name != "type" }))
        details.append(name)
    }

    /// `money_transfer` as `MoneyTransfer`, and with a number if that is taken.
    fileprivate mutating func free(_ text: String) -> String {
        let words = text.unicodeScalars.split { !($0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0)) }
        let joined = words.map { String($0).prefix(1).uppercased() + String($0).dropFirst() }.joined()
        let base = joined.first.map { $0.isNumber ? "Type\(joined)" : joined } ?? "Type"
        var (name, number) = (base, 1)
        while names.contains(name) {
            number += 1
            name = "\(base)\(number)"
        }
        names.insert(name)
        return name
    }

    fileprivate mutating func declare(_ declaration: Declaration) { declarations.append(declaration) }
}

private struct SchemaReader {
    let root: JSONValue
    let prefix: String
    /// Objects of `$defs`, by their references.
    private var references: [String: SchemaShape] = [:]

    init(root: JSONValue, prefix: String) { (self.root, self.prefix) = (root, prefix) }

    static func text(_ schema: JSONValue) -> String? {
        let parts = [schema["title"], schema["description"]].compactMap { $0?.stringValue }
        return parts.isEmpty ? nil : parts.joined(separator: ": ")
    }

    mutating func members(of schema: JSONValue, below name: String, _ module: inout TypeModule) -> [SchemaShape.Member]
    {
        var members: [SchemaShape.Member] = []
        var required = Set(schema["required"]?.stringsValue ?? [])
        for part in schema["allOf"]?.arrayValue ?? [] {
            required.formUnion(resolved(part)["required"]?.stringsValue ?? [])
        }
        for part in [schema] + (schema["allOf"]?.arrayValue ?? []).map(resolved) {
            for (member, inner) in part["properties"]?.objectValue ?? [:]
            where !members.contains(where: { $0.name == member }) {
                members.append(
                    SchemaShape.Member(
                        name: member, shape: shape(of: inner, name: "\(name) \(member)", &module),
                        isRequired: required.contains(member), text: Self.text(inner)))
            }
        }
        return members
    }

    private func resolved(_ schema: JSONValue) -> JSONValue {
        guard let reference = schema["$ref"]?.stringValue, reference.hasPrefix("#/$defs/") else { return schema }
        return root["$defs"]?[String(reference.dropFirst("#/$defs/".count))] ?? schema
    }

    private mutating func shape(of schema: JSONValue, name: String, _ module: inout TypeModule) -> SchemaShape {
        if let value = schema["const"] { return .literals([value]) }
        if let values = schema["enum"]?.arrayValue { return .literals(values) }
        if let reference = schema["$ref"]?.stringValue {
            if let known = references[reference] { return known }
            let target = resolved(schema)
            guard target != schema else { return .any }
            guard target["properties"] != nil else { return shape(of: target, name: name, &module) }
            let declared = module.free("\(prefix) \(reference.split(separator: "/").last ?? "")")
            references[reference] = .named(declared)
            declare(declared, target, &module)
            return .named(declared)
        }
        if let choices = (schema["anyOf"] ?? schema["oneOf"])?.arrayValue {
            return .union(choices.map { shape(of: $0, name: name, &module) })
        }
        if let types = schema["type"]?.stringsValue {
            return .union(types.map { self.shape($0, schema, name, &module) })
        }
        if let type = schema["type"]?.stringValue { return shape(type, schema, name, &module) }
        return schema["properties"] == nil ? .any : shape("object", schema, name, &module)
    }

    private mutating func shape(
        _ type: String, _ schema: JSONValue, _ name: String, _ module: inout TypeModule
    ) -> SchemaShape {
        switch type {
        case "string": return .text
        case "number": return .number
        case "integer": return .integer
        case "boolean": return .flag
        case "null": return .null
        case "array": return .list(schema["items"].map { shape(of: $0, name: "\(name) item", &module) } ?? .any)
        case "object":
            guard schema["properties"] != nil || schema["allOf"] != nil else {
                let further = schema["additionalProperties"]
                return .map(further?.objectValue == nil ? .any : shape(of: further ?? .null, name: name, &module))
            }
            let declared = module.free(name)
            declare(declared, schema, &module)
            return .named(declared)
        default: return .any
        }
    }

    private mutating func declare(_ name: String, _ schema: JSONValue, _ module: inout TypeModule) {
        let members = members(of: schema, below: name, &module)
        module.declare(TypeModule.Declaration(name: name, text: Self.text(schema), members: members))
    }
}
