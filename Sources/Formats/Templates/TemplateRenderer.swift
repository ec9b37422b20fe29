import Primitives

/// Renders nodes within the limits of steps and bytes.
struct TemplateRenderer {
    private(set) var output = ""
    private let format: Template.Format
    private let now: Timestamp
    private let source: String
    private var variables: [String: Variable] = [:]
    /// Bytes of all variables.
    private var held = 0
    private let values: JSONObject
    private var steps = 0

    init(_ values: JSONObject, _ format: Template.Format, now: Timestamp, source: String) {
        self.values = values
        self.format = format
        self.now = now
        self.source = source
    }

    private struct Variable {
        let value: TemplateValue
        /// 0 for a loop's own, whose storage is the list's.
        let size: Int
    }

    /// Way in which the rest of a loop's turn goes on.
    enum Flow { case onward, skip, leave }

    mutating func render(_ nodes: [Node]) throws(TemplateFailure) -> Flow {
        for node in nodes {
            let flow = try render(node)
            guard flow == .onward else { return flow }
        }
        return .onward
    }

    private mutating func render(_ node: Node) throws(TemplateFailure) -> Flow {
        try spend(1, at: 0)
        switch node {
        case .text(let text): try write(text)
        case .output(let filtered): try write(TemplateFilter.safe(try value(filtered), as: format))
        case .assign(let name, let filtered): try assign(name, try value(filtered))
        case .capture(let name, let body):
            let before = output
            output = ""
            let flow = try render(body)
            let captured = output
            output = before
            try assign(name, .markup(captured))
            return flow
        case .branches(let branches):
            for branch in branches {
                if let condition = branch.condition, !(try holds(condition)) { continue }
                return try render(branch.body)
            }
        case .loop(let loop, let offset): return try render(loop, at: offset)
        case .leave: return .leave
        case .skip: return .skip
        }
        return .onward
    }

    private mutating func write(_ text: String) throws(TemplateFailure) {
        guard output.utf8.count + text.utf8.count <= Template.outputLimit else {
            throw failure("the text becomes longer than \(Template.outputLimit) bytes", at: 0)
        }
        output += text
    }

    private mutating func assign(_ name: String, _ value: TemplateValue) throws(TemplateFailure) {
        set(name, Variable(value: value, size: value.size))
        guard held <= Template.variableLimit else {
            throw failure("the variables have more than \(Template.variableLimit) bytes", at: 0)
        }
    }

    private mutating func set(_ name: String, _ variable: Variable?) {
        held += (variable?.size ?? 0) - (variables[name]?.size ?? 0)
        variables[name] = variable
    }

    private func failure(_ problem: String, at offset: Int) -> TemplateFailure {
        TemplateFailure(problem, at: offset, in: source.utf8)
    }

    private mutating func spend(_ count: Int, at offset: Int) throws(TemplateFailure) {
        steps += count
        guard steps <= Template.stepLimit else {
            throw failure("rendering takes more than \(Template.stepLimit) steps", at: offset)
        }
    }

    /// A step for each 256 bytes of a value.
    private mutating func spend(on value: TemplateValue, at offset: Int) throws(TemplateFailure) {
        try spend(value.size / 256, at: offset)
    }

    // MARK: loops

    private mutating func render(_ loop: Node.Loop, at offset: Int) throws(TemplateFailure) -> Flow {
        var elements: [TemplateValue]
        switch loop.source {
        case .list(let expression):
            switch try value(expression, at: offset) {
            case .list(let list): elements = list
            case .object(let object):
                elements = object.map { .list([.text($0.name), TemplateValue($0.value)]) }
            default: elements = []
            }
        case .range(let first, let last):
            let first = try value(first, at: offset).int ?? 0
            let last = try value(last, at: offset).int ?? 0
            let count = max(last - first + 1, 0)
            try spend(count, at: offset)
            elements = (0..<count).map { .number(String(first + $0)) }
        }
        if let skipped = loop.offset {
            elements = Array(elements.dropFirst(max(try value(skipped, at: offset).int ?? 0, 0)))
        }
        if let limit = loop.limit {
            elements = Array(elements.prefix(max(try value(limit, at: offset).int ?? 0, 0)))
        }
        if loop.isReversed { elements.reverse() }
        if elements.isEmpty { return try render(loop.otherwise) }
        let (outerElement, outerLoop) = (variables[loop.variable], variables["forloop"])
        defer {
            set(loop.variable, outerElement)
            set("forloop", outerLoop)
        }
        for (index, element) in elements.enumerated() {
            try spend(1, at: offset)
            set(loop.variable, Variable(value: element, size: 0))
            let progress: JSONObject = [
                "index": .number(JSONNumber(index + 1)), "index0": .number(JSONNumber(index)),
                "rindex": .number(JSONNumber(elements.count - index)),
                "rindex0": .number(JSONNumber(elements.count - index - 1)),
                "first": .bool(index == 0), "last": .bool(index == elements.count - 1),
                "length": .number(JSONNumber(elements.count)),
            ]
            set("forloop", Variable(value: .object(progress), size: 0))
            if try render(loop.body) == .leave { break }
        }
        return .onward
    }

    // MARK: values

    private mutating func value(_ expression: Expression, at offset: Int) throws(TemplateFailure) -> TemplateValue {
        switch expression {
        case .literal(let value): return value
        case .path(let name, let accessors):
            if let json = values[name], variables[name] == nil {
                try spend(TemplateValue.size(of: json) / 256, at: offset)
            }
            var result = variables[name]?.value ?? values[name].map(TemplateValue.init) ?? .none
            for accessor in accessors {
                try spend(on: result, at: offset)
                switch accessor {
                case .member(let name): result = result.member(name)
                case .index(let index): result = result.element(try value(index, at: offset))
                }
            }
            return result
        }
    }

    private mutating func value(_ filtered: Filtered) throws(TemplateFailure) -> TemplateValue {
        var result = try value(filtered.base, at: filtered.steps.first?.offset ?? 0)
        for step in filtered.steps {
            var arguments: [TemplateValue] = []
            try spend(1, at: step.offset)
            try spend(on: result, at: step.offset)
            for argument in step.arguments {
                arguments.append(try value(argument, at: step.offset))
                try spend(on: arguments[arguments.count - 1], at: step.offset)
            }
            guard let next = step.filter.apply(result, arguments, as: format, now: now),
                next.size <= Template.outputLimit
            else {
                throw failure(
                    "the result has more than \(Template.outputLimit) bytes, or \(Template.elementLimit) elements",
                    at: step.offset)
            }
            try spend(on: next, at: step.offset)
            result = next
        }
        return result
    }

    // MARK: conditions

    private mutating func holds(_ condition: Condition) throws(TemplateFailure) -> Bool {
        switch condition {
        case .truth(let expression): return try value(expression, at: 0).isTrue
        case .not(let inner): return !(try holds(inner))
        case .both(let one, let other):
            guard try holds(one) else { return false }
            return try holds(other)
        case .either(let one, let other):
            guard !(try holds(one)) else { return true }
            return try holds(other)
        case .comparison(let left, let comparison, let right):
            return try compare(try value(left, at: 0), comparison, try value(right, at: 0))
        case .among(let expression, let options):
            let wanted = try value(expression, at: 0)
            for option in options where try compare(wanted, .equal, try value(option, at: 0)) { return true }
            return false
        }
    }

    private mutating func compare(
        _ left: TemplateValue, _ comparison: Condition.Comparison, _ right: TemplateValue
    ) throws(TemplateFailure) -> Bool {
        try spend(1, at: 0)
        try spend(on: left, at: 0)
        try spend(on: right, at: 0)
        switch comparison {
        case .equal: return TemplateValue.areEqual(left, right)
        case .unequal, .alsoUnequal: return !TemplateValue.areEqual(left, right)
        case .contains: return left.contains(right)
        case .less, .greater, .notGreater, .notLess:
            guard let left = left.double, let right = right.double else { return false }
            return switch comparison {
            case .less: left < right
            case .greater: left > right
            case .notGreater: left <= right
            default: left >= right
            }
        }
    }
}
