import Primitives

/// Renders nodes within the limits of steps and bytes.
struct TemplateRenderer {
    private(set) var output = ""
    /// True if the output has text from outside.
    private var isOutside = false
    private var junction = TextJunction()
    private let format: Template.Format
    private let now: Timestamp
    private let source: String
    private var variables: [String: Variable] = [:]
    /// Bytes of all variables.
    private var held = 0
    private var values: Values
    /// Counters of the tags `increment` and `decrement`, and places within cycles.
    private var counters: [String: Int] = [:]
    private var cycles: [String: Int] = [:]
    private var steps = 0
    /// Offset of the last work that has one, for failures.
    private var place = 0

    init(_ values: JSONObject, own: TemplatePaths, _ format: Template.Format, now: Timestamp, source: String) {
        self.values = Values(values, own)
        self.format = format
        self.now = now
        self.source = source
    }

    private struct Variable {
        let value: TemplateValue
        /// 0 for a loop's own, whose storage is the list's.
        let size: Int
    }

    /// The given values, each made ready when it is first read.
    private struct Values {
        private let values: JSONObject
        private let own: TemplatePaths
        private var known: [String: TemplateValue] = [:]

        init(_ values: JSONObject, _ own: TemplatePaths) {
            self.values = values
            self.own = own
        }

        /// The value, and true if it was made ready now.
        mutating func value(_ name: String) -> (value: TemplateValue, isNew: Bool)? {
            if let value = known[name] { return (value, false) }
            guard let json = values[name] else { return nil }
            let value = TemplateValue(json, own: own.below(name))
            known[name] = value
            return (value, true)
        }
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
        case .text(let text): try write(.text(text, .template), at: 0)
        case .output(let filtered): try write(try value(filtered), at: filtered.offset)
        case .assign(let name, let filtered): try assign(name, try value(filtered))
        case .capture(let name, let body): return try capture(name, body)
        case .branches(let branches):
            for branch in branches {
                if let condition = branch.condition, !(try holds(condition)) { continue }
                return try render(branch.body)
            }
        case .loop(let loop, let offset): return try render(loop, at: offset)
        case .cycle(let group, let texts):
            let group = try value(group, at: 0).plain
            let place = cycles[group, default: 0]
            cycles[group] = place + 1
            try write(try value(texts[place % texts.count], at: 0), at: 0)
        case .count(let name, let step):
            let count = counters[name, default: 0]
            counters[name] = count + step
            // As in Liquid: incremented after it is written, and decremented before.
            try write(.number(String(min(count, count + step))), at: 0)
        case .leave: return .leave
        case .skip: return .skip
        }
        return .onward
    }

    private mutating func write(_ value: TemplateValue, at offset: Int) throws(TemplateFailure) {
        try spend(on: value, at: offset)
        let text = TemplateFilter.safe(value, as: format)
        try spend(text.utf8.count / Template.bytesOfStep, at: offset)
        guard output.utf8.count + text.utf8.count <= Template.outputLimit else {
            throw failure("the text becomes longer than \(Template.outputLimit) bytes", at: place)
        }
        guard !text.isEmpty else { return }
        let isOutside = value.isOutside
        output += junction.joined(text, isOutside: isOutside, as: format)
        self.isOutside = self.isOutside || isOutside
    }

    private mutating func capture(_ name: String, _ body: [Node]) throws(TemplateFailure) -> Flow {
        let outer = (output, isOutside, junction)
        (output, isOutside, junction) = ("", false, TextJunction())
        let flow = try render(body)
        let captured = TemplateValue.text(output, TemplateValue.Origin(isMarkup: true, isOutside: isOutside))
        (output, isOutside, junction) = outer
        try assign(name, captured)
        return flow
    }

    private mutating func assign(_ name: String, _ value: TemplateValue) throws(TemplateFailure) {
        set(name, Variable(value: value, size: value.size))
        guard held <= Template.variableLimit else {
            throw failure("the variables have more than \(Template.variableLimit) bytes", at: place)
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
        if offset > 0 { place = offset }
        guard steps <= Template.stepLimit else {
            throw failure("rendering takes more than \(Template.stepLimit) steps", at: place)
        }
    }

    /// The steps of work on a value. Text from outside is made visible when it is written, character by character.
    private mutating func spend(
        on value: TemplateValue, bytes: Int = Template.bytesOfStep, at offset: Int
    ) throws(TemplateFailure) {
        let isPlain =
            switch value {
            case .text(_, let origin): origin.isMarkup || !origin.isOutside
            case .list: false
            default: true
            }
        try spend(value.size / (isPlain ? bytes : min(bytes, Template.charactersOfStep)), at: offset)
    }

    // MARK: loops

    private mutating func render(_ loop: Node.Loop, at offset: Int) throws(TemplateFailure) -> Flow {
        var elements: LoopElements
        switch loop.source {
        case .list(let expression):
            elements = LoopElements(try value(expression, at: offset))
        case .range(let first, let last):
            elements = .numbers(
                from: try value(first, at: offset).int ?? 0, to: try value(last, at: offset).int ?? 0)
        }
        if let skipped = loop.offset { elements.dropFirst(try value(skipped, at: offset).int ?? 0) }
        if let limit = loop.limit { elements.keepFirst(try value(limit, at: offset).int ?? 0) }
        guard elements.count > 0 else { return try render(loop.otherwise) }
        let (outerElement, outerLoop) = (variables[loop.variable], variables["forloop"])
        defer {
            set(loop.variable, outerElement)
            set("forloop", outerLoop)
        }
        for index in 0..<elements.count {
            try spend(1, at: offset)
            let element = elements[loop.isReversed ? elements.count - 1 - index : index]
            set(loop.variable, Variable(value: element, size: 0))
            set("forloop", Variable(value: .turn(index, of: elements.count), size: 0))
            if try render(loop.body) == .leave { break }
        }
        return .onward
    }

    // MARK: values

    private mutating func value(_ expression: Expression, at offset: Int) throws(TemplateFailure) -> TemplateValue {
        switch expression {
        case .literal(let value):
            try spend(on: value, at: offset)
            return value
        case .path(let name, let accessors):
            var result = try root(name, at: offset)
            for accessor in accessors {
                try spend(1, at: offset)
                switch accessor {
                case .member("size"):
                    // Characters are counted.
                    try spend(on: result, bytes: Template.charactersOfStep, at: offset)
                    result = result.member("size")
                case .member(let name): result = result.member(name)
                case .index(let index):
                    let index = try value(index, at: offset)
                    // A name may be `size`, too.
                    if case .text = result { try spend(on: result, bytes: Template.charactersOfStep, at: offset) }
                    result = result.element(index)
                }
            }
            try spend(on: result, at: offset)
            return result
        }
    }

    private mutating func root(_ name: String, at offset: Int) throws(TemplateFailure) -> TemplateValue {
        try spend(1, at: offset)
        if let variable = variables[name] { return variable.value }
        if let counter = counters[name] { return .number(String(counter)) }
        guard let (value, isNew) = values.value(name) else { return .none }
        if isNew { try spend(on: value, at: offset) }
        return value
    }

    private mutating func value(_ filtered: Filtered) throws(TemplateFailure) -> TemplateValue {
        var result = try value(filtered.base, at: filtered.offset)
        for step in filtered.steps {
            var arguments: [TemplateValue] = []
            try spend(1, at: step.offset)
            try spend(on: result, bytes: step.filter.bytesOfStep, at: step.offset)
            for argument in step.arguments {
                arguments.append(try value(argument, at: step.offset))
                try spend(on: arguments[arguments.count - 1], bytes: step.filter.bytesOfStep, at: step.offset)
            }
            let call = TemplateFilter.Call(result, arguments, as: format, now: now)
            guard let next = step.filter.apply(call), next.size <= Template.outputLimit else {
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
        case .truth(let expression):
            try spend(1, at: 0)
            return try value(expression, at: 0).isTrue
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

/// Elements of a loop: a part of a list, of an object's members or of a row of numbers.
private struct LoopElements {
    private enum Source {
        case list([TemplateValue])
        case object(TemplateObject)
        case numbers(Int)
    }

    private let source: Source
    private var start = 0
    private(set) var count: Int

    /// Other values than lists and objects have no elements.
    init(_ value: TemplateValue) {
        switch value {
        case .list(let list): (source, count) = (.list(list.elements), list.elements.count)
        case .object(let object): (source, count) = (.object(object), object.names.count)
        default: (source, count) = (.list([]), 0)
        }
    }

    static func numbers(from first: Int, to last: Int) -> LoopElements {
        LoopElements(source: .numbers(first), count: max(last - first + 1, 0))
    }

    private init(source: Source, count: Int) {
        self.source = source
        self.count = count
    }

    mutating func dropFirst(_ number: Int) {
        let number = min(max(number, 0), count)
        start += number
        count -= number
    }

    mutating func keepFirst(_ number: Int) { count = min(max(number, 0), count) }

    subscript(index: Int) -> TemplateValue {
        switch source {
        case .list(let elements): elements[start + index]
        case .object(let object):
            .list(
                TemplateList([
                    .text(object.names[start + index], .outside), object[object.names[start + index]] ?? .none,
                ]))
        case .numbers(let first): .number(String(first + start + index))
        }
    }
}
