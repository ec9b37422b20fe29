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
    /// Variables of the loops around the current node, the innermost last. They hide others of their names.
    private var scopes: [[String: TemplateValue]] = []
    /// Turns of the loops `for` around the current node.
    private var turns: [TemplateTurn] = []
    /// Bytes of all variables.
    private var held = 0
    private var values: Values
    /// Counters of the tags `increment` and `decrement`, and places within cycles.
    private var counters: [String: Int] = [:]
    private var cycles: [String: Int] = [:]
    /// Elements up to the end of the last loop of each name.
    private var ends: [String: Int] = [:]
    /// Text of the last `ifchanged`.
    private var shown: String?
    private var steps = 0
    /// Offset of the last work that has one, for failures.
    var place = 0

    init(_ values: JSONObject, own: TemplatePaths, _ format: Template.Format, now: Timestamp, source: String) {
        self.values = Values(values, own)
        self.format = format
        self.now = now
        self.source = source
    }

    private struct Variable {
        let value: TemplateValue
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
        case .text(let text, _): try write(.text(text, .template), at: 0)
        case .output(let filtered): try write(try value(filtered), at: filtered.offset)
        case .assign(let name, let filtered): try assign(name, try value(filtered))
        case .capture(let name, let body):
            let (captured, flow) = try captured(body)
            try assign(name, captured)
            return flow
        case .changed(let body):
            let (captured, flow) = try captured(body)
            try spend(on: captured, at: 0)
            if shown != captured.plain { try write(captured, at: 0) }
            shown = captured.plain
            return flow
        case .branches(let branches):
            for branch in branches {
                if let condition = branch.condition, !(try holds(condition)) { continue }
                return try render(branch.body)
            }
        case .choice(let value, let branches): return try render(value, branches)
        case .loop(let loop, let offset): return try render(loop, at: offset)
        case .rows(let loop, let offset): return try renderRows(loop, at: offset)
        case .cycle(let group, let texts):
            let group = try value(group, at: 0).plain
            let place = cycles[group, default: 0]
            cycles[group] = place + 1 < texts.count ? place + 1 : 0
            // Cycles of one group may differ in length.
            if place < texts.count { try write(try value(texts[place], at: 0), at: 0) }
        case .count(let name, let step):
            let count = try counter(name)
            counters[name] = count + step
            // As in Liquid: incremented after it is written, and decremented before.
            try write(.count(min(count, count + step)), at: 0)
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

    private mutating func captured(_ body: [Node]) throws(TemplateFailure) -> (TemplateValue, Flow) {
        let outer = (output, isOutside, junction)
        (output, isOutside, junction) = ("", false, TextJunction())
        let flow = try render(body)
        let captured = TemplateValue.text(output, TemplateValue.Origin(isMarkup: true, isOutside: isOutside))
        (output, isOutside, junction) = outer
        return (captured, flow)
    }

    private mutating func render(
        _ expression: Expression, _ branches: [(options: [Expression]?, body: [Node])]
    ) throws(TemplateFailure) -> Flow {
        let wanted = try value(expression, at: 0)
        var isChosen = false
        for branch in branches {
            guard let options = branch.options else {
                guard !isChosen else { continue }
                let flow = try render(branch.body)
                guard flow == .onward else { return flow }
                continue
            }
            for option in options where try compare(wanted, .equal, try value(option, at: 0)) {
                isChosen = true
                let flow = try render(branch.body)
                guard flow == .onward else { return flow }
            }
        }
        return .onward
    }

    /// The counter, which begins with the given value of its name.
    private mutating func counter(_ name: String) throws(TemplateFailure) -> Int {
        if let counter = counters[name] { return counter }
        switch values.value(name)?.value {
        case nil, .some(.none): return 0
        case .number(let number): if let count = number.int { return count }
        default: break
        }
        throw failure("\(name.prefix(64)) is no whole number that can be counted", at: place)
    }

    private mutating func assign(_ name: String, _ value: TemplateValue) throws(TemplateFailure) {
        held += value.size - (variables[name]?.size ?? 0)
        variables[name] = Variable(value: value, size: value.size)
        guard held <= Template.variableLimit else {
            throw failure("the variables have more than \(Template.variableLimit) bytes", at: place)
        }
    }

    private func failure(_ problem: String, at offset: Int) -> TemplateFailure {
        TemplateFailure(problem, at: offset, in: source.utf8)
    }

    mutating func spend(_ count: Int, at offset: Int) throws(TemplateFailure) {
        steps += count
        if offset > 0 { place = offset }
        guard steps <= Template.stepLimit else {
            throw failure("rendering takes more than \(Template.stepLimit) steps", at: place)
        }
    }

    /// The steps of work on a value. Text from outside is made visible when it is written, character by character.
    mutating func spend(
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

    private mutating func elements(of loop: Node.Loop, at offset: Int) throws(TemplateFailure) -> LoopElements {
        var elements = LoopElements(try value(loop.list, at: offset))
        var start = 0
        switch loop.offset {
        case nil: break
        case .onward: start = ends[loop.name, default: 0]
        case .value(let expression): start = try integer(expression, at: offset) ?? 0
        }
        let limit =
            try loop.limit.map { expression throws(TemplateFailure) in try integer(expression, at: offset) } ?? nil
        elements.keep(from: start, limit: limit)
        ends[loop.name] = start + elements.count
        return elements
    }

    /// Nil for nil. Throws for other values that are no whole numbers.
    private mutating func integer(_ expression: Expression, at offset: Int) throws(TemplateFailure) -> Int? {
        let value = try value(expression, at: offset)
        if value.isNone { return nil }
        guard let integer = value.integer else { throw failure("a loop's number is no whole number", at: offset) }
        return integer
    }

    private mutating func render(_ loop: Node.Loop, at offset: Int) throws(TemplateFailure) -> Flow {
        let elements = try elements(of: loop, at: offset)
        guard elements.count > 0 else { return try render(loop.otherwise) }
        for index in 0..<elements.count {
            try spend(1, at: offset)
            let turn = TemplateTurn(
                name: loop.name, index: index, count: elements.count, outer: turns.last.map { [$0] } ?? [])
            turns.append(turn)
            let element = elements[loop.isReversed ? elements.count - 1 - index : index]
            scopes.append(Self.scope(loop.variable, element, "forloop", turn))
            let flow = try render(loop.body)
            scopes.removeLast()
            turns.removeLast()
            if flow == .leave { break }
        }
        return .onward
    }

    /// The element hides the turn if both have one name.
    private static func scope(
        _ variable: String, _ element: TemplateValue, _ loop: String, _ turn: TemplateTurn
    ) -> [String: TemplateValue] {
        var scope: [String: TemplateValue] = [loop: .turn(turn)]
        scope[variable] = element
        return scope
    }

    private mutating func renderRows(_ loop: Node.Loop, at offset: Int) throws(TemplateFailure) -> Flow {
        guard try value(loop.list, at: offset).isTrue else { return .onward }
        let elements = try elements(of: loop, at: offset)
        var columns = max(elements.count, 1)
        if let expression = loop.columns {
            let given = try value(expression, at: offset).number.truncated
            if given > 0 { columns = given }
        }
        try write(.text("<tr class=\"row1\">\n", .template), at: offset)
        for index in 0..<elements.count {
            try spend(1, at: offset)
            let turn = TemplateTurn(name: loop.name, index: index, count: elements.count, columns: columns)
            scopes.append(Self.scope(loop.variable, elements[index], "tablerowloop", turn))
            try write(.text("<td class=\"col\(index % columns + 1)\">", .template), at: offset)
            let flow = try render(loop.body)
            try write(.text("</td>", .template), at: offset)
            scopes.removeLast()
            if flow == .leave { break }
            if index % columns == columns - 1, index < elements.count - 1 {
                try write(.text("</tr>\n<tr class=\"row\(index / columns + 2)\">", .template), at: offset)
            }
        }
        try write(.text("</tr>\n", .template), at: offset)
        return .onward
    }

    // MARK: values

    mutating func value(_ expression: Expression, at offset: Int) throws(TemplateFailure) -> TemplateValue {
        switch expression {
        case .literal(let value):
            try spend(on: value, at: offset)
            return value
        case .path(let name, let accessors): return try value(name, accessors, at: offset)
        case .indirect(let expression, let accessors):
            return try value(try value(expression, at: offset).plain, accessors, at: offset)
        case .range(let first, let last):
            return .range(TemplateRange(first: try bound(first, at: offset), last: try bound(last, at: offset)))
        }
    }

    private mutating func bound(_ expression: Expression, at offset: Int) throws(TemplateFailure) -> Int {
        try value(expression, at: offset).number.truncated
    }

    private mutating func value(
        _ name: String, _ accessors: [Accessor], at offset: Int
    ) throws(TemplateFailure) -> TemplateValue {
        var result = try root(name, at: offset)
        for accessor in accessors {
            try spend(1, at: offset)
            switch accessor {
            case .member(let name):
                // Characters are counted.
                if name == "size" { try spend(on: result, bytes: Template.charactersOfStep, at: offset) }
                result = result.member(name)
            case .index(let index): result = result.element(try value(index, at: offset))
            }
        }
        try spend(on: result, at: offset)
        return result
    }

    private mutating func root(_ name: String, at offset: Int) throws(TemplateFailure) -> TemplateValue {
        try spend(1, at: offset)
        for scope in scopes.reversed() { if let value = scope[name] { return value } }
        if let variable = variables[name] { return variable.value }
        if let counter = counters[name] { return .count(counter) }
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
            if step.filter.takesElements, case .range(let range) = result {
                try spend(min(range.count, Template.elementLimit), at: step.offset)
            }
            for argument in step.arguments {
                arguments.append(try value(argument, at: step.offset))
                try spend(on: arguments[arguments.count - 1], bytes: step.filter.bytesOfStep, at: step.offset)
            }
            var named: TemplateValue?
            if let expression = step.named { named = try value(expression, at: step.offset) }
            let call = TemplateFilter.Call(result, arguments, named: named, as: format, now: now)
            result = try placed(at: step.offset) { () throws(TemplateFilter.Fault) in
                let next = try step.filter.apply(call)
                guard next.size <= Template.outputLimit else { throw .tooLong }
                return next
            }
            try spend(on: result, at: step.offset)
        }
        return result
    }

    /// The result of work that has no place of its own.
    func placed<Result>(
        at offset: Int, _ work: () throws(TemplateFilter.Fault) -> Result
    ) throws(TemplateFailure) -> Result {
        do throws(TemplateFilter.Fault) {
            return try work()
        } catch {
            switch error {
            case .tooLong:
                throw failure(
                    "the result has more than \(Template.outputLimit) bytes, or \(Template.elementLimit) elements",
                    at: offset)
            case .problem(let problem): throw failure(problem, at: offset)
            }
        }
    }
}
