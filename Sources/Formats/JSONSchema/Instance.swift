import Primitives

/// A JSON value laid out for validation: numbers are read once, members are found by hash, and equal nodes share an
/// equality class, so that `enum` and `uniqueItems` compare integers.
struct Instance {
    /// Maximum nesting of objects and arrays, which also bounds the validator's stack.
    static let depthLimit = 32

    struct Node {
        var content: Content
        let parent: Int?
        /// Steps from the root.
        let depth: Int
        let step: Step
        var equalityClass: Int
    }

    /// The step from a node's parent to the node.
    enum Step {
        case root
        case member(String)
        case element(Int)
        /// The name of a member, which `propertyNames` checks.
        case name(String)
    }

    enum Content {
        case null
        case bool
        case number(ExactDecimal)
        case string(String)
        case array([Int])
        case object(Members)
    }

    /// Members by name. Compares names as `JSONObject` does, so that validation and later look-ups agree.
    struct Members {
        struct Member {
            let name: String
            let nameNode: Int
            let valueNode: Int
        }
        fileprivate(set) var list: [Member] = []
        fileprivate(set) var valueNodes: [String: Int] = [:]
    }

    private(set) var nodes: [Node] = []
    /// Reason to refuse the value before any rule is evaluated.
    private(set) var refusal: Finding?

    /// Lays out `value`, with node 0 as the root.
    init(_ value: JSONValue, classes: inout EqualityClasses) {
        _ = add(value, parent: nil, step: .root, depth: 0, &classes)
    }

    private mutating func add(
        _ value: JSONValue, parent: Int?, step: Step, depth: Int, _ classes: inout EqualityClasses
    ) -> Int {
        let node = nodes.count
        let level = parent.map { nodes[$0].depth + 1 } ?? 0
        nodes.append(Node(content: .null, parent: parent, depth: level, step: step, equalityClass: 0))
        let shape: EqualityClasses.Shape
        switch value {
        case .null: shape = .null
        case .bool(let value):
            nodes[node].content = .bool
            shape = .bool(value)
        case .number(let number):
            guard let value = ExactDecimal(number) else {
                refuse(Finding(node: node, keyword: .type, problem: .exponentTooLong))
                return node
            }
            nodes[node].content = .number(value)
            shape = .number(value)
        case .string(let text):
            nodes[node].content = .string(text)
            shape = .string(Array(text.utf8))
        case .array(let elements):
            guard depth < Self.depthLimit else {
                refuse(Finding(node: node, keyword: .type, problem: .tooDeep))
                return node
            }
            let children = elements.enumerated().map { index, element in
                add(element, parent: node, step: .element(index), depth: depth + 1, &classes)
            }
            nodes[node].content = .array(children)
            shape = .array(children.map { nodes[$0].equalityClass })
        case .object(let object):
            guard depth < Self.depthLimit else {
                refuse(Finding(node: node, keyword: .type, problem: .tooDeep))
                return node
            }
            shape = .object(addMembers(of: object, to: node, depth: depth, &classes))
        }
        nodes[node].equalityClass = classes.number(of: shape)
        return node
    }

    private mutating func addMembers(
        of object: JSONObject, to node: Int, depth: Int, _ classes: inout EqualityClasses
    ) -> [EqualityClasses.Pair] {
        var members = Members()
        for (name, value) in object {
            let nameNode = add(.string(name), parent: node, step: .name(name), depth: depth, &classes)
            let valueNode = add(value, parent: node, step: .member(name), depth: depth + 1, &classes)
            members.list.append(.init(name: name, nameNode: nameNode, valueNode: valueNode))
            members.valueNodes[name] = valueNode
        }
        let pairs = members.list.map { member in
            EqualityClasses.Pair(
                name: nodes[member.nameNode].equalityClass, value: nodes[member.valueNode].equalityClass)
        }
        nodes[node].content = .object(members)
        // The order of members does not matter for equality.
        return pairs.sorted { $0.name < $1.name }
    }

    private mutating func refuse(_ finding: Finding) { refusal = refusal ?? finding }

    func path(to node: Int) -> [Step] {
        sequence(first: node) { nodes[$0].parent }.map { nodes[$0].step }.dropLast().reversed()
    }
}

/// Numbers the classes of equal values (2020-12 Core 4.2.2): numbers by value, strings code point for code point,
/// objects in any order.
struct EqualityClasses: Sendable {
    enum Shape: Hashable, Sendable {
        case null
        case bool(Bool)
        case number(ExactDecimal)
        case string([UInt8])
        case array([Int])
        case object([Pair])
    }

    struct Pair: Hashable, Sendable {
        let name: Int
        let value: Int
    }

    /// Classes of a schema's constants, shared by all validations.
    private let known: [Shape: Int]
    private var added: [Shape: Int] = [:]

    init() { known = [:] }

    /// Continues after the classes of `base`, without copying them.
    init(extending base: EqualityClasses) { known = base.added }

    mutating func number(of shape: Shape) -> Int {
        if let number = known[shape] ?? added[shape] { return number }
        let number = known.count + added.count
        added[shape] = number
        return number
    }
}
