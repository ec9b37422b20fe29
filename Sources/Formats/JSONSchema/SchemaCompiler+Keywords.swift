import Primitives

extension SchemaCompiler {
    /// Makes the rule of one keyword. If several keywords work together, the first one present makes the rule. A
    /// keyword without its partner is only checked for its form, as its clause says.
    mutating func rule(_ keyword: Keyword, _ value: JSONValue, _ context: Context) throws(JSONSchema.Failure) -> Rule? {
        func failure(_ reason: String) -> JSONSchema.Failure { context.failure(keyword.rawValue, reason) }
        switch keyword {
        case .schema:
            guard value == "https://json-schema.org/draft/2020-12/schema" else {
                throw failure("must be https://json-schema.org/draft/2020-12/schema, the draft that is supported")
            }
            return nil
        case .id:
            guard context.path.isRoot, let id = value.stringValue, !id.contains("#") else {
                throw failure("must be a URI without a fragment, and stand at the root only")
            }
            return nil
        case .comment, .contentEncoding, .contentMediaType, .contentSchema, .title, .description, .default,
            .deprecated, .readOnly, .writeOnly, .examples:
            return nil
        case .order:
            guard case .number = value else {
                throw failure("must be a number, by which the member is sorted among its neighbours")
            }
            return nil
        case .translations:
            guard value.objectValue?.allSatisfy({ Self.isTranslation($0.value) }) == true else {
                throw failure("must be an object of objects by language, each with the strings title and description")
            }
            if let name = value.objectValue?.members.map(\.name).first(where: { !Self.isLanguageTag($0) }) {
                noteUnusable(
                    failure(
                        "has \(name), which is no language tag such as de or de-CH (RFC 5646); nobody would see its texts"
                    ))
            }
            return nil
        case .headline:
            guard let names = value.stringsValue, names.count == value.arrayValue?.count, (1...4).contains(names.count)
            else { throw failure("must be an array of 1 to 4 names of members, what counts most first") }
            guard context.path.isRoot, let properties = context.values[.properties]?.objectValue else {
                throw failure("must stand at the root only, beside properties")
            }
            if let name = names.first(where: { properties[$0] == nil }) {
                throw failure(
                    "has \(JSONWriter.string(.string(name))), which properties lacks; declare it or leave it out")
            }
            return nil
        case .groupable:
            guard context.path.isRoot, value.boolValue != nil else {
                throw failure("must be true or false, and stand at the root only")
            }
            return nil
        case .defs:
            _ = try namedSubschemas(keyword, value, context)
            return nil
        case .ref:
            guard let target = value.stringValue else { throw failure("must be a string") }
            refer(to: target, from: context)
            return nil
        case .type: return .type(try types(value, context))
        case .const, .enum: return try constants(keyword, value, context)
        case .minimum, .exclusiveMinimum, .maximum, .exclusiveMaximum:
            guard case .number(let number) = value, let limit = ExactDecimal(number) else {
                throw failure("must be a number")
            }
            return .limit(keyword, limit, literal: number.literal)
        case .multipleOf:
            guard case .number(let number) = value,
                let divisor = ExactDecimal(number).flatMap(ExactDecimal.Divisor.init)
            else { throw failure("must be a number above 0 with at most 18 significant digits") }
            return .multipleOf(divisor, literal: number.literal)
        case .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties:
            return .size(keyword, try count(keyword, value, context))
        case .pattern:
            guard let source = value.stringValue else { throw failure("must be a string") }
            return .pattern(try pattern(source, keyword, context))
        case .format:
            guard let name = value.stringValue else { throw failure("must be a string") }
            if DisplayFormat(rawValue: name) != nil { return nil }
            guard let format = Format(rawValue: name) else {
                let known = (Format.allCases.map(\.rawValue) + DisplayFormat.allCases.map(\.rawValue))
                    .joined(separator: ", ")
                throw failure("is a format that is not checked here; known are \(known)")
            }
            return .format(format)
        case .uniqueItems:
            guard let isUnique = value.boolValue else { throw failure("must be a boolean") }
            return isUnique ? .uniqueItems : nil
        case .required: return .required(try names(value, at: [keyword.rawValue], context))
        case .dependentRequired:
            guard let object = value.objectValue else { throw failure("must be an object") }
            var dependencies: [(name: String, needs: [String])] = []
            for (name, needs) in object {
                dependencies.append((name, try names(needs, at: [keyword.rawValue, name], context)))
            }
            return .dependentRequired(dependencies)
        case .propertyNames: return .propertyNames(try subschema(value, at: keyword.rawValue, in: context))
        case .properties, .patternProperties, .additionalProperties:
            let group: [Keyword] = [.properties, .patternProperties, .additionalProperties]
            return context.first(of: group) == keyword ? try memberRules(context) : nil
        case .prefixItems, .items:
            return context.first(of: [.prefixItems, .items]) == keyword ? try elementRules(context) : nil
        case .minContains, .maxContains, .contains:
            let group: [Keyword] = [.minContains, .maxContains, .contains]
            return context.first(of: group) == keyword ? try containsRule(context) : nil
        case .allOf: return .allOf(try branches(keyword, value, context))
        case .anyOf: return .anyOf(try branches(keyword, value, context))
        case .oneOf: return .exactlyOneOf(try branches(keyword, value, context))
        case .not: return .not(try subschema(value, at: keyword.rawValue, in: context))
        case .if, .then, .else: return context.first(of: [.if, .then, .else]) == keyword ? try condition(context) : nil
        case .dependentSchemas: return .dependentSchemas(try namedSubschemas(keyword, value, context).map { ($0, $1) })
        }
    }

    // MARK: Values of keywords

    /// Two or three letters, and further parts (RFC 5646 clause 2.1). Longer languages are not registered.
    private static func isLanguageTag(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        return (2...3).contains(parts[0].count) && parts[0].allSatisfy(isLetter)
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
            }
    }

    /// True for an object of `title`, `description` or both.
    private static func isTranslation(_ value: JSONValue) -> Bool {
        guard let texts = value.objectValue, !texts.isEmpty else { return false }
        let names = [Keyword.title.rawValue, Keyword.description.rawValue]
        return texts.allSatisfy { names.contains($0.name) && $0.value.stringValue != nil }
    }

    private func count(_ keyword: Keyword, _ value: JSONValue, _ context: Context) throws(JSONSchema.Failure) -> Int {
        guard case .number(let number) = value, let count = ExactDecimal(number)?.count else {
            throw context.failure(keyword.rawValue, "must be a whole number that is not negative")
        }
        return count
    }

    private func names(
        _ value: JSONValue, at steps: [String], _ context: Context
    ) throws(JSONSchema.Failure) -> [String] {
        guard let names = value.stringsValue, Set(names).count == names.count else {
            throw .init(
                pointer: context.pointer(to: steps), keyword: steps[0],
                reason: "must be an array of strings without repetition")
        }
        return names
    }

    private func types(_ value: JSONValue, _ context: Context) throws(JSONSchema.Failure) -> Set<ValueType> {
        let names = value.stringValue.map { [$0] } ?? value.stringsValue ?? []
        let types = Set(names.compactMap(ValueType.init))
        guard !names.isEmpty, types.count == names.count else {
            let known = ValueType.allCases.map(\.rawValue).joined(separator: ", ")
            throw context.failure(
                Keyword.type.rawValue, "must be one of \(known), or an array of some without repetition")
        }
        return types
    }

    private mutating func constants(
        _ keyword: Keyword, _ value: JSONValue, _ context: Context
    ) throws(JSONSchema.Failure) -> Rule {
        guard let values = keyword == .const ? [value] : value.arrayValue, !values.isEmpty else {
            throw context.failure(keyword.rawValue, "must be an array with at least one value")
        }
        var classes: Set<Int> = []
        for value in values {
            guard let equalityClass = equalityClass(of: value) else {
                throw context.failure(
                    keyword.rawValue,
                    "has a value deeper than \(Instance.depthLimit) levels, or a number whose exponent is too long")
            }
            classes.insert(equalityClass)
        }
        return .oneOf(keyword, classes, values)
    }

    private mutating func pattern(
        _ source: String, _ keyword: Keyword, _ context: Context
    ) throws(JSONSchema.Failure) -> SchemaPattern {
        do {
            return try pattern(source)
        } catch {
            let steps = keyword == .pattern ? [keyword.rawValue] : [keyword.rawValue, source]
            throw .init(pointer: context.pointer(to: steps), keyword: keyword.rawValue, reason: error.reason)
        }
    }

    // MARK: Subschemas

    private mutating func branches(
        _ keyword: Keyword, _ value: JSONValue, _ context: Context
    ) throws(JSONSchema.Failure) -> [Int] {
        guard let array = value.arrayValue, !array.isEmpty else {
            throw context.failure(keyword.rawValue, "must be an array with at least one schema")
        }
        var branches: [Int] = []
        for (index, element) in array.enumerated() {
            branches.append(try subschema(element, at: keyword.rawValue, String(index), in: context))
        }
        return branches
    }

    private mutating func namedSubschemas(
        _ keyword: Keyword, _ value: JSONValue, _ context: Context
    ) throws(JSONSchema.Failure) -> [(String, Int)] {
        guard let object = value.objectValue else {
            throw context.failure(keyword.rawValue, "must be an object of schemas")
        }
        var subschemas: [(String, Int)] = []
        for (name, schema) in object {
            subschemas.append((name, try subschema(schema, at: keyword.rawValue, name, in: context)))
        }
        return subschemas
    }

    private mutating func single(_ keyword: Keyword, _ context: Context) throws(JSONSchema.Failure) -> Int? {
        guard let value = context.values[keyword] else { return nil }
        return try subschema(value, at: keyword.rawValue, in: context)
    }

    // MARK: Keywords that work together

    private mutating func memberRules(_ context: Context) throws(JSONSchema.Failure) -> Rule {
        var rules = MemberRules()
        if let value = context.values[.properties] {
            for (name, place) in try namedSubschemas(.properties, value, context) { rules.named[name] = place }
        }
        if let value = context.values[.patternProperties] {
            for (source, place) in try namedSubschemas(.patternProperties, value, context) {
                rules.matching.append((try pattern(source, .patternProperties, context), place))
            }
        }
        rules.additional = try single(.additionalProperties, context)
        return .members(rules)
    }

    private mutating func elementRules(_ context: Context) throws(JSONSchema.Failure) -> Rule {
        var prefix: [Int] = []
        if let value = context.values[.prefixItems] { prefix = try branches(.prefixItems, value, context) }
        if case .array = context.values[.items] {
            throw context.failure(Keyword.items.rawValue, "must be a schema; an array of schemas is prefixItems")
        }
        return .elements(prefix: prefix, rest: try single(.items, context))
    }

    private mutating func containsRule(_ context: Context) throws(JSONSchema.Failure) -> Rule? {
        let least = try context.values[.minContains].map { value throws(JSONSchema.Failure) in
            try count(.minContains, value, context)
        }
        let most = try context.values[.maxContains].map { value throws(JSONSchema.Failure) in
            try count(.maxContains, value, context)
        }
        guard let subschema = try single(.contains, context) else { return nil }
        return .contains(subschema, atLeast: least ?? 1, atMost: most)
    }

    private mutating func condition(_ context: Context) throws(JSONSchema.Failure) -> Rule? {
        let condition = try single(.if, context)
        let then = try single(.then, context)
        let otherwise = try single(.else, context)
        return condition.map { .condition($0, then: then, otherwise: otherwise) }
    }
}

extension SchemaCompiler.Context {
    fileprivate func first(of group: [Keyword]) -> Keyword? { group.first { values[$0] != nil } }
}
