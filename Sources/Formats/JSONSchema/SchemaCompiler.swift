import Primitives

/// Compiles a schema to a list of subschemas that refer to each other by index, so that references cost nothing and
/// cycles are edges of a graph.
struct SchemaCompiler {
    private(set) var subschemas: [Subschema] = []
    private(set) var referenced: Set<Int> = []
    private(set) var constants = EqualityClasses()
    /// Indexes of the subschemas, and their paths. Pointers are written only for faults: below a long name, the
    /// pointers of all subschemas would be many times the schema's size.
    private var places: [Step: Int] = [:]
    private var paths: [SchemaPath] = []
    private var references: [(owner: Int, path: SchemaPath, target: String)] = []
    private(set) var weight = JSONSchema.Weight()
    private(set) var unusable: JSONSchema.Failure?
    private let patterns: any PatternCompiler

    private struct Step: Hashable {
        let parent: Int
        let names: [String]
    }

    init(_ patterns: any PatternCompiler) { self.patterns = patterns }

    mutating func compile(_ schema: JSONValue) throws(JSONSchema.Failure) {
        _ = try add(schema, at: SchemaPath(), depth: 0)
        try resolveReferences()
        try boundChains()
    }

    private mutating func add(_ schema: JSONValue, at path: SchemaPath, depth: Int) throws(JSONSchema.Failure) -> Int {
        func failure(_ reason: String) -> JSONSchema.Failure {
            .init(pointer: path.pointer, keyword: nil, reason: reason)
        }
        guard depth <= JSONSchema.depthLimit else {
            throw failure("is nested deeper than \(JSONSchema.depthLimit) schemas")
        }
        guard subschemas.count < JSONSchema.subschemaLimit else {
            throw failure("is one schema too many; at most \(JSONSchema.subschemaLimit) are accepted")
        }
        let place = subschemas.count
        subschemas.append(.always)
        paths.append(path)
        switch schema {
        case .bool(let accepts): subschemas[place] = accepts ? .always : .never
        case .object(let object):
            var context = Context(path: path, place: place, depth: depth)
            for (name, value) in object {
                guard let keyword = Keyword(rawValue: name) else {
                    throw context.failure(name, Keyword.refusal(of: name) ?? "is not a keyword of draft 2020-12")
                }
                context.values[keyword] = value
            }
            var rules: [Rule] = []
            for keyword in Keyword.allCases {
                guard let value = context.values[keyword] else { continue }
                if let rule = try self.rule(keyword, value, context) { rules.append(rule) }
            }
            subschemas[place] = .rules(rules)
        default: throw failure("must be an object or a boolean")
        }
        return place
    }

    // MARK: Parts of rules, for `SchemaCompiler+Keywords.swift`

    /// Context of the schema that is being compiled.
    struct Context {
        let path: SchemaPath
        let place: Int
        let depth: Int
        var values: [Keyword: JSONValue] = [:]

        func pointer(to steps: [String]) -> String { path.appending(steps).pointer }

        func failure(_ keyword: String, _ reason: String) -> JSONSchema.Failure {
            .init(pointer: pointer(to: [keyword]), keyword: keyword, reason: reason)
        }
    }

    mutating func subschema(_ value: JSONValue, at steps: String..., in context: Context) throws(JSONSchema.Failure)
        -> Int
    {
        let place = try add(value, at: context.path.appending(steps), depth: context.depth + 1)
        places[Step(parent: context.place, names: steps)] = place
        return place
    }

    mutating func equalityClass(of constant: JSONValue) -> Int? {
        let instance = Instance(constant, classes: &constants)
        guard instance.refusal == nil else { return nil }
        return instance.nodes[0].equalityClass
    }

    mutating func pattern(_ source: String) throws(Pattern.Failure) -> SchemaPattern {
        guard weight.patterns < JSONSchema.patternLimit else {
            throw .init(reason: "is one pattern too many; a schema may have \(JSONSchema.patternLimit)")
        }
        let pattern = try Pattern(source)
        guard weight.instructions + pattern.weight <= Pattern.weightLimit else { throw .tooLarge }
        weight += JSONSchema.Weight(patterns: 1, instructions: pattern.weight)
        return SchemaPattern(source: source, compiled: try patterns.compile(pattern))
    }

    mutating func noteUnusable(_ failure: JSONSchema.Failure) { unusable = unusable ?? failure }

    mutating func refer(to target: String, from context: Context) {
        references.append((context.place, context.path, target))
    }

    // MARK: References

    private mutating func resolveReferences() throws(JSONSchema.Failure) {
        for reference in references {
            func failure(_ reason: String) -> JSONSchema.Failure {
                .init(pointer: reference.path.appending(["$ref"]).pointer, keyword: "$ref", reason: reason)
            }
            guard let steps = JSONPointer.steps(fragment: reference.target) else {
                throw failure("must be # or begin with #/, a JSON Pointer into this schema")
            }
            guard let place = place(after: steps) else { throw failure("points to no schema here") }
            guard case .rules(let rules) = subschemas[reference.owner] else { continue }
            subschemas[reference.owner] = .rules([.reference(place)] + rules)
            referenced.insert(place)
        }
    }

    /// Finds a subschema. It is one step below its parent (a keyword) or two (a keyword with a name or an index); no
    /// keyword allows both.
    private func place(after steps: [String]) -> Int? {
        var place = 0
        var rest = steps[...]
        while !rest.isEmpty {
            let next = [1, 2].lazy.compactMap { [places] count in
                places[Step(parent: place, names: Array(rest.prefix(count)))].map { ($0, count) }
            }.first
            guard let (below, count) = next else { return nil }
            place = below
            rest = rest.dropFirst(count)
        }
        return place
    }

    /// Refuses schemas that refer to themselves for the same value, which would never end, and chains of such steps
    /// that would need too much stack.
    private func boundChains() throws(JSONSchema.Failure) {
        var lengths = [Int?](repeating: nil, count: subschemas.count)
        for place in subschemas.indices { _ = try chainLength(from: place, above: [], &lengths) }
    }

    private func chainLength(from place: Int, above: [Int], _ lengths: inout [Int?]) throws(JSONSchema.Failure) -> Int {
        func failure(_ reason: String) -> JSONSchema.Failure {
            .init(pointer: paths[place].pointer, keyword: "$ref", reason: reason)
        }
        if above.contains(place) { throw failure("leads back to itself without going into the value") }
        let tooLong = "is in a chain of more than \(JSONSchema.chainLimit) schemas for one value"
        guard above.count <= JSONSchema.chainLimit else { throw failure(tooLong) }
        if let length = lengths[place] { return length }
        var longest = 0
        if case .rules(let rules) = subschemas[place] {
            for next in rules.flatMap(\.inPlace) {
                longest = max(longest, 1 + (try chainLength(from: next, above: above + [place], &lengths)))
            }
        }
        guard longest <= JSONSchema.chainLimit else { throw failure(tooLong) }
        lengths[place] = longest
        return longest
    }
}

/// Path to a subschema, which shares its parents' steps with its siblings.
final class SchemaPath {
    private let parent: SchemaPath?
    private let steps: [String]

    /// Path of the root.
    convenience init() { self.init(parent: nil, steps: []) }

    private init(parent: SchemaPath?, steps: [String]) {
        self.parent = parent
        self.steps = steps
    }

    var isRoot: Bool { parent == nil }

    func appending(_ steps: [String]) -> SchemaPath { SchemaPath(parent: self, steps: steps) }

    /// The whole pointer, as long as all its names together.
    var pointer: String { (parent?.pointer ?? "") + steps.map { "/" + JSONPointer.escaped($0) }.joined() }
}

extension Rule {
    /// Subschemas that apply to the same value.
    fileprivate var inPlace: [Int] {
        switch self {
        case .reference(let target): [target]
        case .allOf(let branches), .anyOf(let branches), .exactlyOneOf(let branches): branches
        case .not(let subschema): [subschema]
        case .condition(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap(\.self)
        case .dependentSchemas(let dependencies): dependencies.map(\.subschema)
        default: []
        }
    }
}
