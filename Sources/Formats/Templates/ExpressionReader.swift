/// Reads the tokens of one markup.
struct ExpressionReader {
    /// Offset of the markup's inside.
    let start: Int
    private let source: [UInt8]
    private let tokens: [TemplateToken]
    private let end: Int
    private var position = 0
    private var depth = 0

    init(_ source: [UInt8], _ range: Range<Int>) throws(TemplateFailure) {
        self.source = source
        start = range.lowerBound
        end = range.upperBound
        tokens = try TemplateToken.all(of: source, in: range)
    }

    var isAtEnd: Bool { position == tokens.count }
    /// Offset of the next token.
    var offset: Int { isAtEnd ? end : tokens[position].offset }

    private func failure(_ problem: String) -> TemplateFailure { TemplateFailure(problem, at: offset, in: source) }

    private var next: TemplateToken.Kind? { isAtEnd ? nil : tokens[position].kind }

    mutating func take(_ symbol: String) -> Bool {
        guard next == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    mutating func take(word: String) -> Bool {
        guard next == .name(word) else { return false }
        position += 1
        return true
    }

    /// Takes a name and the colon after it.
    private mutating func take(label: String) -> Bool {
        guard next == .name(label), position + 1 < tokens.count, tokens[position + 1].kind == .symbol(":") else {
            return false
        }
        position += 2
        return true
    }

    mutating func expect(_ symbol: String) throws(TemplateFailure) {
        guard take(symbol) else { throw failure("\(symbol) is missing") }
    }

    mutating func name(_ role: String) throws(TemplateFailure) -> String {
        guard case .name(let name) = next else { throw failure("\(role) is missing") }
        position += 1
        return name
    }

    /// A variable's name, which may stand in quotation marks.
    mutating func variable() throws(TemplateFailure) -> String {
        if case .string(let name) = next, !name.isEmpty {
            position += 1
            return name
        }
        return try name("a variable")
    }

    func finish() throws(TemplateFailure) {
        guard isAtEnd else { throw failure("nothing may follow here") }
    }

    // MARK: expressions

    mutating func expression() throws(TemplateFailure) -> Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Template.depthLimit else {
            throw failure("brackets are nested more than \(Template.depthLimit) deep")
        }
        guard let token = next else { throw failure("a value is missing") }
        position += 1
        switch token {
        case .string(let text): return .literal(.text(text, .template))
        case .number(let literal): return .literal(.number(TemplateNumber(literal) ?? .whole(0)))
        case .name("true"): return .literal(.flag(true))
        case .name("false"): return .literal(.flag(false))
        case .name("nil"), .name("null"): return .literal(.none)
        case .name(let name):
            let accessors = try accessors()
            // Only a condition compares with them.
            let isNothing = accessors.isEmpty && (name == "empty" || name == "blank")
            return isNothing ? .literal(.text("", .template)) : .path(name, accessors)
        case .symbol("["):
            let name = try expression()
            try expect("]")
            if case .literal(.text(let name, _)) = name { return .path(name, try accessors()) }
            return .indirect(name, try accessors())
        case .symbol("("):
            let first = try expression()
            try expect("..")
            let last = try expression()
            try expect(")")
            return .range(first, last)
        case .symbol(let symbol):
            position -= 1
            throw failure("a value is missing before \(symbol)")
        }
    }

    /// An operand of a comparison, which may be `empty` or `blank`.
    mutating func operand() throws(TemplateFailure) -> Expression {
        let word = next
        switch (word, try expression()) {
        case (.name("empty"), .literal): return .literal(.empty)
        case (.name("blank"), .literal): return .literal(.blank)
        case (_, let expression): return expression
        }
    }

    private mutating func accessors() throws(TemplateFailure) -> [Accessor] {
        var accessors: [Accessor] = []
        while true {
            if take(".") {
                accessors.append(.member(try name("the name of a member")))
            } else if take("[") {
                accessors.append(.index(try expression()))
                try expect("]")
            } else {
                return accessors
            }
        }
    }

    mutating func filtered() throws(TemplateFailure) -> Filtered {
        if isAtEnd { return Filtered(base: .literal(.none), steps: []) }
        let base = try expression()
        var steps: [Filtered.Step] = []
        while take("|") {
            let offset = offset
            let name = try name("a filter")
            guard let filter = TemplateFilter(rawValue: name) else {
                let known = TemplateFilter.allCases.map(\.rawValue).joined(separator: ", ")
                throw TemplateFailure("the filter \(name) is not known; there are \(known)", at: offset, in: source)
            }
            var arguments: [Expression] = []
            var named: Expression?
            if take(":") {
                repeat {
                    if named == nil, let name = filter.namedArgument, take(label: name) {
                        named = try expression()
                    } else {
                        arguments.append(try expression())
                    }
                } while take(",")
            }
            guard filter.arguments.contains(arguments.count) else {
                throw TemplateFailure(
                    "the filter \(name) takes \(filter.arguments.spelled), not \(arguments.count)", at: offset,
                    in: source)
            }
            steps.append(Filtered.Step(filter: filter, arguments: arguments, named: named, offset: offset))
        }
        return Filtered(base: base, steps: steps)
    }

    /// `and` and `or` have no precedence: the rest of the condition is their right side, as in Liquid.
    mutating func condition() throws(TemplateFailure) -> Condition {
        var parts = [try comparison()]
        var joins: [String] = []
        while true {
            if take(word: "and") { joins.append("and") } else if take(word: "or") { joins.append("or") } else { break }
            parts.append(try comparison())
            guard parts.count <= Template.depthLimit else {
                throw failure("a condition has more than \(Template.depthLimit) parts")
            }
        }
        var condition = parts.removeLast()
        while let join = joins.popLast(), let left = parts.popLast() {
            condition = join == "and" ? .both(left, condition) : .either(left, condition)
        }
        return condition
    }

    private mutating func comparison() throws(TemplateFailure) -> Condition {
        let left = try operand()
        let comparison: Condition.Comparison? =
            switch next {
            case .symbol(let symbol): Condition.Comparison(rawValue: symbol)
            case .name("contains"): .contains
            default: nil
            }
        guard let comparison else { return .truth(left) }
        position += 1
        return .comparison(left, comparison, try operand())
    }
}

extension ClosedRange<Int> {
    fileprivate var spelled: String {
        if lowerBound == upperBound { return lowerBound == 1 ? "1 argument" : "\(lowerBound) arguments" }
        return "\(lowerBound) to \(upperBound) arguments"
    }
}
