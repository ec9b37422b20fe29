package import Primitives

/// Labels, order and formats that schemas declare for people who read a value.
///
/// Walks value and schema together and collects the annotations of the members that the value has: `title`,
/// `description`, `format`, `x-order` and `x-translations`, in `properties` and `items`, and in the schemas that `$ref`
/// and `allOf` add, and `x-headline` and `x-groupable` of the whole. The value is not validated. The texts are the tenant's, and are to be shown as plain text.
package enum SchemaPresentation {
    /// Maximum bytes of all nodes together, as JSON.
    package static let byteLimit = 16_384
    /// Maximum steps, about one for each name that is compared.
    static let stepLimit = 100_000

    /// A node for each value. A value whose schema declares nothing, or is nil, has an empty node. Empty if all nodes
    /// are, or if they need more steps or bytes than the limits: then the values are shown as they are.
    package static func nodes(_ values: [(value: JSONObject, schema: JSONValue?)]) -> [JSONObject] {
        var budget = PresentationBudget()
        var nodes: [JSONObject] = []
        for (value, schema) in values {
            guard let schema else {
                nodes.append([:])
                continue
            }
            var walk = PresentationWalk(root: schema, budget: budget)
            guard let node = try? walk.node(of: [.object(value)], under: [schema], depth: 0).node else { return [] }
            nodes.append(node)
            budget = walk.budget
        }
        guard nodes.contains(where: { !$0.isEmpty }) else { return [] }
        // Names of members and escapes take more bytes than the walk counted.
        return JSONWriter.bytes(.array(nodes.map(JSONValue.object))).count <= byteLimit ? nodes : []
    }
}

private struct PresentationBudget {
    struct Exceeded: Error {}

    private var steps = SchemaPresentation.stepLimit
    private var bytes = SchemaPresentation.byteLimit

    /// Must be called before the work.
    mutating func spend(_ count: Int) throws(Exceeded) {
        guard count <= steps else { throw Exceeded() }
        steps -= count
    }

    mutating func spend(bytes text: String) throws(Exceeded) {
        guard text.utf8.count <= bytes else { throw Exceeded() }
        bytes -= text.utf8.count
    }
}

private struct PresentationWalk {
    typealias Exceeded = PresentationBudget.Exceeded

    /// The whole schema, which references point into.
    let root: JSONValue
    var budget: PresentationBudget

    /// - Parameters:
    ///   - values: All values at the same place, such as those of one member in all elements of an array.
    ///   - schemas: Schemas that apply there.
    /// - Returns: The node, and the place's `x-order`.
    mutating func node(
        of values: [JSONValue], under schemas: [JSONValue], depth: Int
    ) throws(Exceeded) -> (node: JSONObject, order: Double?) {
        guard depth <= Instance.depthLimit else { return ([:], nil) }
        var applying: [JSONObject] = []
        for schema in schemas { try collect(schema, chain: 0, &applying) }
        var node = JSONObject()
        try add("title", as: "label", and: "labels", from: applying, to: &node)
        try add("description", as: "description", and: "descriptions", from: applying, to: &node)
        if let format = applying.lazy.compactMap({ $0["format"]?.stringValue }).first {
            try budget.spend(bytes: format)
            node["format"] = .string(format)
        }
        if depth == 0 { try addHeadline(from: applying, to: &node) }
        try addMembers(of: values.compactMap(\.objectValue), applying, depth, to: &node)
        try addItems(of: values.compactMap(\.arrayValue), applying, depth, to: &node)
        return (node, applying.lazy.compactMap { $0[Keyword.order.rawValue]?.doubleValue }.first)
    }

    /// Adds a schema and those that it adds for the same value, the nearest first.
    private mutating func collect(
        _ schema: JSONValue, chain: Int, _ applying: inout [JSONObject]
    ) throws(Exceeded) {
        guard chain <= JSONSchema.chainLimit, let object = schema.objectValue else { return }
        try budget.spend(object.count + 1)
        applying.append(object)
        if let reference = object[Keyword.ref.rawValue]?.stringValue, let target = try target(of: reference) {
            try collect(target, chain: chain + 1, &applying)
        }
        for branch in object[Keyword.allOf.rawValue]?.arrayValue ?? [] {
            try collect(branch, chain: chain + 1, &applying)
        }
    }

    private mutating func target(of reference: String) throws(Exceeded) -> JSONValue? {
        try budget.spend(reference.utf8.count)
        guard let steps = JSONPointer.steps(fragment: reference) else { return nil }
        var place = root
        for step in steps {
            switch place {
            case .object(let object):
                try budget.spend(object.count)
                guard let next = object[step] else { return nil }
                place = next
            case .array(let elements):
                guard let index = Int(step), elements.indices.contains(index) else { return nil }
                place = elements[index]
            default: return nil
            }
        }
        return place
    }

    /// Adds a text and its translations. The nearest schema that has either gives both: translations of another
    /// schema's text would say something else.
    private mutating func add(
        _ keyword: String, as name: String, and translated: String, from applying: [JSONObject],
        to node: inout JSONObject
    ) throws(Exceeded) {
        for schema in applying {
            let text = schema[keyword]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
            var translations = JSONObject()
            for (language, texts) in schema[Keyword.translations.rawValue]?.objectValue ?? [:] {
                try budget.spend(translations.count + 1)
                guard let text = texts[keyword]?.stringValue, !text.isEmpty else { continue }
                try budget.spend(bytes: language)
                try budget.spend(bytes: text)
                translations[language] = .string(text)
            }
            guard text != nil || !translations.isEmpty else { continue }
            if let text {
                try budget.spend(bytes: text)
                node[name] = .string(text)
            }
            if !translations.isEmpty { node[translated] = .object(translations) }
            return
        }
    }

    private mutating func addHeadline(from applying: [JSONObject], to node: inout JSONObject) throws(Exceeded) {
        if let names = applying.lazy.compactMap({ $0[Keyword.headline.rawValue]?.stringsValue }).first {
            for name in names { try budget.spend(bytes: name) }
            node["headline"] = JSONValue(names)
        }
        if let flag = applying.lazy.compactMap({ $0[Keyword.groupable.rawValue]?.boolValue }).first {
            node["groupable"] = .bool(flag)
        }
    }

    private mutating func addMembers(
        of objects: [JSONObject], _ applying: [JSONObject], _ depth: Int, to node: inout JSONObject
    ) throws(Exceeded) {
        let properties = applying.compactMap { $0[Keyword.properties.rawValue]?.objectValue }
        guard !properties.isEmpty else { return }
        var names: [String] = []
        var values: [String: [JSONValue]] = [:]
        for object in objects {
            try budget.spend(object.count)
            for (name, value) in object {
                if values[name] == nil { names.append(name) }
                values[name, default: []].append(value)
            }
        }
        var members = JSONObject()
        var ordered: [(name: String, order: Double)] = []
        for name in names {
            try budget.spend(properties.reduce(members.count) { $0 + $1.count })
            let schemas = properties.compactMap { $0[name] }
            guard !schemas.isEmpty else { continue }
            let (member, order) = try self.node(of: values[name] ?? [], under: schemas, depth: depth + 1)
            if let order {
                try budget.spend(bytes: name)
                ordered.append((name, order))
            }
            guard !member.isEmpty else { continue }
            try budget.spend(bytes: name)
            members[name] = .object(member)
        }
        if !ordered.isEmpty {
            // Equal numbers keep the order of the value.
            let sorted = ordered.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
            node["order"] = JSONValue(sorted.map(\.element.name))
        }
        if !members.isEmpty { node["members"] = .object(members) }
    }

    /// One node for all elements: they share their schema.
    private mutating func addItems(
        of arrays: [[JSONValue]], _ applying: [JSONObject], _ depth: Int, to node: inout JSONObject
    ) throws(Exceeded) {
        let schemas = applying.compactMap { $0[Keyword.items.rawValue] }
        let elements = Array(arrays.joined())
        guard !schemas.isEmpty, !elements.isEmpty else { return }
        try budget.spend(elements.count)
        let items = try self.node(of: elements, under: schemas, depth: depth + 1).node
        if !items.isEmpty { node["items"] = .object(items) }
    }
}
