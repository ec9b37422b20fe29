/// One run of a schema over a value.
struct Evaluation {
    let subschemas: [Subschema]
    let referenced: Set<Int>
    let instance: Instance

    private struct Visit: Hashable {
        let subschema: Int
        let node: Int
    }

    /// Findings of referenced schemas. Each pair of a schema and a node is evaluated once, so that a schema with many
    /// references does not take exponentially many steps.
    private var results: [Visit: Finding?] = [:]
    private(set) var budget: StepBudget

    init(subschemas: [Subschema], referenced: Set<Int>, instance: Instance, budget: StepBudget) {
        self.subschemas = subschemas
        self.referenced = referenced
        self.instance = instance
        self.budget = budget
    }

    /// Steps for laying out a node.
    private static let stepsPerNode = 30
    private static let stepsPerVisit = 30
    private static let stepsPerRule = 20

    /// Finds the first rule that the value breaks.
    mutating func run() throws(StepBudget.Exhausted) -> Finding? {
        try budget.spend(Self.stepsPerNode, times: instance.nodes.count)
        if let refusal = instance.refusal { return refusal }
        return try check(0, against: 0, via: .schema)
    }

    /// Finds the first rule of the subschema that the node breaks. `keyword` is the one that refers to the subschema.
    private mutating func check(
        _ subschema: Int, against node: Int, via keyword: Keyword
    ) throws(StepBudget.Exhausted) -> Finding? {
        try budget.spend(Self.stepsPerVisit)
        switch subschemas[subschema] {
        case .always: return nil
        case .never: return Finding(node: node, keyword: keyword, problem: .notAllowed)
        case .rules(let rules):
            guard referenced.contains(subschema) else { return try check(rules, against: node) }
            let visit = Visit(subschema: subschema, node: node)
            if let result = results[visit] { return result }
            let result = try check(rules, against: node)
            results[visit] = .some(result)
            return result
        }
    }

    private mutating func check(_ rules: [Rule], against node: Int) throws(StepBudget.Exhausted) -> Finding? {
        for rule in rules {
            try budget.spend(Self.stepsPerRule)
            if let finding = try checkInPlace(rule, against: node) { return finding }
        }
        return nil
    }

    private mutating func checkInPlace(_ rule: Rule, against node: Int) throws(StepBudget.Exhausted) -> Finding? {
        switch rule {
        case .reference(let target): return try check(target, against: node, via: .ref)
        case .allOf(let branches):
            for branch in branches {
                if let finding = try check(branch, against: node, via: .allOf) { return finding }
            }
            return nil
        case .anyOf(let branches):
            var findings: [Finding] = []
            for branch in branches {
                guard let finding = try check(branch, against: node, via: .anyOf) else { return nil }
                findings.append(finding)
            }
            return noneFits(findings, node: node, keyword: .anyOf)
        case .exactlyOneOf(let branches):
            var findings: [Finding?] = []
            for branch in branches { findings.append(try check(branch, against: node, via: .oneOf)) }
            let fitting = findings.indices.filter { findings[$0] == nil }
            if fitting.isEmpty { return noneFits(findings.compactMap(\.self), node: node, keyword: .oneOf) }
            guard fitting.count > 1 else { return nil }
            let problem = Problem.severalFit(fitting[0] + 1, fitting[1] + 1, of: branches.count)
            return Finding(node: node, keyword: .oneOf, problem: problem)
        case .not(let subschema):
            guard try check(subschema, against: node, via: .not) == nil else { return nil }
            return Finding(node: node, keyword: .not, problem: .excluded)
        case .condition(let condition, let then, let otherwise):
            let fits = try check(condition, against: node, via: .if) == nil
            guard let next = fits ? then : otherwise else { return nil }
            return try check(next, against: node, via: fits ? .then : .else)
        default:
            return try checkContent(rule, against: node)
        }
    }

    /// Reports the branch with the deepest finding, which was most likely meant.
    private func noneFits(_ findings: [Finding], node: Int, keyword: Keyword) -> Finding {
        var nearest = findings[0]
        for finding in findings.dropFirst() {
            if instance.nodes[finding.node].depth > instance.nodes[nearest.node].depth { nearest = finding }
        }
        if case .noneFits(_, let innermost) = nearest.problem { nearest = innermost }
        return Finding(node: node, keyword: keyword, problem: .noneFits(of: findings.count, nearest: nearest))
    }

    private mutating func checkContent(_ rule: Rule, against node: Int) throws(StepBudget.Exhausted) -> Finding? {
        let content = instance.nodes[node].content
        switch (rule, content) {
        case (.type(let types), _):
            guard !types.contains(where: { $0.includes(content) }) else { return nil }
            return Finding(node: node, keyword: .type, problem: .wrongType(types))
        case (.oneOf(let keyword, let classes, let values), _):
            guard !classes.contains(instance.nodes[node].equalityClass) else { return nil }
            return Finding(node: node, keyword: keyword, problem: .notOneOf(values))
        case (_, .number(let value)): return try check(rule, number: value, node: node)
        case (_, .string(let text)): return try check(rule, string: text, node: node)
        case (_, .array(let elements)): return try check(rule, array: elements, node: node)
        case (_, .object(let members)): return try check(rule, object: members, node: node)
        case (_, .null), (_, .bool): return nil
        }
    }

    private mutating func check(
        _ rule: Rule, number value: ExactDecimal, node: Int
    ) throws(StepBudget.Exhausted) -> Finding? {
        try budget.spend(value.digits.count)
        switch rule {
        case .limit(let keyword, let limit, let literal):
            let isWithin =
                switch keyword {
                case .minimum: value >= limit
                case .exclusiveMinimum: value > limit
                case .maximum: value <= limit
                default: value < limit
                }
            return isWithin ? nil : Finding(node: node, keyword: keyword, problem: .beyond(literal))
        case .multipleOf(let divisor, let literal):
            guard !divisor.divides(value) else { return nil }
            return Finding(node: node, keyword: .multipleOf, problem: .noMultiple(literal))
        default: return nil
        }
    }

    private mutating func check(_ rule: Rule, string text: String, node: Int) throws(StepBudget.Exhausted) -> Finding? {
        try budget.spend(text.utf8.count)
        switch rule {
        case .size(let keyword, let limit) where keyword == .minLength || keyword == .maxLength:
            return check(size: text.unicodeScalars.count, keyword, limit, node: node)
        case .pattern(let pattern):
            guard try !matches(pattern, text) else { return nil }
            return Finding(node: node, keyword: .pattern, problem: .noMatch(pattern.source))
        case .format(let format):
            // A format reads each byte a few times.
            try budget.spend(Self.stepsPerRule, times: text.utf8.count)
            guard !format.accepts(text) else { return nil }
            return Finding(node: node, keyword: .format, problem: .wrongFormat(format))
        default: return nil
        }
    }

    private mutating func matches(_ pattern: SchemaPattern, _ text: String) throws(StepBudget.Exhausted) -> Bool {
        try budget.spend(Self.stepsPerRule)
        try budget.spend(pattern.compiled.stepsPerByte, times: text.utf8.count + 1)
        return pattern.compiled.matches(text)
    }

    private func check(size: Int, _ keyword: Keyword, _ limit: Int, node: Int) -> Finding? {
        let isMinimum = keyword == .minLength || keyword == .minItems || keyword == .minProperties
        guard isMinimum ? size < limit : size > limit else { return nil }
        return Finding(node: node, keyword: keyword, problem: .wrongSize(limit))
    }

    private mutating func check(
        _ rule: Rule, array elements: [Int], node: Int
    ) throws(StepBudget.Exhausted) -> Finding? {
        switch rule {
        case .size(let keyword, let limit) where keyword == .minItems || keyword == .maxItems:
            return check(size: elements.count, keyword, limit, node: node)
        case .uniqueItems:
            try budget.spend(Self.stepsPerRule, times: elements.count)
            var first: [Int: Int] = [:]
            for (index, element) in elements.enumerated() {
                let equalityClass = instance.nodes[element].equalityClass
                if let earlier = first[equalityClass] {
                    return Finding(node: node, keyword: .uniqueItems, problem: .repeated(earlier, index))
                }
                first[equalityClass] = index
            }
            return nil
        case .elements(let prefix, let rest):
            for (subschema, element) in zip(prefix, elements) {
                if let finding = try check(subschema, against: element, via: .prefixItems) { return finding }
            }
            guard let rest else { return nil }
            for element in elements.dropFirst(prefix.count) {
                if let finding = try check(rest, against: element, via: .items) { return finding }
            }
            return nil
        case .contains(let subschema, let atLeast, let atMost):
            var count = 0
            for element in elements where try check(subschema, against: element, via: .contains) == nil { count += 1 }
            if count < atLeast {
                let keyword = atLeast == 1 ? Keyword.contains : .minContains
                return Finding(node: node, keyword: keyword, problem: .wrongFits(count, limit: atLeast))
            }
            guard let atMost, count > atMost else { return nil }
            return Finding(node: node, keyword: .maxContains, problem: .wrongFits(count, limit: atMost))
        default: return nil
        }
    }

    private mutating func check(
        _ rule: Rule, object: Instance.Members, node: Int
    ) throws(StepBudget.Exhausted) -> Finding? {
        switch rule {
        case .size(let keyword, let limit) where keyword == .minProperties || keyword == .maxProperties:
            return check(size: object.list.count, keyword, limit, node: node)
        case .required(let names):
            try spend(forNames: names)
            guard let missing = names.first(where: { object.valueNodes[$0] == nil }) else { return nil }
            return Finding(node: node, keyword: .required, problem: .missing(missing))
        case .dependentRequired(let dependencies):
            for (name, needs) in dependencies {
                try spend(forNames: [name])
                guard object.valueNodes[name] != nil else { continue }
                try spend(forNames: needs)
                guard let missing = needs.first(where: { object.valueNodes[$0] == nil }) else { continue }
                return Finding(node: node, keyword: .dependentRequired, problem: .missingBeside(missing, name))
            }
            return nil
        case .propertyNames(let subschema):
            for member in object.list {
                if let finding = try check(subschema, against: member.nameNode, via: .propertyNames) { return finding }
            }
            return nil
        case .members(let rules):
            for member in object.list {
                if let finding = try check(member, against: rules) { return finding }
            }
            return nil
        case .dependentSchemas(let dependencies):
            for (name, subschema) in dependencies {
                try spend(forNames: [name])
                guard object.valueNodes[name] != nil else { continue }
                if let finding = try check(subschema, against: node, via: .dependentSchemas) { return finding }
            }
            return nil
        default: return nil
        }
    }

    /// Charges a look-up of each name, which reads the whole name.
    private mutating func spend(forNames names: [String]) throws(StepBudget.Exhausted) {
        for name in names { try budget.spend(Self.stepsPerRule + name.utf8.count) }
    }

    private mutating func check(
        _ member: Instance.Members.Member, against rules: MemberRules
    ) throws(StepBudget.Exhausted) -> Finding? {
        try spend(forNames: [member.name])
        var isAdditional = true
        if let subschema = rules.named[member.name] {
            isAdditional = false
            if let finding = try check(subschema, against: member.valueNode, via: .properties) { return finding }
        }
        for (pattern, subschema) in rules.matching where try matches(pattern, member.name) {
            isAdditional = false
            if let finding = try check(subschema, against: member.valueNode, via: .patternProperties) { return finding }
        }
        guard isAdditional, let additional = rules.additional else { return nil }
        return try check(additional, against: member.valueNode, via: .additionalProperties)
    }
}
