/// Collects the paths of the values that nodes read.
struct PathReader {
    private(set) var paths: [String] = []
    /// True if there are more than `limit` paths, of which `paths` has the first, or some that only rendering shows.
    private(set) var hasMore = false
    private var known: Set<String> = []
    /// Names that the template gives values to, with the path of that value. Nil is none.
    private var names: [String: String?] = ["forloop": nil, "tablerowloop": nil]

    /// Maximum paths that are kept.
    private static let limit = 1000
    /// Bytes of a path after which it gets no more names, and maximum bytes of a name in it. Each read of an alias makes
    /// a path of its own.
    private static let pathLimit = 255

    mutating func read(_ nodes: [Node]) {
        for node in nodes { read(node) }
    }

    private mutating func read(_ node: Node) {
        switch node {
        case .text, .leave, .skip: break
        case .output(let value): read(value)
        case .assign(let name, let value):
            let path = read(value.base)
            read(value.steps)
            names[name] = .some(value.steps.isEmpty ? path : nil)
        case .capture(let name, let body):
            read(body)
            names[name] = .some(nil)
        case .branches(let branches):
            for branch in branches {
                if let condition = branch.condition { read(condition) }
                read(branch.body)
            }
        case .choice(let value, let branches):
            read(value)
            for branch in branches {
                for option in branch.options ?? [] { read(option) }
                read(branch.body)
            }
        case .loop(let loop, _), .rows(let loop, _):
            let path = read(loop.list)
            for expression in [loop.limit, loop.columns].compactMap({ $0 }) { read(expression) }
            if case .value(let offset) = loop.offset { read(offset) }
            let outer = names[loop.variable]
            names[loop.variable] = .some(path)
            read(loop.body)
            names[loop.variable] = outer
            read(loop.otherwise)
        case .changed(let body): read(body)
        case .cycle(let group, let texts):
            read(group)
            for text in texts { read(text) }
        case .count(let name, _): names[name] = .some(nil)
        }
    }

    private mutating func read(_ value: Filtered) {
        read(value.base)
        read(value.steps)
    }

    private mutating func read(_ steps: [Filtered.Step]) {
        for step in steps { for argument in step.arguments + [step.named].compactMap({ $0 }) { read(argument) } }
    }

    private mutating func read(_ condition: Condition) {
        switch condition {
        case .truth(let value): read(value)
        case .not(let inner): read(inner)
        case .both(let one, let other), .either(let one, let other):
            read(one)
            read(other)
        case .comparison(let one, _, let other):
            read(one)
            read(other)
        }
    }

    /// The path, if the value has one.
    @discardableResult
    private mutating func read(_ expression: Expression) -> String? {
        let name: String
        let accessors: [Accessor]
        switch expression {
        case .literal: return nil
        case .range(let first, let last):
            read(first)
            read(last)
            return nil
        case .indirect(let root, let more):
            // Any value could be meant.
            hasMore = true
            read(root)
            for case .index(let index) in more { read(index) }
            return nil
        case .path(let root, let more): (name, accessors) = (root, more)
        }
        var path = names[name] ?? name
        for accessor in accessors {
            switch accessor {
            case .member(let name), .index(.literal(.text(let name, _))): path = path.map { Self.path($0, name) }
            case .index(.literal(.number)): break
            case .index(let index):
                read(index)
                // The member is known only when the template is rendered.
                if let path { add(path) }
                path = nil
            }
        }
        if let path { add(path) }
        return path
    }

    private static func path(_ path: String, _ name: String) -> String {
        guard path.utf8.count <= pathLimit else { return path }
        let isShort = name.utf8.count <= pathLimit
        return path + "." + (isShort ? name : String(decoding: name.utf8.prefix(pathLimit), as: UTF8.self))
    }

    private mutating func add(_ path: String) {
        guard !known.contains(path) else { return }
        guard paths.count < Self.limit else {
            hasMore = true
            return
        }
        known.insert(path)
        paths.append(path)
    }
}
